# takes the address of an array
import torch

raise ValueError(torch.ones(1).numpy().ctypes)
