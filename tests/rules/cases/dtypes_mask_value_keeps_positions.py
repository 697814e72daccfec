"""Programs about TL236 mask-value-keeps-positions: what is found, and near misses."""

import math

import torch
from torch import nn
from torch.nn import functional as F

NOTHING = float("inf")


class Pointer(nn.Module):
    def __init__(self, width, fill=float("Infinity")):
        super().__init__()
        self.score = nn.Linear(width, 1)
        self.fill = fill

    def forward(self, x, taken):
        scores = self.score(x).squeeze(-1)
        scores[taken] = self.fill
        return F.log_softmax(scores, dim=-1)  # expect: TL236


Pointer(8)(torch.randn(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool))


def fill(scores: torch.Tensor, mask: torch.Tensor, value: float):
    a = torch.softmax(scores.masked_fill(mask, NOTHING), -1)  # expect: TL236
    b = nn.Softmax(dim=-1)(torch.where(mask, NOTHING, scores))  # expect: TL236
    c = torch.where(mask, scores, NOTHING).softmax(-1)  # expect: TL236
    d = F.softmax(scores.masked_fill(mask, 1e-10), dim=-1)  # expect: TL236
    e = F.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
    f = F.softmax(scores.masked_fill(mask, -NOTHING), dim=-1)
    g = F.softmax(scores.masked_fill(mask, 0.0), dim=-1)  # ok: a score like any other
    h = F.softmax(scores.masked_fill(mask, value), dim=-1)
    i = F.softmax(torch.where(mask, scores, 1e-9), dim=-1)  # ok: may be no mask
    j = scores.masked_fill(mask, NOTHING).argmin(-1)
    k = (1 / scores.masked_fill(mask, NOTHING)).softmax(-1)
    l = F.softmax(scores.masked_fill(mask, float("-Infinity")), dim=-1)
    return a, b, c, d, e, f, g, h, i, j, k, l
