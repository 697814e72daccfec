from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import NamedTuple

import torch
import torch.nn as nn

Pair = namedtuple("Pair", ["x", "y"])


class Triple(NamedTuple):
    a: torch.Tensor
    b: int = 2

    def total(self):
        return self.a.sum() + self.b


def two():
    return torch.ones(2), torch.ones(3)


def three():
    a, b = two()
    return a, b, torch.ones(4)


def nested():
    return three(), {"k": two()}


def chain():
    return nested()


(a, b, c), d = chain()  # fact: c = f32[4]
e, f = d["k"]  # fact: f = f32[3]
p = Pair(torch.ones(2), 5)
g = p.x
h, i = p
t = Triple(torch.ones(2))
j = t.b
k = t.total()
m = OrderedDict([("fc1", nn.Linear(4, 8)), ("relu", nn.ReLU()), ("fc2", nn.Linear(8, 2))])
net = nn.Sequential(m)
n = net(torch.ones(3, 4))
o = net.fc1 if hasattr(net, "fc1") else None
dd = defaultdict(list)
dd["a"].append(torch.ones(2))
q = len(dd["a"])
r = len(dd)
dq = deque(maxlen=2)
for z in range(5):
    dq.append(z)
s = len(dq)
u = (1, 2) + (3,)
v = u[-1]
w = (torch.ones(1),) * 3
x = torch.cat(w)  # fact: x = f32[3]
y = torch.max(torch.ones(2, 3), dim=1)
z1 = y.values  # fact: z1 = f32[2]
z2, z3 = y
z4 = y[1]  # fact: z4 = i64[2]
first, *mid, last = [1, 2, 3, 4]
l5 = len(mid)
(x1, y1), z5 = (torch.ones(1), torch.ones(2)), 3
a2 = b2 = torch.zeros(4)
a2 += 1
c2 = b2
lst = [torch.ones(2)]
lst2 = lst
lst2.append(torch.ones(3))
n2 = len(lst)
cp = lst.copy()
cp.append(1)
n3 = len(lst)
cp2 = list(lst)
cp2.pop()
n4 = len(lst)
sl = lst[:]
sl.clear()
n5 = len(lst)
x3, y3 = zip(*[(torch.ones(1), 1), (torch.ones(2), 2)])
n6 = len(x3)
st = {1, 2, 3}
n7 = len(st)
x4 = lst[0] if lst else None
es = sorted({"b": 1, "a": 2}.items())
k2, v2 = es[0]
