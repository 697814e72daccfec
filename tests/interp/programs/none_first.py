import torch
import torch.nn as nn
import torch.nn.functional as F


class Lazy(nn.Module):
    def __init__(self, hidden=None):
        super().__init__()
        self.proj = None
        self.hidden = hidden or 8
        self.norm = nn.LayerNorm(self.hidden) if hidden else None
        self._build()
        for i in range(2):
            self.add_module(f"block{i}", nn.Linear(self.hidden, self.hidden))
        self.blocks = [getattr(self, f"block{i}") for i in range(2)]
        self.steps = 0
        self.last = None

    def _build(self):
        self.proj = nn.Linear(4, self.hidden)

    def forward(self, x, mask=None):
        self.steps += 1
        h = self.proj(x)
        for blk in self.blocks:
            h = F.relu(blk(h)) + h
        if self.norm is not None:
            h = self.norm(h)
        if mask is None:
            mask = torch.ones(h.shape[0])
        h = h * mask[:, None]
        if self.last is not None:
            h = h + self.last.mean()
        self.last = h.detach()
        return h


net = Lazy()
a = net(torch.ones(3, 4))  # fact: a = f32[3, 8] grad
b = net(torch.ones(5, 4))
c = net.last
d = net.steps
big = Lazy(16)
e = big(torch.ones(2, 4), mask=torch.zeros(2))  # fact: e = f32[2, 16] grad
f = big.norm
g = net.norm


class State:
    x = None
    n = 0

    def set(self, v):
        self.x = v
        self.n += 1
        return self


s = State().set(torch.ones(2)).set(torch.ones(3))
h = s.x  # fact: h = f32[3]
i = s.n
j = State.x
k = State().x
l = State.n
hidden = None
for step in range(20):
    inp = torch.ones(2, 4)
    if hidden is None:
        hidden = torch.zeros(2, 4)
    hidden = hidden + inp
m = hidden
rnn = nn.GRU(3, 5)
hx = None
for t in range(20):
    out, hx = rnn(torch.ones(7, 2, 3), hx)
o = out  # fact: o = f32[7, 2, 5] grad
p = hx
