"""What a mask writes through .data is 0 after softmax, and so is its gradient; random bytes are random in any case."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.fill = -float("inf")
        self.key = nn.Linear(4, 4)

    def forward(self, x, mask):
        scores = self.key(x)
        scores.data.masked_fill_(mask, -float("inf"))  # expect: TL407 (info)
        return F.softmax(scores, dim=-1)

    def with_own_number(self, x, mask):
        scores = self.key(x)
        scores.data.masked_fill_(mask == 0, self.fill)  # expect: TL407 (info)
        return F.softmax(scores, dim=-1)

    def with_small_number(self, x, mask):
        scores = self.key(x)
        scores.data.masked_fill_(mask, value=-1e9)  # expect: TL407 (info)
        return F.softmax(scores, dim=-1)

    def with_text(self, x, mask):
        scores = self.key(x)
        scores.data.masked_fill_(mask, float("-inf"))  # expect: TL407 (info)
        return F.softmax(scores, dim=-1)

    def with_a_score(self, x, mask):
        scores = self.key(x)
        scores.data.masked_fill_(mask, -1.0)  # expect: TL407
        return F.softmax(scores, dim=-1)

    def everywhere(self, x):
        scores = self.key(x)
        scores.data.fill_(-1e9)  # expect: TL407
        return F.softmax(scores, dim=-1)


def bits():
    torch.randn(3, 4).to(torch.uint8)  # expect: TL227 (info)
    noise = torch.randn(3, 4) * 20 + 128
    return noise.to(torch.uint8)  # expect: TL227
