"""Values that do not fit the dtype that they are written to, and code that only looks like it."""

import math

import torch
import torch.nn.functional as F
from torch import nn

counts = torch.zeros(4, dtype=torch.int32)
totals = torch.zeros(4)
index = torch.tensor([0, 1, 1])
ones = torch.ones(3, dtype=torch.long)
chosen = torch.tensor([True, False, True, False])
head = nn.Linear(4, 4)

totals.scatter_add_(0, index, ones)  # expect: TL224
torch.scatter_add(totals, 0, index, src=ones)  # expect: TL224
totals.index_put_((index,), ones)  # expect: TL224
totals[index] = ones  # expect: TL224
totals[chosen] = torch.tensor([1, 2])  # expect: TL224
totals.index_copy_(0, torch.tensor([0, 1, 2]), ones)  # expect: TL224
totals[:3] = ones
totals[index] = 1
totals.scatter_(0, index, 1)
totals.scatter_add_(0, index, ones.to(totals))
totals.scatter_add_(0, index, ones.type_as(totals))
totals.index_add_(0, index, ones.float(), alpha=2)
totals.scatter_(0, torch.zeros(0, dtype=torch.long), torch.zeros(0))


def summed(values, places):
    out = torch.zeros(8)
    return out.index_add_(0, places, values)


def summed_as(values, places, like):
    out = torch.zeros(8, dtype=values.dtype)
    return out.scatter_add(0, places, values)


def tried(values):
    try:
        return totals.scatter_add(0, index, ones)
    except RuntimeError:
        return totals.scatter_add(0, index, ones.float())


with torch.autocast("cpu"):
    torch.zeros(4).index_add_(0, index, ones.float())

counts[0] = 0.5  # expect: TL217
counts[-1] = -1.25  # expect: TL217
counts[1:3] = torch.rand(2)  # expect: TL217
counts[:] = F.softmax(totals, dim=0)  # expect: TL217
counts[:] = head(totals).detach()  # expect: TL217
counts[:2] = counts[:2] / 3  # expect: TL217
counts[0] = 3.0
counts[0] = math.floor(2.5)
counts[0] = round(2.5)
counts[:] = totals
counts[:] = torch.ones(4)
counts[:2] = torch.div(counts[:2], 3, rounding_mode="floor")
counts[:] = torch.rand(4).mul(9).floor()
counts[:] = (torch.rand(4) > 0.5).float()
totals[0] = 0.5
chosen[0] = 0.5


def from_outside(values, rate: float):
    table = torch.zeros(3, dtype=torch.long)
    table[0] = rate
    table[1] = values[0]
    table[2] = values.mean().item()
    return table


def one_of_both(flag):
    value = 0.5 if flag else 1
    table = torch.zeros(3, dtype=torch.long) if flag else torch.zeros(3)
    table[0] = 0.5
    counts[0] = value
    return table


old = torch.tensor([1, 0, 1, 0], dtype=torch.uint8)
totals[old]  # expect: TL222
totals[~old]  # expect: TL222
totals[old] = 0  # expect: TL222
torch.ones(4, 2)[old, 0]  # expect: TL222
totals[old.bool()]
totals[old == 1]
totals[old > 0] = 0
totals[old.long()]
totals[~chosen]
[10, 20][old[0]]
~old & 1
old[1:3]
old[chosen]


def looked_up(table, image):
    return table[image], table[image.byte().long()]


((head(totals) + 1) * 127.5).byte()  # expect: TL227
(torch.randn(3, 8, 8) * 255).to(torch.uint8)  # expect: TL227
torch.full((3,), 300.0).to(torch.uint8)  # expect: TL227
torch.tensor([-2.0, 4.0]).type(torch.uint8)  # expect: TL227
(torch.rand(8) * 510).to(device="cpu", dtype=torch.uint8)  # expect: TL227
(torch.rand(8) * 255).to(torch.uint8)
torch.linspace(0, 255, 256).to(torch.uint8)
torch.tensor([0.0, 255.9]).to(torch.uint8)
head(totals).sigmoid().mul(255).byte()
head(totals).clamp(0, 1).mul(255).byte()
head(totals).mul(255).round().clamp_(0, 255).byte()
head(totals).abs().byte()
head(totals).softmax(0).argmax().byte()
(head(totals) > 0).byte()
(head(totals) * 255).to(torch.int16)
(head(totals) * torch.sigmoid(totals)).byte()


def saved(image, mean, std):
    return ((image * std + mean) * 255).byte()


def normalised(values):
    values = head(values)
    values = (values - values.min()) / (values.max() - values.min())
    return (values * 255).byte()
