import torch
import torch.nn as nn


class Mixer(nn.Module):
    def __init__(self, dim, norm=nn.LayerNorm, act_layer=nn.GELU, mlp_ratio=4.0):
        super().__init__()
        hidden = int(dim * mlp_ratio)
        self.norm = norm(dim)
        self.act = act_layer()
        self.fc1 = nn.Linear(dim, hidden)
        self.fc2 = nn.Linear(hidden, dim)
        self.skip = None
        if dim > 100:
            self.skip = nn.Linear(dim, dim)
        self.gamma = nn.Parameter(torch.ones(dim)) if mlp_ratio > 1 else None

    def forward(self, x):
        h = self.fc2(self.act(self.fc1(self.norm(x))))
        if self.skip is not None:
            h = h + self.skip(x)
        if self.gamma is not None:
            h = self.gamma * h
        return h


LAYERS = {"relu": nn.ReLU, "tanh": nn.Tanh}


def build(name, width):
    act = LAYERS[name]
    return nn.Sequential(nn.Linear(4, width), act())


m = Mixer(8)
a = m(torch.ones(2, 3, 8))  # fact: a = f32[2, 3, 8] grad
m2 = Mixer(128, norm=nn.Identity)
b = m2(torch.ones(2, 128))
c = build("relu", 6)(torch.ones(1, 4))  # fact: c = f32[1, 6] grad
cls = Mixer if a.sum() > 0 else nn.Identity
d = cls(8)
make = lambda n: nn.Linear(n, n)
e = make(3)
f = [nn.Linear, nn.ReLU][0](2, 2)
g = nn.Linear
h = g(2, 5)(torch.ones(1, 2))  # fact: h = f32[1, 5] grad
opt_cls = torch.optim.Adam
opt = opt_cls(m.parameters())
k = type(m)(8)
n = m.__class__.__name__
fn = getattr(torch, "relu")
o = fn(torch.ones(2))  # fact: o = f32[2]
p = getattr(nn, "Linear")(2, 3)
q = m.fc1.in_features  # fact: q = 8
r = m.fc1.out_features  # fact: r = 32


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = self.a
        self.layers = nn.ModuleList([self.a, nn.Linear(3, 4)])
        for i in range(2):
            setattr(self, f"head{i}", nn.Linear(4, i + 1))

    def forward(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x)
        return self.head0(x), getattr(self, "head1")(x)


s, t = Shared()(torch.ones(2, 3))
