import copy

import torch
import torch.nn as nn


class Enc(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.n = n

    def forward(self, x):
        return self.lin(x)


class Wrap(nn.Module):
    def __init__(self, enc, head):
        super().__init__()
        self.enc = enc
        self.head = head
        self.backup = copy.deepcopy(enc)

    def forward(self, x):
        return self.head(self.enc(x))

    def swap(self, head):
        self.head = head
        return self


def apply(model, x, fn=None):
    out = model(x)
    return fn(out) if fn else out


def freeze(m):
    for p in m.parameters():
        p.requires_grad = False
    return m


def to_half(m):
    m.double()


enc = Enc(4)
a = Wrap(enc, nn.Linear(4, 2))
b = Wrap(enc, nn.Linear(4, 3))
x = torch.ones(5, 4)
c = a(x)  # fact: c = f32[5, 2] grad
d = b(x)  # fact: d = f32[5, 3] grad
e = apply(a, x, torch.sigmoid)  # fact: e = f32[5, 2] grad
f = apply(b, x)  # fact: f = f32[5, 3] grad
enc.lin = nn.Linear(4, 4, bias=False)
g = a(x)
a.head = nn.Linear(4, 7)
h = a(x)  # fact: h = f32[5, 7] grad
i = a.swap(nn.Linear(4, 9))(x)  # fact: i = f32[5, 9] grad
to_half(enc)
j = enc(x.double())  # fact: j = f64[5, 4] grad
k = a.enc.lin.weight
l = a.backup.lin.weight
freeze(enc)
m = enc(x.double())
n = enc.lin.weight.requires_grad
o = b.head.weight.requires_grad
p = copy.deepcopy(b)
p.head.double()
q = b.head.weight.dtype
r = enc is a.enc
s = nn.Sequential(enc, b.head)
t = s[0].n
models = [Enc(2), Enc(3)]
u = [mod(torch.ones(1, mod.n)) for mod in models]
v = u[1]  # fact: v = f32[1, 3] grad
models[0].n = 77
w = models[0].n
y = models[1].n
for mod in models:
    mod.eval()
z = models[1].training
by_name = {"a": Enc(2), "b": Enc(6)}
z1 = by_name["b"](torch.ones(1, 6))  # fact: z1 = f32[1, 6] grad
z2 = sum(p.numel() for p in enc.parameters())
z3 = next(enc.parameters())
z4 = list(enc.children())
z5 = dict(enc.named_parameters())
emb = nn.Embedding(10, 4)
dec = nn.Linear(4, 10, bias=False)
dec.weight = emb.weight
z6 = dec(emb(torch.tensor([1, 2])))  # fact: z6 = f32[2, 10] grad
enc.train(False)
z7 = a.enc.training
a.train()
z8 = enc.training
