"""Calls that Python refuses for the count of their arguments, and those that it takes."""

import functools

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.lin = nn.Linear(width, 4)
        self.depth = depth

    def forward(self, x, mask, *, scale=1.0):
        return self.lin(x) * mask * scale


class Wider(Net):
    def __init__(self, width):
        super().__init__(2 * width, 3)


class Anything(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.net = Net(**options)

    def forward(self, *inputs, **options):
        return self.net(*inputs, **options)


def layers(x):
    nn.Linear(3)  # expect: TL929
    nn.Linear(3, 4, True, None, None, 5)  # expect: TL929
    nn.Conv2d(3, 8, stride=2)  # expect: TL929
    nn.Linear(out_features=4, in_features=3)
    nn.Linear(3, 4)()  # expect: TL929
    nn.Linear(3, 4)(x, x)  # expect: TL929
    nn.Linear(3, 4)(input=x)
    nn.Dropout(0.5)(x, p=0.3)  # expect: TL903


def losses(logits, target):
    F.cross_entropy(logits)  # expect: TL929
    nn.CrossEntropyLoss()(logits)  # expect: TL929
    nn.CrossEntropyLoss()(logits, target)
    nn.CrossEntropyLoss()(logits, target=target)


def loaders(x):
    DataLoader(batch_size=4)  # expect: TL929
    DataLoader(TensorDataset(x), 4)


def schedulers(optimizer):
    torch.optim.lr_scheduler.StepLR(optimizer)  # expect: TL929
    torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.1, -1, True)
    torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)


def own_modules(x):
    net = Net(3)
    Net()  # expect: TL929
    Net(3, 4, 5)  # expect: TL929
    net(x)  # expect: TL929
    net(x, x, x)  # expect: TL929
    net(x, msk=x)  # expect: TL903
    net(x, mask=x, scale=2.0)
    net(x, x)
    net.forward(x, x)
    Wider(3)(x, x)
    Wider(3, 4)  # expect: TL929


def any_arguments(x, sizes, options):
    nn.Linear(*sizes)
    nn.Linear(3, **options)
    Net(**options)(x, **options)
    Anything(width=3)(x, x)
    half = functools.partial(nn.Linear, 3)
    half(4)
    functools.partial(Net, 3)()


class Bilinear(nn.Bilinear):
    def __init__(self, width):
        super().__init__(width, width, width)

    def forward(self, x):
        return super().forward(x, x)


class ByName(nn.Linear):
    def __init__(self, width):
        nn.Linear.__init__(self, width, width)

    def forward(self, x):
        return nn.Linear.forward(self, x)


def derived(x):
    return Bilinear(3)(x) + ByName(3)(x)


class Replaced(Net):
    pass


def replaced(x):
    net = Net(3)
    net.forward = lambda x: net.lin(x)
    return net(x)


def caught(x):
    try:
        return Net(3)(x)
    except TypeError:
        return Net(3)(x, x)


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []


class TracedLinear(nn.Linear, Traced):
    pass


def constructed_by_the_layer(x):
    return TracedLinear(3, 4)(x), TracedLinear()(x)


class Swish(nn.Module):
    @staticmethod
    def forward(x):
        return x * torch.sigmoid(x)


class Halved(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x / 2


def decorated():
    x = torch.zeros(2, 3)
    return Swish()(x).view(6), Halved()(x), Swish()(x).view(5)  # expect: TL102
