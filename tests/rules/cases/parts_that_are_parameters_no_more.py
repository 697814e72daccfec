"""What `.data` and `detach()` give is no parameter, and can be replaced by another tensor."""

import torch
from torch import nn


class State(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rest = nn.Parameter(torch.full((n,), 0.5))
        self.first = self.rest.data.clone()
        self.second = self.rest.detach().clone()
        self.register_buffer("third", self.rest.data.unsqueeze(0).clone())

    def forward(self, x):
        self.first = self.first + x  # ok: a plain tensor
        self.second = self.second + x  # ok
        self.third = self.third + x  # ok: a buffer
        self.rest = self.rest + x  # expect: TL606
        return x
