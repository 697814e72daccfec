# calls: not all followed
import argparse
import math
from collections.abc import Iterable
from pathlib import Path

import torch
import torch.nn as nn
from torch import Tensor, optim


class Generator(nn.Module):
    def __init__(self, nz: int, ngf: int = 8, nc: int = 1):
        super().__init__()

        def block(i, o, normalize=True):
            layers = [nn.Linear(i, o)]
            if normalize:
                layers.append(nn.BatchNorm1d(o))
            layers.append(nn.LeakyReLU(0.2))
            return layers

        self.model = nn.Sequential(*block(nz, ngf, normalize=False), *block(ngf, 2 * ngf), nn.Linear(2 * ngf, nc * 16))
        self.shape = (nc, 4, 4)

    def forward(self, z: Tensor) -> Tensor:
        img = self.model(z)
        return img.view(img.size(0), *self.shape)


class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        assert dim % heads == 0
        self.h, self.d = heads, dim // heads
        self.scale = self.d**-0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)))

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.h, self.d).permute(2, 0, 3, 1, 4).unbind(0)
        att = (q @ k.transpose(-2, -1)) * self.scale
        att = att.masked_fill(self.mask[:N, :N] == 0, float("-inf")).softmax(dim=-1)
        out = (att @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(out)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class Gpt(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.zeros(1, cfg.block, cfg.dim))
        self.blocks = nn.Sequential(*[Block(cfg.dim) for _ in range(cfg.layers)])
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, idx, targets=None):
        b, t = idx.size()
        x = self.tok(idx) + self.pos[:, :t]
        logits = self.head(self.blocks(x))
        if targets is None:
            return logits, None
        loss = nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -16:])
            nxt = logits[:, -1, :].argmax(-1, keepdim=True)
            idx = torch.cat((idx, nxt), dim=1)
        return idx


parser = argparse.ArgumentParser()
parser.add_argument("--vocab", type=int, default=11)
parser.add_argument("--dim", type=int, default=8)
parser.add_argument("--block", type=int, default=16)
parser.add_argument("--layers", type=int, default=2)
cfg = parser.parse_args([])
g = Generator(5)
d = nn.Sequential(nn.Flatten(), nn.Linear(16, 1), nn.Sigmoid())
opt_g, opt_d = optim.Adam(g.parameters()), optim.Adam(d.parameters(), lr=1e-3)
bce = nn.BCELoss()
for step in range(2):
    z = torch.randn(6, 5)
    fake = g(z)  # fact: fake = f32[6, 1, 4, 4] grad
    real = torch.rand(6, 1, 4, 4)
    loss_d = bce(d(real), torch.ones(6, 1)) + bce(d(fake.detach()), torch.zeros(6, 1))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = bce(d(fake), torch.ones(6, 1))  # fact: loss_g = f32[] grad
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
block = Block(8)
y = block(torch.ones(2, 5, 8))  # fact: y = f32[2, 5, 8] grad
net = Gpt(cfg)
idx = torch.randint(0, 11, (3, 7))
logits, none = net(idx)
out, loss = net(idx, idx)
more = net.generate(idx, 3)
params = [p for p in net.parameters() if p.requires_grad]
groups = [{"params": d.parameters(), "lr": 0.1}, {"params": g.parameters()}]
opt = optim.SGD(groups, lr=0.01)
ema = {k: t.clone() for k, t in d.state_dict().items()}
for k, t in d.state_dict().items():
    ema[k].mul_(0.9).add_(t, alpha=0.1)
norm = torch.sqrt(sum(p.grad.norm() ** 2 for p in d.parameters() if p.grad is not None))
lr = 0.5 * (1 + math.cos(math.pi * 1 / 10))
