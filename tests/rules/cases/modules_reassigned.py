"""Parameters that are assigned and initialised, loaders that are looked into, datasets that are split: what torch lets pass."""

import torch
from torch import nn
from torch.nn.utils import parametrizations
from torch.utils.data import DataLoader, random_split
from tqdm import tqdm

from somewhere import load, wrap


def assigned(given, fast):
    layer = nn.Linear(4, 3)
    layer.weight = given  # may be a parameter
    layer.weight = load("weight")
    layer.weight = given.weight
    layer.bias = nn.Parameter(torch.zeros(3)) if fast else None
    layer.weight = layer.weight.to("cpu")
    layer.weight = layer.weight.float().contiguous()
    layer.scale = torch.zeros(3)
    layer.weight = torch.zeros(3, 4) + 1  # expect: TL606
    other = nn.Linear(4, 3, bias=False)
    other.bias = torch.zeros(3)
    through = nn.Linear(4, 3)
    wrap(through)
    through.weight = torch.zeros(3, 4)
    norm = nn.LayerNorm(4)
    norm.weight = nn.Parameter(norm.weight * 2)
    norm.bias = norm.bias + 1  # expect: TL606
    try:
        norm.weight = torch.zeros(4)
    except TypeError:
        pass
    return layer, other, through


def tied(vocabulary, width):
    embed = nn.Embedding(vocabulary, width)
    out = nn.Linear(width, vocabulary, bias=False)
    out.weight = embed.weight
    parametrizations.weight_norm(out)
    return embed, out


def initialised(model):
    for name, p in model.named_parameters():
        if "bias" in name:
            nn.init.zeros_(p)
        else:
            nn.init.xavier_uniform_(p)
    layer = nn.LSTM(4, 8)
    for p in layer.parameters():
        if len(p.shape) >= 2:
            nn.init.orthogonal_(p.data)
    try:
        nn.init.xavier_uniform_(nn.Linear(4, 4).bias)
    except ValueError:
        pass
    nn.init.kaiming_normal_(nn.Linear(4, 4).bias.unsqueeze(0))
    nn.init.kaiming_normal_(nn.LayerNorm(4).weight)  # expect: TL614


class Cycle:
    def __init__(self, loader):
        self.loader = loader

    def __next__(self):
        return next(iter(self.loader))


def looked_into(data, several):
    loader = DataLoader(data, 4)
    loaders = [loader, DataLoader(data, 8)]
    loaders[0]
    named = {"train": loader}
    next(iter(named["train"]))
    next(Cycle(loader))
    rows = iter(tqdm(loader))
    next(rows)
    loader = list(loader) if several else loader
    loader[0]
    again = list(DataLoader(data, 4))
    again[0]
    named["train"][0]  # expect: TL713


def split(data, n, share):
    random_split(data, [8, 2])
    random_split(data, [n - 2, 2])
    random_split(data, [share, 1 - share])
    random_split(range(10), [0.5, 0.25, 0.25])
    random_split(range(10), [0.1] * 10)
    random_split(range(10), [5, 4, 1])
    random_split(range(10), [1 / 3, 2 / 3])
    random_split([1, 2, 3], [2, 2])  # expect: TL711
