import torch


x = torch.ones(2, requires_grad=True)


@torch.no_grad()
def double(t):
    return t * 2


@torch.inference_mode()
def triple(t):
    return t * 3


with torch.no_grad():
    x += 1
with torch.set_grad_enabled(False):
    y = x * 2
with torch.enable_grad():
    z = (x * 2).sum()
z.backward()
print(double(x).requires_grad, triple(x).requires_grad, y.requires_grad, x.grad)
