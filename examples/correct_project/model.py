"""A small transformer encoder over the samples of a window."""

import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        if dim % heads != 0:
            raise ValueError(f"dim {dim} is not divisible by {heads} heads")
        self.heads = heads
        self.scale = 1.0 / math.sqrt(dim // heads)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def split_heads(self, x):
        batch, steps, dim = x.shape
        return x.reshape(batch, steps, self.heads, dim // self.heads).transpose(1, 2)

    def merge_heads(self, x):
        batch, heads, steps, head_dim = x.shape
        x = x.permute(0, 2, 1, 3)
        return x.reshape(batch, steps, heads * head_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        weights = torch.softmax(q @ k.transpose(-2, -1) * self.scale, dim=-1)
        mixed = self.merge_heads(self.drop(weights) @ v)
        return self.proj(mixed)


class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, mlp_ratio=2, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attention = SelfAttention(dim, heads, dropout)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, mlp_ratio * dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(mlp_ratio * dim, dim),
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ActivityClassifier(nn.Module):
    def __init__(self, axes, classes, length=64, dim=48, heads=4, depth=2, dropout=0.1, stride=4):
        super().__init__()
        self.embed = nn.Conv1d(axes, dim, kernel_size=stride, stride=stride)
        self.position = nn.Parameter(torch.zeros(1, length // stride, dim))
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, dropout=dropout) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        nn.init.trunc_normal_(self.position, std=0.02)

    def forward(self, windows):
        x = self.embed(windows.transpose(1, 2)).transpose(1, 2)
        x = x + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(dim=1))


def build_model(config, axes, classes):
    return ActivityClassifier(
        axes,
        classes,
        length=config.length,
        dim=config.dim,
        heads=config.heads,
        depth=config.depth,
        dropout=config.dropout,
    )
