# keeps the type of a value
import torch

kind = type(torch.ones(1))
