import torch
import torch.nn.functional as F
from torch import nn

import math


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(self.mask[:, :, :n, :n] == 0, float("-inf"))
        return self.proj((F.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(b, n, d))


print(Attention(8, 2)(torch.randn(2, 5, 8)).shape)
