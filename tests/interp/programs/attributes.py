import torch
import torch.nn as nn


class Config:
    scale = 1
    shape = (2, 3)

    def __init__(self, big=None):
        if big is not None and big.sum() > 0:
            self.scale = 2
        self.cache = None
        self.sizes = []

    def fill(self, x):
        self.cache = x
        self.sizes.append(x.shape[0])

    @property
    def doubled(self):
        return self.scale * 2

    @staticmethod
    def make(n):
        return torch.zeros(n)

    @classmethod
    def build(cls, n):
        made = cls()
        made.n = n
        return made

    def __len__(self):
        return 7

    def __getitem__(self, i):
        return torch.full((3,), float(i))

    def __call__(self, x):
        return x.unsqueeze(0)


a = Config(torch.ones(1))
s = a.scale
b = Config()
t = b.scale
shape = b.shape
x = torch.zeros(b.shape)  # fact: x = f32[2, 3]
b.fill(torch.ones(4))
cache = b.cache  # fact: cache = f32[4]
sizes = b.sizes
d = b.doubled
m = Config.make(4)  # fact: m = f32[4]
c = Config.build(5)
n = c.n
e = torch.zeros(c.n)  # fact: e = f32[5]
f = len(b)
g = b[1]  # fact: g = f32[3]
h = b(g)  # fact: h = f32[1, 3]
setattr(b, "dyn", torch.ones(2))
i = b.dyn  # fact: i = f32[2]
j = getattr(b, "missing", 3)
k = hasattr(b, "cache")
del b.cache
b.scale += 5
l = b.scale
Config.scale = 10
o = Config().scale
p = getattr(b, "dyn")
q = b.sizes[0]
b.other = a
a.scale = 33
r = b.other.scale
