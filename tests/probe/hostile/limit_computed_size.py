# computes a huge size
import torch

n = 65536
torch.ones(n * n)
