"""Ordinary code on shapes: all of it runs in torch but the last function, and nothing else is to be reported."""

import torch, torch.nn as nn, torch.nn.functional as F
import numpy as np, random


def collate(batch):
    xs = [b[0] for b in batch]
    longest = max(x.shape[0] for x in xs)
    out = torch.zeros(len(xs), longest, 4)
    for i, x in enumerate(xs):
        out[i, : x.shape[0]] = x
    return out


collate([(torch.ones(3, 4),), (torch.ones(5, 4),)])


class Pos(nn.Module):
    def __init__(self, n=50, d=16):
        super().__init__()
        self.pe = nn.Parameter(torch.zeros(1, n, d))
        self.register_buffer("ids", torch.arange(n).expand((1, -1)))

    def forward(self, x):
        b, t, d = x.shape
        ids = self.ids[:, :t]
        pe = self.pe[:, :t].expand(b, -1, -1)
        x = x + pe
        x += 1
        return x + ids[..., None]


Pos()(torch.zeros(2, 5, 16))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Conv2d(3, 8, 3, 2, 1)
        self.u = nn.ConvTranspose2d(8, 8, 2, 2)
        self.o = nn.Conv2d(11, 1, 1)

    def forward(self, x):
        y = self.u(self.d(x))
        if y.shape[-2:] != x.shape[-2:]:
            y = F.pad(y, (0, x.shape[-1] - y.shape[-1], 0, x.shape[-2] - y.shape[-2]))
        return self.o(torch.cat([x, y], dim=1))


UNet()(torch.zeros(1, 3, 16, 16))
UNet()(torch.zeros(1, 3, 15, 15))


def attn(q, k, v, heads):
    b, n, d = q.shape
    m = k.shape[1]
    q = q.view(b, n, heads, d // heads).transpose(1, 2)
    k = k.view(b, m, heads, -1).transpose(1, 2)
    v = v.view(b, m, heads, -1).transpose(1, 2)
    a = (q @ k.mT).softmax(-1)
    a = a.reshape(b * heads, n, m)
    v = v.reshape(b * heads, m, -1)
    o = torch.bmm(a, v).view(b, heads, n, -1).transpose(1, 2).reshape(b, n, d)
    return o


attn(torch.zeros(2, 3, 8), torch.zeros(2, 4, 8), torch.zeros(2, 4, 8), 2)


def mha_time_first(q, heads):
    t, b, e = q.shape
    return q.contiguous().view(t, b * heads, e // heads).transpose(0, 1).reshape(b, heads, t, e // heads)


mha_time_first(torch.zeros(3, 2, 8), 2)


def pixel_shuffle(x, r):
    b, c, h, w = x.shape
    x = x.view(b, c // (r * r), r, r, h, w).permute(0, 1, 4, 2, 5, 3)
    return x.reshape(b, c // (r * r), h * r, w * r)


pixel_shuffle(torch.zeros(1, 8, 2, 3), 2)


def windows(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    w = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, ws, ws, C)
    B2 = int(w.shape[0] / (H * W / ws / ws))
    y = w.view(B2, H // ws, W // ws, ws, ws, -1)
    return y.permute(0, 1, 3, 2, 4, 5).contiguous().view(B2, H, W, -1)


windows(torch.zeros(2, 4, 4, 3), 2)


def temporal(x):
    b, t, c, h, w = x.shape
    y = x.view(b * t, c, h, w)
    y = y.mean((2, 3)).view(b, t, c)
    z = x.transpose(1, 2).reshape(b, c, t * h * w)
    return y, z, x.view(b, t * c, h, w), x.permute(0, 2, 1, 3, 4).reshape(b * c, t, h, w)


temporal(torch.zeros(2, 3, 4, 5, 6))


def rnn(x):
    b, t, d = x.shape
    lstm = nn.LSTM(d, 8, num_layers=2, bidirectional=True, batch_first=True)
    out, (h, c) = lstm(x)
    out = out.contiguous().view(b, t, 2, 8)
    h = h.view(2, 2, b, 8)[-1]
    last = h.transpose(0, 1).reshape(b, -1)
    one = nn.GRU(d, 8, batch_first=True)(x)[1].view(b, -1)
    return torch.cat([last, one, out[:, -1, 0]], dim=1)


rnn(torch.zeros(2, 3, 4))


def anchors(fm, na, nc):
    b, _, h, w = fm.shape
    p = fm.view(b, na, nc + 5, h, w).permute(0, 1, 3, 4, 2).contiguous()
    box, obj, cls = p.split([4, 1, nc], dim=-1)
    p[..., 0] = p[..., 0].sigmoid()
    return p.view(b, -1, nc + 5), box[obj.squeeze(-1) > 0]


anchors(torch.zeros(1, 3 * 7, 4, 4), 3, 2)


def writes(x, idx):
    x = x.clone()
    x[idx] = 0
    x[idx] += 1
    y = x[idx]
    y[0] = 5
    z = x[x > 3]
    z.add_(1)
    w = torch.zeros(3, 4).expand(2, 3, 4).clone()
    w[0] = 1
    e = torch.zeros(4).expand(3, 4)
    e = torch.where(e > 0, e, 1.0)
    e[0] = 2
    rows = x[[0, 1]].requires_grad_()
    return y, z, w, e, rows


writes(torch.arange(12.0).view(3, 4), torch.tensor([0, 2]))


def masks(x, lengths):
    b, t, d = x.shape
    mask = torch.arange(t)[None, :] < lengths[:, None]
    kept = x[mask]
    x[~mask] = 0
    x[mask.unsqueeze(-1).expand_as(x)] = 1
    m3 = mask.unsqueeze(1).expand(b, t, t)
    s = torch.zeros(b, t, t).masked_fill(m3, 1)
    causal = torch.ones(t, t, dtype=torch.bool).tril()
    s[:, causal] = 2
    s[0][causal] = 3
    return kept, s


masks(torch.zeros(2, 3, 4), torch.tensor([2, 3]))


def parts(x):
    b, n = x.shape
    first, rest = x.split([1, n - 1], dim=1)
    half = n // 2
    a, c = x.split([half, n - half], dim=1)
    try:
        p, q, r = x.chunk(3, dim=1)
    except ValueError:
        p = q = r = x
    chunks = x.chunk(4)
    if len(chunks) == 4:
        k, l, m, o = chunks
    return first, rest, a, c, p, q, r


parts(torch.zeros(4, 5))


def reverse(x):
    x = np.asarray(x)
    return torch.from_numpy(x[::-1].copy()), torch.tensor([1, 2, 3]).tolist()[::-1], x.shape[::-1]


reverse([[1.0, 2.0]])


def joins(n):
    feats = []
    for i in range(n):
        feats.append(torch.zeros(2, i + 1))
    a = torch.cat(feats, dim=1)
    b = torch.stack([torch.zeros(3) for _ in range(n)])
    acc = None
    for f in feats:
        acc = f if acc is None else torch.cat([acc, f], dim=-1)
    empty = torch.tensor([])
    for f in feats:
        empty = torch.cat((empty, f.flatten()))
    return a, b, acc, empty


joins(3)


def squeeze(model_out):
    b, c = 4, 1
    p = torch.zeros(b, c).squeeze()
    q = torch.zeros(1, 1, 8, 8).squeeze().numpy()
    s = torch.zeros(1, 10).squeeze()
    return p, q, s


squeeze(None)


def reversed_rows(x: torch.Tensor):
    return x[::-1]  # expect: TL103
