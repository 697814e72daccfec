"""Modules whose own `to` sets the devices that they and their parts keep."""

import torch
from torch import nn


def move(module, device):
    module.__dict__.update(device=torch.device(device))
    nn.Module.to(module, device)
    for child in module.children():
        child.to(device)
    return module


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cpu")

    def to(self, device):
        return move(self, device)


class Shifted(Base):
    def __init__(self):
        super().__init__()
        self.rows = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor):
        return self.rows(x) + torch.zeros(8).to(self.device)  # ok: `to` has set the device


class Rows(nn.Linear):
    def __init__(self):
        super().__init__(8, 8)
        self.place = "cpu"

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.__dict__.update(place=self.weight.device)
        return self

    def forward(self, x: torch.Tensor):
        return super().forward(x) + torch.zeros(8).to(self.place)  # ok: so has `_apply`


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Rows()
        self.rows = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor):
        return self.rows(x) + torch.zeros(8).to(self.inner.place)  # ok: of a part


class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cpu")
        self.rows = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor):
        return self.rows(x) + torch.zeros(8).to(self.device)  # expect: TL313


class Both(Fixed):
    def to(self, device):
        self.rows.to(device)
        return self


print(torch.cuda.is_available())
