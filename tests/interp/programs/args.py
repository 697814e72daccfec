import torch


def total(*xs, scale=1.0):
    n = len(xs)
    return torch.stack(xs).sum(0) * scale


def options(x, **kw):
    dim = kw.get("dim", 0)
    keep = kw.pop("keepdim", False)
    return x.sum(dim=dim, keepdim=keep)


def forward(f, *args, **kwargs):
    return f(*args, **kwargs)


def many(a, b, /, c, *, d=4, **rest):
    return torch.zeros(a, b, c, d), len(rest)


def default(x, y=None, z=True):
    if y is None:
        y = x
    return y if z else x.double()


a = total(torch.ones(2), torch.ones(2))  # fact: a = f32[2]
b = options(torch.ones(2, 3), dim=1)  # fact: b = f32[2]
c = options(torch.ones(2, 3), dim=1, keepdim=True)  # fact: c = f32[2, 1]
d = forward(torch.reshape, torch.ones(6), (2, 3))  # fact: d = f32[2, 3]
e = forward(options, torch.ones(2, 3), dim=0)  # fact: e = f32[3]
f, g = many(1, 2, 3, extra=5)  # fact: f = f32[1, 2, 3, 4]
h = default(torch.ones(2))  # fact: h = f32[2]
i = default(torch.ones(2), z=False)  # fact: i = f64[2]
args = (torch.ones(2), torch.ones(2))
j = total(*args)  # fact: j = f32[2]
kw = {"dim": 1}
k = options(torch.ones(2, 3), **kw)
kw["keepdim"] = True
l = options(torch.ones(2, 3), **kw)
m = total(*[torch.ones(3) for _ in range(4)], scale=2.0)  # fact: m = f32[3]


def swap(x, y):
    return y, x


n, o = swap(torch.ones(1), torch.ones(2))
p, (q, r) = torch.ones(3), swap(torch.ones(1), torch.ones(2))
s = swap(1, 2)[0]
t, u = u2 = swap(3, 4)


def optional(x, flag):
    out = [x]
    if flag:
        out.append(x)
    if len(out) > 1:
        return tuple(out)
    return out[0]


v = optional(a, False)
w = optional(a, True)
x = optional(a, a.sum() > 100)
