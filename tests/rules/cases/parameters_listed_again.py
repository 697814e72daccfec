"""Plain containers that hold parameters which are registered elsewhere, too: in layers, in parts of the module."""

import torch
from torch import nn
class Sub(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return self.fc(x) * self.w.sum()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.sub = Sub()
        self.fc = nn.Linear(4, 1)
        self.logged = {"bias": self.fc.bias, "w": self.sub.w, "deep": self.sub.fc.weight}
        self.listed = [self.fc.weight, self.sub.w]
        self.lost = [nn.Parameter(torch.ones(3))]  # expect: TL602
        other = nn.Linear(3, 3)
        self.of_other = [other.weight]
    def forward(self, x):
        for name, parameter in self.logged.items():
            print(name, parameter.norm())
        for p in self.listed:
            print(p.norm())
        x = self.fc(x) + self.lost[0].sum() + self.of_other[0].sum()
        return self.sub(torch.cat([x, x], 1))
M()(torch.ones(2, 4))
