import torch


w = torch.randn(3, requires_grad=True)
for step in range(3):
    loss = ((w - 1) ** 2).sum()
    (g,) = torch.autograd.grad(loss, [w])
    with torch.no_grad():
        w -= 0.1 * g
    w.grad = None
w.data.clamp_(-1, 1)
w.requires_grad_(False)
