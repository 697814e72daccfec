import torch
import torch.nn as nn


class Cache:
    def __init__(self):
        self.value = None
        self.hits = 0
        self.log = []

    def get(self, x, force=False):
        if self.value is not None and not force:
            self.hits += 1
            return self.value
        self.value = x * 2
        self.log.append(1)
        return self.value

    def maybe(self, flag):
        if flag:
            self.value = torch.ones(9).double()
            return 1
        return 0


def pick(x, how):
    if how == "sum":
        return x.sum()
    if how == "mean":
        return x.mean(0)
    for i in range(3):
        if x.shape[0] == i:
            return x[:1]
    return x


def search(rows, n):
    for i, row in enumerate(rows):
        for j, v in enumerate(row):
            if v == n:
                return i, j
    return None


def fail(msg):
    raise ValueError(msg)


def checked(x, ok):
    if not ok:
        fail("no")
    return x


def cleanup(x):
    out = x
    try:
        if x.sum() > 100:
            return out
        out = x.double()
        return out
    finally:
        out = None


a = Cache()
b = a.get(torch.ones(3))  # fact: b = f32[3]
c = a.get(torch.ones(4))
d = a.hits
e = a.get(torch.ones(5), force=True)
f = a.log
flag = torch.rand(1).item() > 2
g = a.maybe(flag)
h = a.value
i = pick(torch.ones(2, 3), "sum")  # fact: i = f32[]
j = pick(torch.ones(2, 3), "mean")  # fact: j = f32[3]
k = pick(torch.ones(2, 3), "none")
m = pick(torch.ones(7, 3), "none")
n = search([[1, 2], [3, 4]], 4)
o = search([[1]], 9)
p = checked(torch.ones(2), True)  # fact: p = f32[2]
q = cleanup(torch.ones(2))
x = torch.ones(2)
while True:
    x = torch.cat([x, x])
    if x.shape[0] > 10:
        break
y = x
count = 0
for i2 in range(50):
    if i2 % 2:
        continue
    count += 1
    last = i2
total = count
z = last
for a1 in range(3):
    for b1 in range(3):
        if b1 == 1:
            break
        inner = (a1, b1)
    outer = b1
w = outer
w2 = inner
