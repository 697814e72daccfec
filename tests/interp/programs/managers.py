import contextlib
from contextlib import suppress

import torch


class Timer:
    def __init__(self):
        self.count = 0
        self.total = torch.zeros(2)

    def __enter__(self):
        self.count += 1
        return self.total

    def __exit__(self, *exc):
        self.total = torch.zeros(5)
        self.count = 100


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return True


@contextlib.contextmanager
def quiet():
    with torch.no_grad():
        yield 5


t = Timer()
with t as inside:
    a = inside  # fact: a = f32[2]
    n = t.count
b = t.total
c = t.count
w = torch.ones(2, requires_grad=True)
with quiet() as q:
    d = w * 2
e = w * 2  # fact: e = f32[2] grad
y = torch.ones(2)
with suppress(ValueError):
    y = torch.ones(3)
    raise ValueError
    y = torch.ones(4)
f = y
z = torch.ones(2)
with Swallow():
    if w.sum() > 0:
        raise KeyError
    z = torch.ones(9)
g = z
with open(__import__("os").devnull) as fh, torch.no_grad():
    h = w * 2  # fact: h = f32[2]
with contextlib.nullcontext():
    i = w * 2
ctx = torch.no_grad()
with ctx:
    j = w * 2  # fact: j = f32[2]
k = w * 2  # fact: k = f32[2] grad
try:
    m = torch.ones(2).reshape(7)
except RuntimeError:
    m = torch.ones(3)
o = m
