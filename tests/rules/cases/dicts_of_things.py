"""Dicts that a comprehension or `dict()` makes, and items under keys that are not known: what holds of each value is known."""

import copy

import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, tasks, n):
        super().__init__()
        self.trunk = nn.Linear(5, 5)
        self.heads = {name: nn.Linear(5, k) for name, k in tasks.items()}  # expect: TL602
        self.gates = tuple(nn.Linear(5, 5) for _ in range(n))  # expect: TL602
        self.named = dict((str(i), nn.Linear(5, 5)) for i in range(n))  # expect: TL602
        self.sizes = {name: k * 2 for name, k in tasks.items()}
        self.acts = tuple(nn.ReLU() for _ in range(n))
        self.found = nn.ModuleDict({name: nn.Linear(5, k) for name, k in tasks.items()})

    def forward(self, x, task):
        x = self.gates[0](self.named["0"](self.acts[0](self.trunk(x))))
        return self.heads[task](x) + self.found[task](x)


def widths(which, keys):
    fixed = {"small": torch.zeros(2, 3), "large": torch.zeros(2, 3)}
    table = fixed[which]
    table @ table  # expect: TL105
    mixed = {"small": torch.zeros(2, 3), "large": torch.zeros(3, 3)}
    mixed[which] @ torch.zeros(3, 2)
    layers = {key: nn.Linear(3, 4) for key in keys}
    for layer in layers.values():
        layer(torch.zeros(2, 5))  # expect: TL105
    layers["other"] = nn.Linear(5, 4)
    layers[which](torch.zeros(2, 5))
    found = layers.get(which)
    if found is None:
        found = nn.Linear(5, 4)
    found(torch.zeros(2, 5))
    pairs = dict(zip(("p", "q"), (torch.zeros(2), torch.zeros(3))))
    pairs["p"] + pairs["q"]  # expect: TL127
    emptied = {key: nn.Linear(3, 4) for key in keys}
    emptied.update(given=nn.Linear(5, 4))
    emptied[which](torch.zeros(2, 5))


def recorded(policy, obs):
    logits = nn.Linear(3, 2)(torch.zeros(5, 3))
    record = {"obs": obs, "logits": logits}
    copy.deepcopy(record)  # expect: TL421
    copy.deepcopy([logits.detach(), obs])
    copy.deepcopy({"w": nn.Linear(3, 2).weight})
    return copy.deepcopy((obs, logits))  # expect: TL421
