"""Shapes, batches and results that are unpacked into another number of names, and those whose number is not known."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Encoder(nn.Module):
    def __init__(self, layers=1):
        super().__init__()
        self.one = nn.GRU(3, 4, batch_first=True)
        self.two = nn.GRU(3, 4, num_layers=2, batch_first=True)
        self.any = nn.GRU(3, 4, num_layers=layers, batch_first=True)
        self.lstm = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x: torch.Tensor):
        out, (h, c) = self.one(x)
        return out, h, c

    def zeros(self):
        out, (h, c) = self.one(torch.zeros(2, 5, 3))  # expect: TL129
        return out, h, c

    def layers(self, x: torch.Tensor):
        out, (first, second) = self.two(x)
        rest, (some, others) = self.any(x)
        return out, first, second, rest, some, others

    def flat(self, x: torch.Tensor):
        out, h, c = self.lstm(x)  # expect: TL129
        return out, h, c


def shapes():
    x = torch.randn(3, 4)
    a, b, c = x.shape  # expect: TL129
    d, e, f = x.size()  # expect: TL129
    (g,) = x.shape  # expect: TL129
    h, i = x.shape
    j, *k = x.shape
    return a, b, c, d, e, f, g, h, i, j, k


def ranks(x):
    b, c, h, w = x.shape
    return b * c, h * w


def either(x):
    if x.dim() == 4:
        b, c, h, w = x.shape
    else:
        b, c, h = x.shape
    return b * c * h


def guessed(x):
    x = nn.Conv2d(3, 4, 3)(x)
    c, h, w = x.shape
    return c * h * w


class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(3), torch.tensor(index), index


def batches():
    for x, y in DataLoader(Samples(), batch_size=2):  # expect: TL129
        print(x, y)
    for _, (x, y) in enumerate(DataLoader(TensorDataset(torch.zeros(8, 3)))):  # expect: TL129
        print(x, y)
    for x, y, index in DataLoader(Samples(), batch_size=2):
        print(x, y, index)
    for (x,) in DataLoader(TensorDataset(torch.zeros(8, 3))):
        print(x)
    for batch in DataLoader(Samples(), batch_size=2):
        x, y = batch  # expect: TL129
        print(x, y)


def pair(flag):
    return (1, 2) if flag else (1, 2, 3)


def functions(flag):
    a, b = pair(flag)
    c, d, e = pair(False)
    f, g, h = pair(True)  # expect: TL129
    return a, b, c, d, e, f, g, h


def rows():
    first, second = torch.zeros(2, 3)
    third, fourth = torch.zeros(3, 2)  # expect: TL129
    return first, second, third, fourth


def filled(parts):
    held = []
    for part in parts:
        held.append(part)
    a, b = held
    return a, b
