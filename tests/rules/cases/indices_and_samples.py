"""Indices of tensors and embeddings, and random numbers in dtypes that have none."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Positions(nn.Module):
    def __init__(self, longest=512):
        super().__init__()
        self.table = nn.Embedding(longest, 8)
        self.types = nn.Embedding(2, 8)

    def forward(self, x):
        at = torch.arange(x.shape[1], device=x.device)
        kinds = torch.zeros_like(at)
        return self.table(at) + self.types(kinds)


def looked_up(x, tokens):
    Positions()(x)
    table = nn.Embedding(10, 4)
    table(tokens)
    table(torch.randint(0, 10, (3,)))
    table(torch.randint(1, 11, (3,)))  # expect: TL225
    table(torch.randint(0, 10, (3,)).float())  # expect: TL225
    table(torch.tensor([[3, 10]]))  # expect: TL225
    table(torch.tensor([3, 10])[:1])
    table(torch.tensor([3, 10]) - 1)
    table(torch.tensor([3, 10]) % 10)
    F.embedding(torch.tensor([-1]), table.weight)  # expect: TL225
    known = torch.tensor([3, -1])
    table(known[known >= 0])
    table(known.masked_fill(known < 0, 0))
    ids = torch.full((4,), -1)
    ids[0], ids[1:] = 3, 4
    table(ids)
    try:
        return table(torch.tensor([11]))
    except IndexError:
        return None


def indexed(x, index, rows):
    t = torch.arange(12).view(3, 4)
    t[torch.tensor([0.0, 1.0])]  # expect: TL229
    t[:, torch.linspace(0, 3, 2)]  # expect: TL229
    t[torch.tensor([1, 2]) / 2] = 0  # expect: TL229
    t[torch.from_numpy(np.array([0.0, 1.0]))]  # expect: TL229
    t[torch.tensor([1, 2]) // 2]
    t[torch.rand(3) > 0.5]
    t[torch.tensor([0, 1], dtype=torch.uint8).bool().nonzero()]
    t[index], t[rows.long()], t[torch.tensor(1)]
    return x[torch.rand(3).argsort()]


def sampled(x, weights, dtype):
    n = torch.arange(3)
    torch.rand(3, dtype=torch.long)  # expect: TL223
    torch.rand_like(n > 1)  # expect: TL223
    torch.zeros(3, dtype=torch.int32).normal_()  # expect: TL223
    torch.bernoulli(n)  # expect: TL223
    n.multinomial(2)  # expect: TL223
    torch.rand(3, dtype=dtype), torch.randn_like(x), torch.randn_like(n, dtype=dtype)
    torch.rand(3).mul(10).long(), torch.randperm(3), torch.rand_like(n.float())
    torch.multinomial(weights, 2), torch.bernoulli(n, 0.5)
    return torch.empty(3).uniform_(), n.clone().random_(4)


def written_in_place(x, n, weights):
    counts = torch.zeros(3, dtype=torch.long)
    counts += 1
    counts //= 2
    counts += weights
    counts += n
    counts.div_(2, rounding_mode="floor")
    counts[0] += 0.5  # expect: TL216
    torch.arange(3).div_(2)  # expect: TL216
    more = torch.arange(3)
    more += 0.5  # expect: TL216
    flags = torch.rand(3) > 0
    flags |= torch.rand(3) < 1
    flags &= True
    flags += 1  # expect: TL216
    halves = torch.zeros(3, dtype=torch.float16)
    halves += torch.ones(3)
    halves += torch.ones(3, dtype=torch.float64)
    total = 0
    total += torch.arange(3)
    total = total * 0.5
    total *= 0.5
    return counts, total
