"""Reductions that give indices take one dim: a tuple is a TypeError, so nothing after it is reached."""

import torch

x = torch.randn(2, 3, 1, 4, 3, 3)
try:
    values, _ = x.max(dim=(4, 5), keepdim=True)
    values.view(2, 3, 6, 6)
except TypeError:
    pass

values, _ = x.max(dim=4, keepdim=True)
values.view(2, 3, 6, 6)  # expect: TL102
