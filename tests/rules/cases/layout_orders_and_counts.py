"""Sizes in another order, parts that are counted, and batches of one: near misses of TL104, TL111 and TL112."""

import torch
from torch import nn


def orders(x, heads: int, first, second):
    b, n, d = x.shape
    x.view(b, n, d)
    x.view(n, b, -1).shape  # expect: TL104
    x.view(b * n, d)
    x.view(n, -1).shape  # expect: TL104 (info)
    x.view(d, -1)  # expect: TL104
    x.view(b, n, heads, -1).transpose(1, 2).reshape(b, n, d)  # expect: TL104
    x.view(b, n, heads, -1).transpose(1, 2).transpose(1, 2).reshape(b, n, d)
    x.view(first, second, d)
    x.unsqueeze(1).view(b, n, 1, d)
    x.transpose(0, 1).reshape(n, b, d)
    x.permute(0, 2, 1).reshape(b, n, d)  # expect: TL104
    square = torch.zeros(b, n, n)
    square.view(b, n, n)
    numbers = torch.zeros(4, 8)
    rows, columns = 8, 4
    numbers.view(rows, columns)
    numbers.view(8, 4)
    numbers.view(-1, 4)
    numbers.view(-1, columns)
    numbers.view(numbers.shape[1], numbers.shape[0])  # expect: TL104
    torch.zeros(n, d).cos().view(1, 1, d, n)  # expect: TL104 (info)
    boxes = torch.zeros(b, 12, n)
    boxes.view(b, -1, 12)
    boxes.view(b, n, 12)  # expect: TL104
    other = torch.zeros(d, n)
    x[0].view(other.shape)  # expect: TL104
    x[0].view_as(other)


def meanings(x, image: torch.Tensor, heads: int = 8, groups: int = 1):
    b, n, d = x.shape
    x.view(b, n, heads, d // heads)
    x.view(b, groups, n, d // groups)  # one group by default
    x.view(b, heads, n, d // heads)  # expect: TL104
    height, width = 4, 6
    x.view(b, height, width, d).permute(0, 3, 1, 2)
    rows = image.shape[2]
    batch, c, h, w = image.shape
    image.view(batch, c, rows, w)
    image.view(batch, groups, c // groups, h, w).transpose(1, 2).reshape(batch, c, h, w)
    image.view(batch, heads, c // heads, h, w)  # heads * (c // heads) is c
    image.flatten(2).view(batch, c, h, w)
    image.view(batch, h * w, c)  # expect: TL104
    states = nn.LSTM(d, 16)(x)[1][0]
    states.view(n, -1)  # one layer
    other = torch.zeros(b, 2, d)
    again, _, _ = other.shape
    x.view(again, n, d)
    return states


def known_to_be_one(x, tokens):
    n, length, hidden = x.shape
    if n != 1:
        raise ValueError
    side = int((length - 1) ** 0.5)
    x[:, 1:].permute(0, 2, 1).reshape(1, hidden, side, side)
    batch, _, steps, _ = tokens.shape
    shape = (batch, steps, -1, 16)
    return nn.Linear(8, 64)(tokens).view(shape)


def asked(x):
    y = x.permute(0, 2, 1)
    y.reshape(x.size(0), x.size(2), x.size(1))
    return x.view(x.size(0), x.size(2), x.size(1))  # expect: TL104


def counted(x: torch.Tensor, n: int, flag: bool):
    a, b = torch.arange(6).chunk(2)
    a, b = torch.arange(6).chunk(n)
    a, b, c = x.chunk(3)
    parts = torch.arange(5).chunk(4)
    a, b, c = parts
    a, b = parts  # expect: TL111
    a, b = torch.arange(6).split(4 if flag else 3)
    a, *b = torch.arange(5).split(2)
    for a, b in zip(torch.arange(5).chunk(4), parts):
        pass
    a, b, c = torch.arange(12).view(3, 4)
    k, v = nn.Linear(4, 9)(torch.zeros(2, 4)).chunk(4, -1)  # expect: TL111
    return a, b, c, k, v


class Parts:
    def chunk(self, count):
        return [1, 2]


def own_parts():
    a, b = Parts().chunk(3)
    return a, b


def squeezed(x, n: int):
    b, c, h, w = x.shape
    x.squeeze()
    x.mean((2, 3)).squeeze()
    x.mean((2, 3), keepdim=True).squeeze(-1).squeeze(-1)
    x.mean(1, keepdim=True).squeeze(1)
    torch.zeros(1, 1, 4, 4).squeeze()
    torch.zeros(1, 1, 1).squeeze()
    torch.zeros(8, 1).squeeze()
    torch.zeros(1, 8).squeeze()
    torch.zeros(n).squeeze()
    x.sum((1, 2, 3)).squeeze()
    x.mean((2, 3), keepdim=True).squeeze()  # expect: TL112
    torch.squeeze(torch.zeros(b, 1))  # expect: TL112


def relative_shift(scores: torch.Tensor, shift: int, context: int):
    b, h, q, r = scores.shape
    scores = torch.reshape(scores, [b, h, r, q])
    scores = scores[:, :, shift:, :]
    scores = torch.reshape(scores, [b, h, q, r - shift])
    return scores[..., :context]


def relative_shift_at_once(scores: torch.Tensor):
    b, h, q, r = scores.shape
    return scores.view(b, h, r, q)[:, :, 1:].view(b, h, q, r - 1)


def cut_but_not_shifted(scores: torch.Tensor, context: int):
    b, h, q, r = scores.shape
    scores = scores.reshape(b, h, r, q)  # expect: TL104
    return scores[..., :context]


def packed_for_a_kernel(cache: torch.Tensor, plain: torch.Tensor, width: int):
    blocks, size, heads, dim = cache.shape
    packed = 16 // cache.element_size()
    cache.view(blocks, heads, dim // packed, size, packed)
    blocks, size, heads, dim = plain.shape
    return plain.view(blocks, heads, dim // width, size, width)  # expect: TL104


class BlockMask(nn.Module):
    def __init__(self, rows: int, columns: int, dim: int):
        super().__init__()
        mask = torch.eye(dim).unsqueeze(-1).repeat(1, rows // dim, columns // dim)
        self.mask = mask.view(rows, columns)


class Blocks(nn.Module):
    def __init__(self, dim: int, factor: int):
        super().__init__()
        self.first = BlockMask(dim * factor, dim, dim)


def state_of(layer):
    state = layer.cache[1]
    slots, heads, values, keys = state.size()
    return state.view(slots, heads, keys, values)


def first_of(self, pairs):
    state = pairs[1]
    slots, heads, values, keys = state.size()
    return state.view(slots, heads, keys, values)  # expect: TL104


def shifted_by_its_padded_sizes(scores):
    padded = torch.nn.functional.pad(scores, (1, 0))
    b, h, q, k = padded.shape
    return padded.reshape(b, h, k, q)[:, :, 1:, :]


def shifted_by_zeros_beside(scores):
    b, h, q, k = scores.shape
    padded = torch.cat([torch.zeros(b, h, q, 1), scores], dim=-1)
    b, h, q, k = padded.shape
    return padded.view(b, h, k, q)[:, :, 1:]


def put_together_and_scrambled(scores: torch.Tensor):
    b, h, q, k = scores.shape
    both = torch.cat([scores, torch.rand(b, h, q, k)], dim=-1)
    b, h, q, k = both.shape
    return both.view(b, h, k, q)  # expect: TL104


def sizes_asked(x):
    logits = torch.randn(4, 3)
    logits.shape[-2], logits.shape[1]
    if x.dim() == 3:
        x.shape[2]
    return logits.shape[2]  # expect: TL122


class Relative(nn.Module):
    """A column more, and the rows shift against each other."""

    def __init__(self, length):
        super().__init__()
        self.length = length
        self.zeros = nn.Parameter(torch.zeros(1, length, 1))
        self.keys = nn.Parameter(torch.zeros(4, length))

    def forward(self, q):
        n = q.size(0)
        scores = torch.cat((self.zeros.expand(n, -1, -1), q.matmul(self.keys)), 2)
        return scores.view(n, self.length + 1, self.length)[:, 1:]


def columns(x):
    """The same row again and again is in any order."""
    b, c, h, w = x.shape
    rows = torch.arange(0.0, w).repeat(h, b).view(b, 1, h, w)
    return rows + torch.zeros(h, b * w).view(b, 1, h, w)  # expect: TL104


def resized(video: torch.Tensor):
    B, C, T, H, W = video.shape
    images = nn.functional.interpolate(video.reshape(B * T, C, H, W), size=(8, 8))  # expect: TL104
    mixed = images.reshape(B, C, T, 8, 8)  # expect: TL104 (info)
    smaller = nn.functional.interpolate(video.reshape(B * T, C, H, W), size=(4, 4)).reshape(B, C, T, 4, 4)  # expect: TL104 (info)
    return mixed, smaller


def convolved(video: torch.Tensor, weight: torch.Tensor):
    B, C, T, H, W = video.shape
    return nn.functional.conv2d(video.reshape(B * T, C, H, W), weight).reshape(B, C, T, H, W)  # expect: TL104
