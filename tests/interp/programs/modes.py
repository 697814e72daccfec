import torch
import torch.nn as nn

w = torch.ones(3, requires_grad=True)


def early(x, flag):
    with torch.no_grad():
        if flag:
            return x * 2
        y = x * 3
    return x * 4


def looked(xs):
    for x in xs:
        with torch.no_grad():
            h = x * 2
            if h.sum() > 0:
                break
    return h


@torch.no_grad()
def frozen(x):
    return x * 2


def switch_off():
    torch.set_grad_enabled(False)


a = early(w, w.sum() > 100)
b = w * 2  # fact: b = f32[3] grad
c = looked([w, w])
d = w * 2  # fact: d = f32[3] grad
e = frozen(w)  # fact: e = f32[3]
f = w * 2  # fact: f = f32[3] grad
try:
    with torch.no_grad():
        raise ValueError
except ValueError:
    pass
g = w * 2
with torch.no_grad():
    h = w * 2  # fact: h = f32[3]
    with torch.enable_grad():
        i = w * 2  # fact: i = f32[3] grad
    j = w * 2
k = w * 2  # fact: k = f32[3] grad
for step in range(3):
    with torch.no_grad():
        if step == 1:
            continue
        inner = w * 2
l = w * 2  # fact: l = f32[3] grad
switch_off()
m = w * 2
torch.set_grad_enabled(True)
n = w * 2  # fact: n = f32[3] grad
if w.sum() > 100:
    torch.set_grad_enabled(False)
o = w * 2
with torch.set_grad_enabled(False):
    p = w * 2  # fact: p = f32[3]
with torch.inference_mode():
    q = torch.ones(2) * 2
