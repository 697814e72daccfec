"""Containers that hooks, lambdas and other methods fill are not empty, and modules do not hide methods of their names."""

import numpy as np
import torch
import torch.distributed as dist
from torch import nn


def captured_by_lambdas(model, layers, images):
    captured = []
    handles = [layer.register_forward_hook(lambda _m, _i, out: captured.append(out)) for layer in layers]
    model(images)
    return torch.cat(captured, dim=1), handles


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict()
        self.blocks = nn.ModuleList()

    def build(self, names):
        for name in names:
            self.layers[name] = nn.Linear(2, 2)

    def embed(self, x):
        found = []
        for _, layer in self.layers.items():
            found.append(layer(x))
        return torch.cat(found, dim=1)

    def run(self, x):
        return torch.cat([block(x) for block in self.blocks], dim=1)


class Copied(nn.Conv2d):
    """What another module's `__dict__` brings is all that `Module.__init__` makes."""

    def __init__(self, module, scale):
        take_over(self, module)
        self.scale = nn.Parameter(scale)


def take_over(made, module):
    made.__dict__.update(module.__dict__)


class Uncopied(nn.Conv2d):
    def __init__(self, module, scale):
        print(module)
        self.scale = nn.Parameter(scale)  # expect: TL601


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.parameters = nn.ParameterList([nn.Parameter(torch.ones(2))])
        self.children = [nn.Linear(2, 2)]


def train(x):
    model = Listed()
    return torch.optim.SGD(model.parameters(), lr=0.1), x


def repeated(gate: torch.Tensor, rows: int):
    """NumPy gives a tensor where it is given one: by the tensor's own method, or wrapped back."""
    again = np.repeat(gate, rows, axis=0)
    return torch.reshape(again, (-1, 2)), torch.relu(np.exp(gate)), torch.relu(np.transpose(gate))


def stacked(gate: torch.Tensor):
    return torch.relu(np.stack([gate, gate]))  # expect: TL930


def reduced(gradients: torch.Tensor):
    supports_lists = True
    try:
        dist.all_reduce([gradients])
    except TypeError:
        supports_lists = False
    if supports_lists:
        dist.all_reduce([gradients])
    else:
        dist.all_reduce(gradients)


def summed(gradients: torch.Tensor):
    dist.all_reduce([gradients])  # expect: TL819
