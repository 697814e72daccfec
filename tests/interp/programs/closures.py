import torch

y = torch.zeros(9)


def make(flag):
    if flag:
        y = torch.ones(2)
    else:
        y = torch.ones(3)

    def inner():
        return y * 2

    return inner


def early(flag, x):
    def inner():
        return z + 1

    if flag:
        z = x
        return inner
    z = x.double()
    return inner


def counter():
    count = 0
    seen = []

    def add(t):
        nonlocal count
        count += 1
        seen.append(t)
        return count

    add(torch.ones(1))
    n = add(torch.ones(2))
    held = len(seen)
    return n


g = make(y.sum() > 3)
a = g()
k = early(y.sum() > 3, torch.ones(4))
b = k()
c = counter()
fs = []
for i in range(3):
    fs.append(lambda: torch.zeros(i + 1))
d = fs[0]()
gs = []
for i in range(3):
    gs.append(lambda i=i: torch.zeros(i + 1))
e = gs[0]()
width = 3


def wide(n=width):
    return torch.zeros(n)


width = 5
f = wide()  # fact: f = f32[3]
h = (lambda q, r=2: q.repeat(r))(torch.ones(2))  # fact: h = f32[4]


def accumulate(t, acc=[]):
    acc.append(t)
    return len(acc)


one = accumulate(a)
two = accumulate(a)
compose = lambda f, g: lambda x: f(g(x))
m = compose(torch.relu, lambda t: t.unsqueeze(0))(torch.ones(3))  # fact: m = f32[1, 3]


def outer(x):
    def helper(v):
        return v.reshape(v.shape[0], -1)

    return helper(x), helper(x.transpose(0, 1))


p, q = outer(torch.ones(2, 3, 4))  # fact: p = f32[2, 12]
