"""Lists, tuples and dicts of modules: what is registered elsewhere, hidden on purpose, or looked after by the class."""

import torch
from torch import nn
from torchvision.models import resnet18


class Paired(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.pairs = [(nn.Linear(4, 4), nn.ReLU()) for _ in range(n)]  # expect: TL602
        self.table = {}  # expect: TL602
        self.table["a"] = nn.Linear(4, 4)

    def forward(self, x):
        for layer, act in self.pairs:
            x = act(layer(x))
        return self.table["a"](x)


class WithTable(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = dict(a=nn.Linear(4, 4), b=nn.Linear(4, 4))  # expect: TL602

    def forward(self, x, key):
        return self.table[key](x)


class Rewrapped(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(n)]
        self.layers = nn.ModuleList(self.layers)

    def forward(self, x):
        return self.layers[0](x)


class InSequence(nn.Module):
    def __init__(self, n):
        super().__init__()
        layers = []
        for _ in range(n):
            layers.append(nn.Linear(4, 4))
        self.layers = layers
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x) + len(self.layers)


class Handed(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(n)]
        register(self, self.layers)

    def forward(self, x):
        return self.layers[0](x)


class ByName(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = []
        for i in range(n):
            setattr(self, f"layer{i}", nn.Linear(4, 4))
            self.layers.append(getattr(self, f"layer{i}"))

    def forward(self, x):
        return self.layers[0](x)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        critic = nn.Sequential(nn.Linear(4, 4)).eval()
        for p in critic.parameters():
            p.requires_grad = False
        self.critics = [critic, nn.Linear(4, 4).requires_grad_(False)]
        self.other = [resnet18(), resnet18()]

    def forward(self, x):
        return self.critics[0](x) + self.critics[1](x) + self.other[0](x)


class OwnParameters(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(n)]

    def weights(self):
        return [p for layer in self.layers for p in layer.parameters()]

    def forward(self, x):
        return self.layers[0](x)


class OwnMoves(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(n)]

    def to(self, device):
        self.layers = [layer.to(device) for layer in self.layers]
        return super().to(device)

    def forward(self, x):
        return self.layers[0](x)


class Given(nn.Module):
    def __init__(self, layers, single):
        super().__init__()
        self.layers = layers
        self.several = [layers[0], layers[1]]
        self.single = (single,)
        self.shared = [nn.Linear(4, 4), nn.Linear(4, 4)]
        self.first, self.second = self.shared

    def forward(self, x):
        return self.layers[0](x) + self.several[0](x) + self.single[0](x) + self.shared[0](x)


class Either(nn.Module):
    def __init__(self, several):
        super().__init__()
        self.heads = [nn.Linear(4, 4)] if not several else nn.ModuleList([nn.Linear(4, 4)])

    def forward(self, x):
        return self.heads[0](x)


class Numbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers_ = [torch.zeros(3), torch.randn(4)]
        self.losses = [nn.MSELoss(), nn.L1Loss()]
        self.norms = [nn.LayerNorm(4, elementwise_affine=False), nn.InstanceNorm1d(4)]

    def forward(self, x):
        return self.losses[0](x, x) + self.norms[0](x).sum() + self.buffers_[0].sum()


class Ensemble:
    def __init__(self, n):
        self.members = [nn.Linear(4, 4) for _ in range(n)]


class Grid(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rows = [[nn.Linear(4, 4) for _ in range(n)] for _ in range(n)]  # expect: TL602

    def forward(self, x):
        for row in self.rows:
            x = sum(layer(x) for layer in row)
        return x


def register(module, layers):
    for i, layer in enumerate(layers):
        module.add_module(str(i), layer)


def placeholders(x):
    torch.nn.Sequential(torch.nn.Linear(2, 2), ...)  # expect: TL605
    torch.nn.Sequential(torch.nn.Linear(2, 2), torch.ones(2))  # expect: TL605
    return torch.nn.Sequential(torch.nn.Linear(2, 2), x)
