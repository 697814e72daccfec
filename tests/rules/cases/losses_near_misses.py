"""What looks like a loss that is given the wrong values, and is none: mistakes are in the last functions alone."""


from distutils.version import LooseVersion

import torch
import torch.nn as nn
import torch.nn.functional as F


class A(nn.Module):
    def __init__(self, act=None, use_softmax=False):
        super().__init__()
        self.l = nn.Linear(4, 3)
        self.act = nn.Softmax(1) if use_softmax else nn.Identity()
    def forward(self, x):
        return self.act(self.l(x))
def a1(x, y):
    return F.cross_entropy(A()(x), y)
def a2(x, y, flag):
    m = A(use_softmax=flag)
    return F.cross_entropy(m(x), y)
class Base(nn.Module):
    def activate(self, x): return x.softmax(1)
    def forward(self, x): return self.activate(x)
class Child(Base):
    def activate(self, x): return x
def a3(x, y): return F.cross_entropy(Child()(x), y)
def a4(x, y):
    m = A(use_softmax=True)
    m.act = nn.Identity()
    return F.cross_entropy(m(x), y)
def a5(x, y):
    seq = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
    return F.cross_entropy(seq[0](x), y) + F.cross_entropy(seq[:-1](x), y)
def a6(x, y):
    seq = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
    seq[1] = nn.Identity()
    return F.cross_entropy(seq(x), y)
def a7(x, y):
    seq = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
    del seq[-1]
    return F.cross_entropy(seq(x), y)
def a8(x, y):
    seq = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1)); seq.pop(1)
    return F.cross_entropy(seq(x), y)
def a9(x, y, hooks):
    m = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
    feats = {}
    m[0].register_forward_hook(lambda mod, i, o: feats.update(o=o))
    m(x)
    return F.cross_entropy(feats["o"], y)
def b1(x, y):
    m = A(use_softmax=True)
    logits = m.l(x)
    return F.cross_entropy(logits, y)
def b2(x, y):
    m = nn.Linear(4, 1)
    with torch.no_grad():
        m.weight.fill_(0.1); m.bias.fill_(0)
    p = m(x)
    p = torch.where(p > 1, torch.ones_like(p), p)
    return F.binary_cross_entropy(p, y)
def b3(x, y):
    p = nn.Linear(4, 1)(x)
    p = p - p.min(); p = p / p.max()
    return F.binary_cross_entropy(p, y)
def b4(x, y):
    p = nn.Linear(4, 1)(x)
    p.sigmoid_()
    return F.binary_cross_entropy(p, y)
def b5(x, y):
    p = nn.Linear(4, 1)(x)
    torch.sigmoid(p, out=p)  # expect: TL423
    return F.binary_cross_entropy(p, y)
def b6(x, y):
    class BCELoss(nn.Module):
        def forward(self, a, b): return F.binary_cross_entropy_with_logits(a, b)
    return BCELoss()(nn.Linear(4, 1)(x), y)
class MyBCE(nn.BCELoss):
    def forward(self, a, b): return super().forward(a.sigmoid(), b)
def b7(x, y): return MyBCE()(nn.Linear(4, 1)(x), y)
class MyCE(nn.CrossEntropyLoss):
    def forward(self, a, b): return F.nll_loss(torch.log(a + 1e-8), b)
def b8(x, y): return MyCE()(nn.Linear(4, 3)(x).softmax(1), y)
class Sig(nn.Linear):
    def forward(self, x): return super().forward(x).sigmoid()
def b9(x, y): return F.binary_cross_entropy(Sig(4, 1)(x), y)
def c1(x, y):
    try:
        return F.cross_entropy(x, y.int())
    except RuntimeError:
        return F.cross_entropy(x, y)
def c2(n):
    labels = torch.zeros(n, dtype=torch.long)
    for i in range(n): labels[i] = i
    return F.cross_entropy(torch.randn(5, 3), labels)
def c3():
    labels = torch.full((5,), -1)
    torch.randint(0, 3, (5,), out=labels)
    return F.cross_entropy(torch.randn(5, 3), labels)
def c4():
    labels = torch.full((5,), -1); labels.random_(0, 3)
    return F.cross_entropy(torch.randn(5, 3), labels)
def c5():
    labels = torch.full((5,), -1); labels.data.fill_(2)
    return F.cross_entropy(torch.randn(5, 3), labels)
def c6(other):
    labels = torch.full((5,), -1); labels.copy_(other)
    return F.cross_entropy(torch.randn(5, 3), labels)
def c7(idx, src):
    labels = torch.full((5,), -1).scatter_(0, idx, src)
    l2 = torch.full((5,), -1).scatter(0, idx, src)
    l3 = torch.full((5,), -1).index_fill(0, idx, 1)
    l4 = torch.full((5,), -1).masked_scatter(idx > 0, src)
    x = torch.randn(5, 3)
    return F.cross_entropy(x, labels) + F.cross_entropy(x, l2) + F.cross_entropy(x, l3) + F.cross_entropy(x, l4)
def c8():
    labels = torch.full((5,), -1); arr = labels.numpy(); arr[:] = 2
    return F.cross_entropy(torch.randn(5, 3), labels)
def c9():
    labels = torch.tensor([1, 2, 3]); labels -= 1
    return F.cross_entropy(torch.randn(3, 3), labels)
def d1():
    labels = torch.tensor([1, 2, 3]); labels = labels % 3
    l2 = torch.tensor([1, 2, 3]) // 2; l3 = -torch.tensor([0, -1, -2]); l4 = torch.tensor([1, 2, 3]).remainder(3)
    x = torch.randn(3, 3)
    return F.cross_entropy(x, labels) + F.cross_entropy(x, l2) + F.cross_entropy(x, l3) + F.cross_entropy(x, l4) + F.cross_entropy(x, 3 - torch.tensor([1, 2, 3]))
def d2(w):
    labels = torch.tensor([0, 1, 5])
    valid = labels < 3
    return F.cross_entropy(torch.randn(3, 3)[valid], labels[valid])
def d3():
    t = torch.tensor([0, 1, 5])
    t = torch.stack([t[0], t[1]])
    return F.cross_entropy(torch.randn(2, 3), t)
def d4(big):
    t = torch.tensor([0, 1, 5]) if big else torch.tensor([0, 1, 2])
    return F.cross_entropy(torch.randn(3, 6 if big else 3), t)
def d5():
    t = torch.tensor([0, 1, 5])
    return F.cross_entropy(torch.randn(3, 6), t) + F.one_hot(t, 6).sum() + F.one_hot(t[:2], 2).sum()
def d6(xs):
    for t in torch.tensor([0, 1, 5]):
        if t < 3:
            F.cross_entropy(xs, t.view(1))
            F.one_hot(t, 3)
def d7(pred, n):
    y = torch.randn(n, 1)[:, 0]
    p = pred.unsqueeze(1)
    return F.mse_loss(p.expand(n, n), y.expand(n, n))
def d8(n):
    a = torch.randn(8, 1); b = torch.randn(8)
    if a.shape != b.shape:
        b = b.view_as(a)
    return F.mse_loss(a, b)
def d9():
    a = torch.randn(8, 1); b = torch.randn(8)
    if a.dim() == 2: a = a.squeeze(1)
    return F.mse_loss(a, b)
def e1(x):
    w = torch.ones(3); y = torch.randint(0, 3, (8,))
    c = nn.CrossEntropyLoss(w)
    return c(x, y)
def e2(cls, x, y):
    return cls(x, y)
e2(nn.MSELoss, None, None)
def e3(x, dim=None):
    dim = dim if dim is not None else -1
    return F.softmax(x, dim=dim)
e3(torch.ones(2, 3))
def e4(x, y):
    log_p = F.softmax(x, -1)
    log_p = log_p.clamp(1e-8).log_()
    return F.nll_loss(log_p, y)
def e5(x, y):
    p = F.softmax(x, -1); p.log_()
    return F.nll_loss(p, y) + F.kl_div(p, y, reduction="sum")
def e6(x, y):
    with torch.autocast("cuda", dtype=torch.float16):
        p = nn.Linear(4, 1)(x).sigmoid()
    return F.binary_cross_entropy(p.float().squeeze(1), torch.ones(8))
def e7(x, y):
    lam = 0.3
    p = lam * x.softmax(1) + (1 - lam) * y.softmax(1)
    q = p.softmax(1) if p.dim() == 3 else p
    return F.binary_cross_entropy(p, q)
def e8(x, y):
    out = F.softmax(x, 1)
    out = x
    return F.cross_entropy(out, y)
def e9(x, y):
    def inner():
        nonlocal x
        x = x.softmax(1)
    return F.cross_entropy(x, y)
def f1(x, y):
    return F.cross_entropy(torch.cat([x.softmax(1), x], 0), y)
def f2(x, y):
    k = x.sigmoid()
    k = torch.logit(k)
    return F.binary_cross_entropy_with_logits(k, y) + F.binary_cross_entropy_with_logits(x.sigmoid().logit(), y) + F.binary_cross_entropy_with_logits((x.sigmoid() - .5) * 8, y)
def wrong(x, y):
    return F.cross_entropy(A(use_softmax=True)(x), y)  # expect: TL205


def before_there_was_dim(x):
    if LooseVersion(torch.__version__) < LooseVersion("0.3"):
        return F.log_softmax(x)
    if torch.__version__ >= "0.4":
        return F.log_softmax(x)  # expect: TL228 (info)
    return F.log_softmax(x)


def before_something_newer(x, version):
    if LooseVersion(torch.__version__) < LooseVersion("2.3") or version < "0.3":
        return F.log_softmax(x)  # expect: TL228 (info)
    return F.log_softmax(x, 1)
