"""Modules that a loop or a function goes through: each is known with its own sizes, and what is not known stays out."""

import torch
from somewhere import Unseen
from torch import nn
from torch.nn.utils import parametrize


def start(m):
    if isinstance(m, (nn.Linear, nn.Conv2d)):
        nn.init.xavier_uniform_(m.weight)
        nn.init.xavier_uniform_(m.bias)  # expect: TL614
    elif type(m) is nn.BatchNorm2d:
        m.weight = torch.ones(m.num_features)  # expect: TL606
    elif type(m) in (nn.LayerNorm, nn.GroupNorm):
        nn.init.xavier_uniform_(m.weight)


def start_well(m):
    if type(m) == nn.Linear:
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)
    for p in m.parameters(recurse=False):
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)


def freeze(m):
    for p in m.parameters():
        p.requires_grad = False


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
        self.apply(start)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.kaiming_normal_(m.bias)  # expect: TL614
            elif isinstance(m, nn.LayerNorm):
                nn.init.kaiming_normal_(m.weight)
        for name, m in self.named_modules():
            if "norm" in name:
                m.eval()
        self.head.apply(start_well)

    def forward(self, x):
        return self.head(self.drop(self.norm(self.conv(x))).mean((2, 3)))


def through_children(x):
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    for child in net.children():
        x = child(x)
    for name, child in net.named_children():
        if name == "2":
            child(torch.zeros(1, 4))
    y = torch.zeros(2, 5)
    for m in net.modules():
        if isinstance(m, nn.Linear):
            m(y)  # expect: TL105
            break
    net.apply(freeze)
    net(torch.zeros(1, 3)).sum().backward()
    return x


class Holds(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.own = nn.Linear(3, 3)
        self.other = Unseen()
        count = 0
        for m in self.modules():
            count += 1
        self.table = torch.zeros(count, 2)
        self.rows = self.table.view(4)


def undecided(names, wanted):
    net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    for name, m in net.named_modules():
        if name in names:
            nn.init.xavier_uniform_(m.weight)
    for m in net.modules():
        if not wanted(m):
            continue
        nn.init.xavier_uniform_(m.weight)
    for name, m in net.named_children():
        if name.endswith("2"):
            m(torch.zeros(1, 4))
        elif name == "0":
            m(torch.zeros(1, 3))
    for m in net.children():
        if isinstance(m, nn.LayerNorm):
            nn.init.xavier_uniform_(m.bias)  # expect: TL614


class Overwrites(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.free = nn.Parameter(torch.zeros(dim))
        self.maybe = nn.Parameter(torch.zeros(dim))
        self.plain = torch.zeros(dim)
        self.both = nn.Parameter(torch.zeros(dim))
        self.both = self.both + 1  # expect: TL606

    def normalise(self):
        self.scale = self.scale / self.scale.norm()  # expect: TL606
        self.shift = nn.Parameter(self.shift * 2)
        self.plain = self.plain * 2
        self.shift.data = self.shift.data * 2

    def drop(self):
        self.maybe = None
        if self.maybe is not None:
            self.maybe = self.maybe * 2

    def forward(self, x):
        return x * self.scale + self.shift + self.free


class Either(nn.Module):
    def __init__(self, learns):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.scale = nn.Parameter(self.scale * 2) if learns else self.scale

    def double(self):
        is_one = isinstance(self.scale, nn.Parameter)
        self.scale = nn.Parameter(self.scale * 2) if is_one else self.scale * 2


class LetsGo(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.other = nn.Parameter(torch.ones(dim))
        parametrize.register_parametrization(self, "other", nn.Tanh())

    def strip(self):
        del self.weight
        self.weight = torch.ones(3)

    def forward(self, x):
        self.weight = self.weight * 2
        self.other = self.other * 2
        return x * self.weight


def shrunk(keep):
    layer = nn.Linear(8, 2)
    layer.weight = nn.Parameter(layer.weight.detach()[:, :keep].clone())
    conv = nn.Conv2d(3, 4, 3)
    conv.weight.data = conv.weight.data.sum(1, keepdim=True)
    slim = nn.Linear(8, 6)
    slim.weight.data, slim.bias.data = slim.weight.data[:3], slim.bias.data[:3]
    slim.out_features = 3
    slim(torch.zeros(5, 8))
    table = nn.Embedding(10, 4)
    table.weight = nn.Parameter(torch.cat([table.weight.data, torch.zeros(2, 4)]))
    table(torch.tensor([11]))
    same = nn.Linear(8, 2)
    same.weight = nn.Parameter(torch.zeros(2, 8))
    same(torch.zeros(5, 4))  # expect: TL105
    return layer(torch.zeros(5, 4)), conv(torch.zeros(1, 1, 8, 8))
