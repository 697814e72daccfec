# uses dir
import torch

dir(torch.ones(1))
