import torch
import torch.nn as nn
import torch.nn.functional as F

class MHA(nn.Module):
    def __init__(self, d_model: int = 512, h: int = 8):
        super().__init__()
        assert d_model % h == 0
        self.h, self.d_k = h, d_model // h
        self.q_lin = nn.Linear(d_model, d_model)
        self.k_lin = nn.Linear(d_model, d_model)
        self.v_lin = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def attend(self, q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-2, -1)) / (self.d_k ** 0.5)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return torch.matmul(F.softmax(scores, dim=-1), v)

    def forward(self, q, k, v, mask=None):
        bs = q.size(0)
        q = self.q_lin(q).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        k = self.k_lin(k).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        v = self.v_lin(v).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        x = self.attend(q, k, v, mask)
        x = x.transpose(1, 2).view(bs, -1, self.h * self.d_k)  # expect: TL101
        return self.out(x)

class Good(MHA):
    def forward(self, q, k, v, mask=None):
        bs = q.size(0)
        q = self.q_lin(q).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        k = self.k_lin(k).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        v = self.v_lin(v).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        x = self.attend(q, k, v, mask)
        x = x.transpose(1, 2).contiguous().view(bs, -1, self.h * self.d_k)
        return self.out(x)

class Pix(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv = nn.Conv2d(3, ch, 3, padding=1)
        self.head = nn.Linear(ch, 10)
    def forward(self, x):
        f = self.conv(x)
        b, c, h, w = f.shape
        seq = f.flatten(2).permute(0, 2, 1)
        g = f.view(b, c, -1).mean(-1)
        tokens = seq.view(b * h * w, c)  # expect: TL101
        return self.head(tokens), g

def windows(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).view(-1, ws * ws, C)  # expect: TL101

def windows_ok(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, ws, ws, C)

def shuffle(x, groups):
    b, c, h, w = x.size()
    x = x.view(b, groups, c // groups, h, w)
    x = torch.transpose(x, 1, 2).contiguous()
    return x.view(b, -1, h, w)

def expand_bad(mask):
    m = mask.unsqueeze(1).expand(-1, 4, -1)
    return torch.zeros(2, 5).unsqueeze(1).expand(2, 4, 5).view(8, 5)  # expect: TL101

def chunk_bad():
    a, b = torch.randn(4, 10).chunk(2, dim=1)
    return a.view(-1), b.reshape(-1)  # expect: TL101


def padded(lengths):
    x = torch.randn(3, 10, 16)
    pad = torch.zeros(3, 10, dtype=torch.bool)
    nn.MultiheadAttention(16, 4, batch_first=True)(x, x, x, key_padding_mask=pad)
    t = x.transpose(0, 1)
    nn.MultiheadAttention(16, 4, add_bias_kv=True)(t, t, t, pad)
    nn.MultiheadAttention(16, 4)(x[0], x[0], x[0], key_padding_mask=pad[0])
    return nn.MultiheadAttention(16, 4)(x, x, x, key_padding_mask=pad)  # expect: TL128


def causal():
    x = torch.randn(3, 10, 16)
    seq = torch.triu(torch.full((10, 10), float("-inf")), diagonal=1)
    layer = nn.TransformerEncoderLayer(16, 4, batch_first=True)
    nn.TransformerEncoder(layer, 2)(x, mask=seq, is_causal=False)
    layer(x, src_mask=seq.expand(12, 10, 10))
    return nn.MultiheadAttention(16, 4, batch_first=True)(x, x, x, attn_mask=seq)


def per_sample():
    x = torch.randn(3, 10, 16)
    mask = torch.ones(3, 10, 10).tril() == 0
    nn.MultiheadAttention(16, 4, batch_first=True)(x, x, x, attn_mask=mask.repeat_interleave(4, 0))
    return nn.MultiheadAttention(16, 4, batch_first=True)(x, x, x, attn_mask=mask)  # expect: TL128


def of_the_batch():
    x = torch.randn(3, 10, 16)
    mask = torch.ones(x.size(1), x.size(1)).triu(1).bool()
    return nn.TransformerEncoderLayer(16, 4)(x, src_mask=mask)  # expect: TL128


def in_inference():
    x = torch.randn(3, 10, 16)
    layer = nn.TransformerEncoderLayer(16, 4, batch_first=True).eval()
    with torch.no_grad():
        return layer(x, src_mask=torch.zeros(1, 1, 10, 10))  # ok: the fast path takes it
