"""Memory that an initialiser fills in the expression which creates it."""

import torch
from torch import nn
from torch.nn import init


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(init.xavier_normal_(torch.empty(32, 1, 3, 3)))  # ok: filled
        self.second = nn.Parameter(torch.empty(3, 3).uniform_())  # ok: filled
        self.third = nn.Parameter(torch.empty(3, 3).float())  # expect: TL318


Block()
