"""What torch.compile and TorchScript return is not of the module's class, and TorchScript's is another object."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.body = nn.Linear(width, 4)
        self.extra = 1

    def forward(self, x):
        return self.body(x)  # expect: TL105

    def row(self):
        return torch.zeros(self.extra + 2)


def width_of(net):
    width = 3 if isinstance(net, Net) else 4
    return net(torch.rand(2, 3)).view(2, width)


def columns_of(layer):
    width = 3 if isinstance(layer, nn.Linear) else 4
    return layer(torch.rand(2, 3)).view(2, width)


width_of(torch.compile(Net(), backend="eager"))
columns_of(torch.compile(nn.Linear(3, 4), backend="eager"))


def compiled():
    net = torch.compile(Net(), backend="eager")
    net.extra = 2
    return net(torch.rand(2, 3)).view(8), net(torch.rand(2, 4))


def scripted():
    net = Net()
    script = torch.jit.script(net)  # expect: TL915
    script.extra = 5
    first = net.row().view(3)
    net.body = nn.Linear(7, 4)
    return first, script(torch.rand(2, 3))


scripted()
