"""The data of parameters that a loop replaces may have another size; what is computed from them has the same."""

import torch
from torch import nn


def flatten(model):
    for parameter in model.parameters():
        parameter.data = parameter.data.reshape(-1)[:8]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)
        self.scale = nn.Parameter(torch.ones(3, 4))

    def forward(self, x):
        return self.layer(x) * self.scale


def replaced_by_a_function():
    layer = nn.Linear(3, 4)
    flatten(layer)
    return layer.weight.view(8)


def replaced_in_a_loop():
    net = Net()
    for _, parameter in net.named_parameters():
        parameter.data = torch.zeros(10)
    return net.scale.view(10), net.layer.weight.view(10)


def rounded():
    layer = nn.Linear(3, 4)
    for parameter in layer.parameters():
        parameter.data = parameter.data.half().float() * 0.5
    return layer.weight.view(10)  # expect: TL102


def copied():
    layer, other = nn.Linear(3, 4), nn.Linear(3, 4)
    for parameter, source in zip(layer.parameters(), other.parameters()):
        parameter.data = source
    return layer.weight.view(10)  # expect: TL102
