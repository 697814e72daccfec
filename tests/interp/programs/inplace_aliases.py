import torch


class Holder:
    def __init__(self, t):
        self.t = t
        self.items = [t]


def grow(t):
    t.unsqueeze_(0)


def flat(v):
    v.resize_(6)
    return v


x = torch.ones(2, 3)
h = Holder(x)
pair = (x, 1)
d = {"x": x}
x.unsqueeze_(0)
a = h.t
b = h.items[0]
c = pair[0]
e = d["x"]
y = torch.ones(4)
grow(y)
f = y
z = torch.ones(2, 3)
g = flat(z)
i = z
w = torch.ones(3)
ws = [w]
w.requires_grad_()
j = ws[0]
k = w * 2  # fact: k = f32[3] grad
m = torch.ones(2, 3)
n = m.t()
m.t_()
o = m
p = torch.zeros(3)
p += w
q = p
r = torch.zeros(2, 2)
s = r[0]
s.add_(1)
t = r
u = torch.ones(2, 3, 4)
u.transpose_(0, 2)
v = u
data = torch.ones(2)
data.data = torch.zeros(5)
after = data
l1 = [torch.ones(1)] * 2
l1[0].unsqueeze_(0)
l2 = l1[1]
lists = [[]] * 2
lists[0].append(1)
n2 = len(lists[1])
one, two = torch.ones(2, 3), torch.ones(4, 5)
for t1 in (one, two):
    rows, cols = t1.shape
    for t2 in (one, two):
        r2, c2 = t2.shape
base = torch.ones(3)
same = base.to(torch.float32)
other = torch.ones(3)
same.unsqueeze_(0)
after2 = base
untouched = other  # fact: untouched = f32[3]
