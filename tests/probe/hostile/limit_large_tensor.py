# asks for a large tensor in two sizes
import torch

torch.ones(100000, 100000)
