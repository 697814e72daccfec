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
