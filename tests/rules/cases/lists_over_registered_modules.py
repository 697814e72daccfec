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


class PickedUp(nn.Module):
    def __init__(self, channels, strides):
        super().__init__()
        convolutions = [nn.Conv2d(i, o, 3) for i, o in zip(channels[:-1], channels[1:])]
        sequence = list()
        for convolution, stride in zip(convolutions, strides):
            sequence.append(convolution)
            sequence.append(nn.ReLU())
            if stride > 1:
                sequence.append(nn.MaxPool2d(stride))
        self.body = nn.Sequential(*sequence)
        self.convolutions = convolutions

    def forward(self, x):
        for convolution in self.convolutions:
            x = convolution(x).relu()
        return x


class Beside(nn.Module):
    def __init__(self, channels):
        super().__init__()
        convolutions = [nn.Conv2d(i, o, 3) for i, o in zip(channels[:-1], channels[1:])]
        self.body = nn.Sequential(nn.Conv2d(3, channels[0], 1))
        self.convolutions = convolutions  # expect: TL602

    def forward(self, x):
        x = self.body(x)
        for convolution in self.convolutions:
            x = convolution(x).relu()
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
assert len(list(MadeInside(3).parameters())) == 6
assert len(list(OneMore().parameters())) == 2
assert len(list(PickedUp((3, 4, 5), (1, 2)).parameters())) == 4
assert len(list(Beside((3, 4, 5)).parameters())) == 2
