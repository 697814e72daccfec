import numpy as np
import torch
import torch.nn as nn
from einops import einsum, rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce


class Attention(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in self.qkv(x).chunk(3, dim=-1))
        weights = einsum(q, k, "b h i d, b h j d -> b h i j").softmax(dim=-1)
        out = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return rearrange(out, "b h n d -> b n (h d)")


class Patches(nn.Module):
    def __init__(self, size, channels=3, dim=64):
        super().__init__()
        self.net = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=size, p2=size),
            nn.Linear(size * size * channels, dim),
        )

    def forward(self, images):
        return self.net(images)


class WrongPatches(nn.Module):
    def __init__(self, size, dim=64):
        super().__init__()
        self.cut = Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=size, p2=size)
        self.linear = nn.Linear(size * size, dim)

    def forward(self, images):
        return self.linear(self.cut(images))  # expect: TL105


Attention()(torch.randn(2, 10, 32))
Attention(dim=24)(torch.randn(2, 10, 24))


def right(x, pattern, sizes):
    images = torch.randn(2, 3, 8, 8)
    rearrange(images, "b c h w -> b (c h w)") @ torch.ones(192, 4)
    rearrange(images, "b ... -> b (...)") @ torch.ones(192, 4)
    rearrange(images, "b c h w -> b h w c") @ torch.ones(3, 4)
    reduce(images, "b c (h 2) (w 2) -> b c h w", "max") + torch.ones(4, 4)
    reduce(images, "b c h w -> b c", "mean") @ torch.ones(3, 4)
    repeat(torch.ones(5), "d -> b d", b=3) @ torch.ones(5, 4)
    repeat(images, "b c h w -> b c (h 2) (w k)", k=3) + torch.ones(16, 24)
    rearrange(images, "b c (h p) (w q) -> (b h w) c p q", p=2, q=4).view(16, 3, 2, 4)
    rearrange(images, pattern) @ torch.ones(5, 5)
    rearrange(images, "b c (h p) w -> b c h w p", **sizes)
    rearrange(images, "b c (h p) w -> b c h w p", p=x)
    rearrange([images, images], "n b c h w -> b n c h w")
    rearrange(np.ones((2, 3)), "a b -> b a")
    rearrange(x, "b n d -> b d n") + rearrange(x, "b n d -> b n d")
    rearrange(x, "b 1 d -> b d")
    try:
        rearrange(images, "b c h -> b h c")
    except Exception:
        pass
    if images.dim() == 3:
        rearrange(images, "c h w -> h w c")


def wrong():
    images = torch.randn(2, 3, 8, 8)
    rearrange(images, "b h w -> b (h w)")  # expect: TL119
    rearrange(images, "b c (h p) w -> b c h w p", p=3)  # expect: TL119
    rearrange(images, "b c (h p) w -> b c h w p", h=3, p=3)  # expect: TL119
    rearrange(images, "b c (h p) w -> b c h w p")  # expect: TL119
    rearrange(images, "b c h w -> b c h")  # expect: TL119
    rearrange(images, "b c h w -> b c h w k")  # expect: TL119
    rearrange(images, "b c h w -> b c h w", c=4)  # expect: TL119
    rearrange(images, "b c h w -> b c h w", k=4)  # expect: TL119
    rearrange(images, "b b h w -> b h w")  # expect: TL119
    reduce(images, "b c h w -> b k", "mean")  # expect: TL119
    repeat(images, "b c h w -> b c h w r")  # expect: TL119
    rearrange(torch.ones(3, 2, 2), "b 1 c -> b c")  # expect: TL119
    einsum(torch.ones(2, 3), torch.ones(4, 5), "row inner, inner column -> row column")  # expect: TL119
    rearrange(images, "b c h w -> b (h w) c") @ torch.ones(5, 4)  # expect: TL105
    rearrange(images, "b c h w -> b h w c").view(2, 192)  # expect: TL101
    reduce(images, "b c h w -> b c", "mean") + torch.ones(4)  # expect: TL127
    Reduce("b c -> b", "mean")(images)  # expect: TL119


Patches(4)(torch.randn(2, 3, 8, 8))
WrongPatches(4)(torch.randn(2, 3, 8, 8))
