"""Truth values of tensors, operators that bind too tight, conversions that nobody keeps; and code that only looks like it."""

import numpy as np
import pytest
import torch
from torch import nn

x = torch.randn(8, 4)
ids = torch.randint(0, 5, (8,))
mask = x > 0
one = torch.ones(1)

assert x.shape == (8, 4) and len(ids)
if x is None or one:
    x = x
if mask.any() and not mask.all():
    pass
picked = "a" if mask[0, 0] else "b"
picked = [row for row in x if row[0] > 0]
both = one and mask
either = mask or one  # expect: TL221
best = max(x, key=lambda row: row.sum())
if x == None or x == "text" or x == x.sum():  # expect: TL221
    pass
if x != "text" or x == x.sum():
    pass
while x.abs().sum() < 0:
    x = x * 2
found = ids in [torch.zeros(8)]  # expect: TL221
found = ids in [ids, ids]
found = 3 in ids
inside = 0 < ids[0] < 3
inside = 0 < ids < 3  # expect: TL221
with pytest.raises(RuntimeError):
    bool(mask)
array = np.ones(3)


def may_be_none(values, use=False):
    values = use and mask
    return values if values is not False else None


def asks_later(values):
    if isinstance(values, torch.Tensor) and values.dim() == 0:
        return bool(values)
    return bool(values.numel())


asks_later(mask)


class Flag:
    def __init__(self, tensor):
        self.tensor = tensor

    def __bool__(self):
        return bool(self.tensor.any())

    def to(self, device):
        self.tensor = self.tensor.to(device)


flag = Flag(mask)
if flag:
    flag.to("cpu")
if not Flag(mask):
    pass

odd = ids & 1 == 1
pair = (ids == 1) | (ids == 2)
pair = ids == 1 | ids == 2  # expect: TL220
late = mask & x > 0.5  # expect: TL220
bits = 5
if bits > 2 & 1:
    pass


def symbolic(a, b):
    a, b = a.permute(1, 0), b.permute(1, 0)
    return a == 1 & b == 2  # expect: TL220


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.register_buffer("table", torch.ones(2))

    def convert(self, device):
        self.body.to(device)
        self.to(device)
        self.table.to(device)  # expect: TL304 (info)
        moved = self.table.to(device)
        return moved.double()


def unseen(batch, device):
    batch.to(device)
    batch["x"].to(device)
    for item in batch:
        item.cuda()
    return batch


def timed(device):
    start = torch.ones(3)
    start.requires_grad_().cpu()
    start.to(device)  # expect: TL304
    torch.ones(3).to(device)
    start.to(torch.float32)
    return start


class Windows(torch.utils.data.Dataset):
    def __init__(self, rows, device):
        self.rows = torch.ones(8, 4)
        self.lengths = torch.ones(8)
        self.rows.to(device)  # expect: TL304 (info)
        self.lengths.to(torch.int64)  # expect: TL304

    def __getitem__(self, index):
        return self.rows[index], self.lengths[index]
