"""Classes that derive from a layer take its dtype and its device, and what is put into the registries of a module is its attribute."""

import torch
from torch import nn


class Tracked(nn.Linear):
    def __init__(self, features, *, device=None, dtype=None):
        super().__init__(features, features, device=device, dtype=dtype)


class Options(nn.Linear):
    def __init__(self, features, **options):
        super().__init__(features, features, **options)


class Net(nn.Module):
    def __init__(self, dtype=None):
        super().__init__()
        self.layers = nn.ModuleList(Tracked(4, dtype=dtype) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)  # expect: TL230
        return x


wide = torch.rand(2, 4, dtype=torch.float64)
Tracked(4, dtype=torch.float64)(wide)
Options(4, dtype=torch.float64)(wide)
Net(torch.float64)(wide)
Net()(wide)
Tracked(4, dtype=torch.float64)(torch.rand(2, 4))  # expect: TL230


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(2, 1))
        self.register_buffer("moments", torch.zeros(2, 1))

    def grow(self):
        for name in self.names():
            self._buffers[name] = torch.cat([getattr(self, name), torch.zeros(2, 1)], 1)

    def names(self):
        yield "steps"

    def put(self, value):
        self._buffers["steps"] = value


grown = Growing()
grown.steps[1, 1]  # expect: TL122
grown.grow()
grown.steps[1, 1]
other = Growing()
other.put(torch.zeros(2, 2))
other.steps[1, 1]
other.steps[1, 2]  # expect: TL122
other.moments[1, 1]  # expect: TL122
