# asks for a tensor of a huge size
import torch

torch.zeros(100000000000)
