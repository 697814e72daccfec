"""Objects with operators of their own: what they give is what their methods return."""

import torch
from torch import nn


class Operator(nn.Module):
    def forward(self, x):
        return x

    def __matmul__(self, right):
        if isinstance(right, torch.Tensor):
            return self(right)
        return NotImplemented

    def __mul__(self, right):
        return Scaled(self, right)

    def __radd__(self, left):
        return left.view(3)


class Scaled(nn.Module):
    def __init__(self, inner, factor):
        super().__init__()
        self.inner, self.factor = inner, factor

    def forward(self, x):
        return self.factor * self.inner(x)


operator = Operator()
number = torch.tensor(3)
operator @ number
scaled = operator * torch.tensor(2.5)
scaled(torch.randn(2)).view(3)  # expect: TL102
torch.randn(3, 1) + operator + torch.randn(4)  # expect: TL127
number @ number  # expect: TL106
