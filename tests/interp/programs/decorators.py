# calls: not all followed
import functools

import torch
import torch.nn as nn


def log(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        out = f(*args, **kwargs)
        return out

    return wrapper


def twice(n):
    def deco(f):
        def inner(x):
            return torch.cat([f(x)] * n)

        return inner

    return deco


def register(cls):
    cls.registered = True
    return cls


@log
def relu(x):
    return torch.relu(x)


@twice(2)
def ident(x):
    return x


@register
class Thing:
    @functools.lru_cache
    def cached(self, n):
        return torch.zeros(n)

    @functools.cached_property
    def prop(self):
        return torch.ones(2)

    @log
    def logged(self, x):
        return x.double()

    @property
    def width(self):
        return self._width

    @width.setter
    def width(self, value):
        self._width = value * 2


a = relu(torch.ones(2))  # fact: a = f32[2]
b = ident(torch.ones(3))
c = Thing().cached(3)  # fact: c = f32[3]
d = Thing().prop  # fact: d = f32[2]
e = Thing().logged(torch.ones(2))  # fact: e = f64[2]
t = Thing()
setattr(t, "width", 5)
f = t.width
g = Thing.registered


def plain(x):
    return x


plain = log(plain)
h = plain(torch.ones(2))


class Over:
    def run(self, x):
        return x

    alias = run
    run = lambda self, x: x.double()


i = Over().run(torch.ones(2))
j = Over().alias(torch.ones(2))
Over.run = lambda self, x: x.long()
k = Over().run(torch.ones(2))
flag = torch.rand(1).item() > 2
if flag:

    def which(x):
        return x.double()

else:

    def which(x):
        return x.long()


l = which(torch.ones(2))


class Cond:
    if flag:

        def go(self):
            return 1

    else:

        def go(self):
            return 2.0


m = Cond().go()
n = torch.compile


def noted(f):
    """A decorator that does something besides: it is not followed."""
    seen.append(f)

    def wrapper(x):
        return f(x)

    return wrapper


def instead(f):
    def wrapper(x):
        return torch.zeros(5)

    return wrapper


def around(f):
    """The function is called as it was written, and its result passed on changed."""

    @functools.wraps(f)
    def wrapper(self, *args, scale=2):
        return f(self, *args).repeat(scale)

    return wrapper


seen = []


@noted
def kept(x):
    return x


@instead
def never(x):
    return x


@instead
def countdown(x):
    return x if len(x) == 0 else countdown(x[1:])


class Worker:
    def __init__(self):
        self.weight = torch.ones(3)

    @around
    def add(self, x, more=1.0):
        return self.weight + x + more

    @around
    def grow(self, x):
        self.weight = torch.cat([self.weight, x])
        return self.weight


m = kept(torch.ones(2))
n = never(torch.ones(2))  # fact: n = f32[5]
o = countdown(torch.ones(2))  # fact: o = f32[5]
worker = Worker()
p = worker.add(torch.ones(3, dtype=torch.float64))  # fact: p = f64[6]
q = worker.add(torch.ones(3), 2, scale=3)  # fact: q = f32[9]
r = worker.grow(torch.ones(1))  # fact: r = f32[8]
s = worker.weight  # fact: s = f32[4]
