import itertools
from functools import partial, reduce

import torch
import torch.nn as nn


def pairs(n):
    for i in range(n):
        yield torch.ones(2, 3), i


def both():
    yield torch.ones(2)
    yield
    yield torch.ones(3).double()


def inner():
    yield torch.ones(4)


def outer():
    yield from inner()
    yield from [torch.ones(4)]


def nothing():
    return
    yield 1


for t, i in pairs(20):
    a = t  # fact: a = f32[2, 3]
    b = i
for item in both():
    c = item
for o in outer():
    d = o  # fact: d = f32[4]
e = list(pairs(2))
f = next(inner())
g = list(nothing())
h = [x.shape[0] for x in outer()]
gen = (x * 2 for x in [torch.ones(2), torch.ones(2)])
k = torch.stack(list(gen))  # fact: k = f32[2, 2]
make = partial(nn.Linear, 4)
m = make(6)(torch.ones(1, 4))  # fact: m = f32[1, 6] grad
act = partial(torch.sum, dim=1)
n = act(torch.ones(2, 3))  # fact: n = f32[2]
p = reduce(lambda x, y: x + y, [torch.ones(2), torch.ones(2)])
q = list(map(lambda x: x.double(), [torch.ones(2), torch.ones(3)]))
r = list(filter(None, [1, 0, 2]))
s = list(zip([1, 2], [torch.ones(2), torch.ones(3)]))
for idx, (num, t2) in enumerate(s, start=1):
    u = t2
    v = idx
w = dict(zip(["a", "b"], [torch.ones(1), torch.ones(2)]))
x = w["b"]
y = list(itertools.chain([1], [2, 3]))
z = list(reversed([torch.ones(1), torch.ones(2)]))
za = z[0]  # fact: za = f32[2]
aa, bb = map(torch.relu, (torch.ones(1), torch.ones(2)))
for x1, x2 in zip([torch.ones(2)] * 20, range(20)):
    cc = x1  # fact: cc = f32[2]
it = iter([torch.ones(1), torch.ones(2)])
dd = next(it)
ee = next(it)
ff = any(t is None for t in [1, None])
gg = sorted([torch.ones(3), torch.ones(1)], key=lambda t: t.shape[0])[0]
