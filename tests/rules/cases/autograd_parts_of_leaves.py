"""Writes through `.data` of a part of a parameter initialize it, like those through `.data` of the parameter."""

import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, 2 * dim)
        self.layer.bias[dim:].data.fill_(1)
        self.layer.weight.view(-1)[:dim].data.zero_()

    def forward(self, x):
        return self.layer(x)


model = Highway(4)
model(torch.ones(2, 4)).sum().backward()
assert model.layer.bias.grad.unique().tolist() == [2.0]

weight = torch.ones(3, requires_grad=True)
scaled = (weight * 2)[1:]
scaled.data.fill_(1)  # expect: TL407
scaled.pow(2).sum().backward()
