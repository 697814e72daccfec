from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass
class Item:
    x: torch.Tensor
    n: int = 3
    tags: list = field(default_factory=list)
    name: str = "item"

    @property
    def size(self):
        return self.x.shape[0]


@dataclass
class Config:
    hidden: int = 8
    layers: int = 2


class Layer(nn.Module):
    def __init__(self, cfg, last=False):
        super().__init__()
        self.cfg = cfg
        self.out = 1 if last else cfg.hidden
        self.lin = nn.Linear(cfg.hidden, self.out)

    def forward(self, x):
        return self.lin(x)


items = [Item(torch.ones(i + 1)) for i in range(3)]
a = items[0].size
b = items[2].x
c = items[1].n
d = Item(torch.ones(2), n=9)
e = d.n
f = d.tags
d.tags.append(1)
g = len(d.tags)
h = len(Item(torch.ones(1)).tags)
cfg = Config(hidden=16)
w = cfg.hidden  # fact: w = 16
l = cfg.layers
first, last = Layer(cfg), Layer(cfg, last=True)
i = last(first(torch.ones(2, 16)))  # fact: i = f32[2, 1] grad
layers = []
for k in range(3):
    layers.append(Layer(cfg, last=k == 2))
j = layers[0](torch.ones(2, 16))
m = layers[2].out
rows = []
for k in range(30):
    row = []
    for q in range(2):
        row.append(k)
    rows.append(row)
n = len(rows[0])
prev = None
for k in range(30):
    cur = [k]
    if prev is not None:
        p = len(prev)
    cur.append(1)
    prev = cur
objs = []
for k in range(30):
    o = Item(torch.ones(2))
    if objs:
        s = objs[-1].n
    o.n = k
    objs.append(o)
small, large = Config(1), Config(100)
r = small.hidden
