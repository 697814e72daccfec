import torch
from torch import nn


def total_loss(losses, weights=None):
    weights = weights or [1.0] * len(losses)
    return sum(w * l for w, l in zip(weights, losses))


x = torch.ones(2, requires_grad=True)
total_loss([x.sum(), (x**2).mean()], weights=(0.5, 2.0)).backward()
assert x.grad is not None and x.grad.shape == x.shape
