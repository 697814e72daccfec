import os
import sys

import torch

try:
    import nonexistent_module_xyz as nx
except ImportError:
    nx = None

HAS = nx is not None
if sys.version_info < (3, 0):
    range = list
device = "cuda" if torch.cuda.is_available() else "cpu"
debug = os.environ.get("NOT_SET_ANYWHERE")
N = int(os.environ.get("NOT_SET_ANYWHERE_N", 3))


def load(path=None):
    if path:
        data = torch.load(path)
    else:
        data = {"w": torch.ones(2)}
    return data["w"]


def typed(x):
    if isinstance(x, torch.Tensor):
        return x.dim()
    elif isinstance(x, (int, float)):
        return 0
    elif isinstance(x, dict):
        return {k: typed(v) for k, v in x.items()}
    elif callable(x):
        return "f"
    return [typed(v) for v in x]


def by_dim(x):
    if x.ndim == 3:
        b, c, n = x.shape
    elif x.dim() == 2:
        (b, n), c = x.shape, 1
    else:
        raise ValueError
    return b * c * n


def narrow(x=None, y=None):
    if x is None and y is None:
        return 0
    if x is None:
        x = y
    z = x + 1
    return z


a = load()  # fact: a = f32[2]
b = typed(torch.ones(2, 3))
c = typed([1, torch.ones(2)])
d = typed({"k": 1.5})
e = by_dim(torch.ones(2, 3, 4))  # fact: e = 24
f = by_dim(torch.ones(2, 3))  # fact: f = 6
g = narrow(y=torch.ones(2))  # fact: g = f32[2]
h = narrow()
if nx:
    i = 1
else:
    i = "s"
if debug:
    j = torch.ones(1)
else:
    j = torch.ones(2)
k = torch.zeros(N)
l = list(range(3))
x = torch.ones(2, device=device)
m = x.device.type
if x.is_cuda:
    n = x.cpu()
else:
    n = x
assert n.shape == (2,)
o = n.numpy()
n2 = x.cpu() if x.is_cuda else x  # fact: n2 = f32[2]
n3 = x
if not x.is_cuda:
    n3 = x.clone()
else:
    n3 = n3.cpu()
o3 = n3.numpy()
p = 5 if not HAS else None
q = bool(debug) or N > 2
r = (debug or "default").upper()
s = not (N == 3)
t = N == 3 and "yes" or "no"
u = a is not None and a.shape[0]
v = [y for y in (1, None, 2) if y is not None]
w = len(v)
z = {**{"a": 1}, **({"b": 2} if debug else {})}
z1 = len(z)
with torch.no_grad() if debug else torch.enable_grad():
    z2 = torch.ones(2, requires_grad=True) * 2
