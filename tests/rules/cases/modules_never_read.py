"""Layers that nothing reads: the flagged ones have no part in any result, the others may have."""

import torch
from torch import nn

from elsewhere import Base, run


class Plain(nn.Module):
    def __init__(self, dim, deep):
        super().__init__()
        self.first, self.second = nn.Linear(dim, dim), nn.Linear(dim, dim)  # expect: TL607
        self.frozen = nn.Linear(dim, dim).requires_grad_(False)
        self.register_buffer("table", torch.zeros(dim))
        self.activation = nn.ReLU()
        if deep:
            self.sometimes = nn.Linear(dim, dim)

    def forward(self, x):
        return self.first(x)


class Assembled(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inner = nn.Linear(dim, dim)
        self.outer = nn.Linear(dim, dim)
        self.all = nn.Sequential(self.inner, self.outer)

    def forward(self, x):
        return self.all(x)


class Shared(nn.Module):
    def __init__(self, dim):
        super().__init__()
        inner = nn.Linear(dim, dim)
        self.inside = inner
        self.row = nn.Sequential(inner, nn.ReLU())
        self.again = nn.Sequential(inner, nn.ReLU())

    def forward(self, x):
        return self.row(x)


class HandsItselfOn(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.one = nn.Linear(dim, dim)
        self.two = nn.Linear(dim, dim)

    def forward(self, x):
        return run(self, self.one(x))


class OfUnknownKind(Base):
    def __init__(self, dim):
        super().__init__()
        self.one = nn.Linear(dim, dim)
        self.other = nn.Linear(dim, dim)

    def forward(self, x):
        return self.one(x)


class OnlyOne(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weights = nn.Linear(dim, dim)

    def forward(self, x):
        return x


class NoForward(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.left = nn.Linear(dim, dim)
        self.right = nn.Linear(dim, dim)

    def apply_left(self, x):
        return self.left(x)


class NamedInText(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)

    def forward(self, x):
        return self.query(x)


RENAMED = {"module.value.weight": "value.weight"}


class Replaced(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mixer = nn.Linear(dim, dim)
        self.keeper = nn.Linear(dim, dim)
        self.mixer = nn.Identity()

    def forward(self, x):
        return self.keeper(x)


def count(model):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
    return sum(p.numel() for p in model.parameters())
