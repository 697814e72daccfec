import torch
from torch import nn


w = nn.Parameter(torch.ones(3))
optimizer = torch.optim.LBFGS([w], max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    return loss


optimizer.step(closure)
assert w.abs().max() < 1
