"""The parameters in a ParameterList move with the module that holds it."""

import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.zeros(3, 3))])
        self.more = nn.ParameterList([torch.zeros(3, 3) for _ in range(n)])
        self.late = nn.ParameterList()
        for _ in range(3):
            self.late.append(nn.Parameter(torch.zeros(3, 3)))

    def forward(self, x):
        x = x.matmul(self.weights[0])  # expect: TL303
        for w in self.more:
            x = x @ w
        return x + self.late[1] + torch.zeros(3, 3)  # expect: TL313


if torch.cuda.is_available():
    net = Rows(4).cuda()
    net(torch.rand(3, 3).cuda())
    other = Rows(4)
    other(torch.rand(3, 3).cuda())
