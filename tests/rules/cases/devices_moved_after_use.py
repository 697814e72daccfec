"""A tensor that `forward` moves to the GPU after an operation comes on the CPU, like what is created there."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embedding = nn.Embedding(size, 8)

    def forward(self, texts):
        count = texts.size(0)
        texts = torch.cat((texts, torch.zeros(count, 1).int()), dim=1)
        if torch.cuda.is_available():
            texts = texts.cuda()
        return self.embedding(texts.long())


class Padded(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, 8)

    def forward(self, x):
        count = x.size(0)
        x = torch.cat((x, torch.zeros(count, 1)), dim=1)  # expect: TL313
        return self.layer(x)


if torch.cuda.is_available():
    Decoder(4).cuda()
    Padded(4).cuda()
