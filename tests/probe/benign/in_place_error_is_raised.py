import torch


x = torch.ones(2, requires_grad=True)
y = x.exp()
y += 1
try:
    y.sum().backward()
    raise AssertionError("no error")
except RuntimeError as e:
    assert "modified by an inplace operation" in str(e)
