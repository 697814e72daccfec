"""A file that goes through modules without their names: any of them may be used."""

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.first = nn.Linear(dim, dim)
        self.second = nn.Linear(dim, dim)

    def forward(self, x):
        for module in self.modules():
            if isinstance(module, nn.Linear):
                x = module(x)
        return x


class Mistaken(nn.Module):
    def __init__(self, dim):
        self.only = nn.Linear(dim, dim)  # expect: TL601
        super().__init__()

    def forward(self, x):
        return torch.relu(x)
