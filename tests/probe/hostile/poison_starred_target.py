# assigns to torch by unpacking
import torch

a, *torch.relu = 1, 2
