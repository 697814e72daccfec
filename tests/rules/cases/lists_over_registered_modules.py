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
assert len(list(OneMore().parameters())) == 2
