import torch
import torch.nn.functional as F
from torch import nn


def forward_hook(self, inputs, output):
    self.seen = inputs[0].detach()
    self.seen.requires_grad = True


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_forward_hook(forward_hook)


class Linear(nn.Linear, Hooked):
    """What a hook sets on the object may be in a graph."""

    def relevance(self, r):
        z = F.linear(self.seen, self.weight)
        return torch.autograd.grad(z, self.seen, r)[0]

    def products(self):
        torch.matmul(self.a, self.b).sum().backward()
        torch.bmm(self.a, self.b).sum().backward()
        torch.baddbmm(self.c, self.a, self.b).sum().backward()

    def fixed(self):
        torch.bmm(torch.zeros(2, 3, 4), torch.zeros(2, 4, 5)).sum().backward()  # expect: TL405


layer = Linear(4, 3)
layer(torch.randn(2, 4))
layer.relevance(torch.randn(2, 3))
