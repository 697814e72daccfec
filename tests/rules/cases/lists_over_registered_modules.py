import torch
from torch import nn


class Stages(nn.Module):
    """All that is trained in the list is registered under other names."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.layer = nn.Linear(8, 8)
        self.stages = [nn.Sequential(self.conv, self.norm), nn.Sequential(nn.ReLU(), nn.Sequential(self.layer))]

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


class MadeInside(nn.Module):
    """A function of the constructor registers what it makes."""

    def __init__(self, count):
        super().__init__()

        def made(number):
            unit = nn.Conv2d(3, 4, 3)
            self.add_module(f"unit_{number}", unit)
            return unit

        self.units = [made(number) for number in range(count)]

    def forward(self, x):
        return torch.stack([unit(x) for unit in self.units], dim=1)


class OneMore(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.stages = [nn.Sequential(self.conv, nn.BatchNorm2d(8))]  # expect: TL602

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


net = Stages()
assert len(list(net.parameters())) == 6
assert len(list(MadeInside(3).parameters())) == 6
assert len(list(OneMore().parameters())) == 2
