import torch


with torch.autograd.set_detect_anomaly(True):
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()
print(x.grad, x.grad_fn, x.is_leaf)
