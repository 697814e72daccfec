import torch


def kind(x, mode="a"):
    if mode == "a":
        return x
    elif mode == "b":
        return x.double()
    else:
        raise ValueError(mode)


def matched(cmd, x):
    match cmd:
        case 0:
            return x
        case 1 | 2:
            return x.double()
        case (a, b):
            return x.reshape(a, b)
        case {"k": v}:
            return x + v
        case str():
            return x.long()
        case _:
            return None


def wild(cmd, x):
    match cmd:
        case 1 | int():
            return x.double()
        case _:
            return x


def narrow(x):
    if x is None:
        x = torch.zeros(3)
    if isinstance(x, (list, tuple)):
        x = torch.stack(list(x))
    if x.dim() == 1:
        x = x.unsqueeze(0)
    assert x.dim() == 2
    b, c = x.shape
    return x


def attempt(x):
    try:
        y = x.view(2, 3)
        y = y.double()
        bad = x.reshape(7)
        y = y.long()
    except RuntimeError:
        return y
    finally:
        z = 1
    return x


def guarded(x):
    xs = []
    try:
        xs.append(x)
        raise KeyError
    except KeyError:
        n = len(xs)
    else:
        n = 5
    return n


a = kind(torch.ones(2))  # fact: a = f32[2]
b = kind(torch.ones(2), mode="b")  # fact: b = f64[2]
c = matched(0, torch.ones(4))  # fact: c = f32[4]
d = matched(2, torch.ones(4))
e = matched((2, 2), torch.ones(4))
f = matched("s", torch.ones(4))
f2 = matched({"k": 2}, torch.ones(4))
g = wild(5, torch.ones(4))
h = narrow(None)  # fact: h = f32[1, 3]
i = narrow([torch.ones(3), torch.ones(3)])  # fact: i = f32[2, 3]
j = attempt(torch.ones(6))
k = guarded(1)
n = 0
while n < 5:
    n += 1
m = n
t = torch.ones(1)
while t.shape[0] < 8:
    t = torch.cat([t, t])
o = t
if (size := a.shape[0]) > 1:
    p = size
q = torch.ones(3) if size > 1 else torch.ones(4).double()  # fact: q = f32[3]
r = 1 < size < 3
s = a.shape[0] == 2 and a.dtype == torch.float32
u = None or torch.ones(2)
v = a if s else None
w = not s
x = [i for i in range(10) if i % 2]
y = (last := 5) + 1
z = [last := q for q in range(3)]
aa = last
ab = a.numel() > 0 or 1 / 0
