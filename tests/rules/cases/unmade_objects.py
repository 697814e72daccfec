"""An object whose constructor raises does not exist: nothing is missing in it, and its methods are not run."""

import torch
from torch import nn


class Placed(nn.Module):
    def __init__(self, size, device):
        super().__init__()
        self.device = device
        self.layer = nn.Linear(size, size)

    def forward(self, x):
        return self.layer(x.to(self.device))


class Derived(Placed):
    def __init__(self, size):
        super().__init__(size, torch.device("cpu"), 1)


class Abstract(nn.Module):
    def __init__(self):
        raise NotImplementedError

    def forward(self, x):
        return x.to(self.device)


class Unplaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x.to(self.device))  # expect: TL615


def made():
    x = torch.zeros(2, 8)
    too_many, too_few = Placed(8, 0.5, torch.device("cpu"))(x), Placed(8)(x)  # expect: TL929, TL929
    unmade = too_many, too_few, Derived(8)(x), Abstract()(x)
    return unmade, Placed(8, torch.device("cpu"))(x), Unplaced()(x)


class Named(Placed):
    def __init__(self, size):
        Placed.__init__(self, size)
        self.size = size

    def move(self, x):
        return x.to(self.dtype)


class Holding(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.build(size)

    def build(self, size):
        self.inner = nn.Sequential(Named(size), nn.ReLU())

    def move(self, x):
        return x.to(self.dtype)


class Measured(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = doubled(size, 1)

    def move(self, x):
        return x.to(self.dtype)


def doubled(size):
    return 2 * size


class Either(nn.Module):
    def __init__(self, size, is_placed):
        super().__init__()
        if is_placed:
            self.inner = Placed(size)  # expect: TL929
        else:
            self.inner = nn.Linear(size, size)

    def move(self, x):
        return x.to(self.dtype)  # expect: TL615


def made_of_parts(x, is_placed):
    of_parts = Named(8).move(x), Holding(8).move(x), Measured(8).move(x)  # ok: the constructors raise
    return of_parts, Either(8, is_placed).move(x)
