# multiplies large matrices
import torch

x = torch.ones(8000, 8000)
for _ in range(1000):
    x = x @ x
