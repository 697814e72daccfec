"""Programs about TL235 other-class-dim and the dim of log-probabilities: what is found, and near misses."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
from views import load


class Pictures(Dataset):
    def __init__(self):
        self.files = load()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.rand(1, 8, 8), index % 10


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(64, classes))

    def forward(self, x):
        return F.log_softmax(self.body(x), dim=0)


def validate(model):
    total, criterion = 0, nn.NLLLoss()
    for x, y in DataLoader(Pictures(), batch_size=32):
        out = model(x)
        total += criterion(out, y).item()  # expect: TL206
        best = out.max(dim=1)[1]  # expect: TL235
        total += (best == y).sum().item()
        surest = out.argmax(0)  # ok: the picture that a class is surest of
        one = out.argmax() == y[0]  # ok: a single label
    return total, surest, one


validate(Net(10))


def train():
    scores = nn.Linear(64, 10)(torch.randn(8, 64))
    labels = torch.randint(10, (8,))
    F.nll_loss(scores.log_softmax(dim=0), labels)  # expect: TL206
    F.nll_loss(nn.LogSoftmax(dim=0)(scores).cpu(), labels)  # expect: TL206
    F.nll_loss(scores.log_softmax(dim=-1), labels)
    F.nll_loss(scores.log_softmax(dim=0).t(), torch.randint(8, (10,)))
    F.nll_loss(scores[0].log_softmax(dim=0), labels[0])  # ok: a single sample
    F.nll_loss(torch.randn(4, 5, 7).log_softmax(dim=1), torch.randint(5, (4, 7)))
    F.nll_loss(torch.randn(4, 5, 7).log_softmax(-1), torch.randint(5, (4, 7)))  # expect: TL206
    F.nll_loss(torch.randn(4, 7, 5).log_softmax(-1).transpose(1, 2), torch.randint(5, (4, 7)))


def hits(scores: torch.Tensor):
    table, labels = torch.randn(16, 10), torch.randint(10, (16,))
    first = (table.argmax() == labels).float().mean()  # expect: TL235
    best = torch.argmax(table)
    second = torch.eq(best, labels)  # expect: TL235
    third = (table.argmax(1) == labels) & (table[0].argmax() == labels[0])
    fourth = scores.argmax() == labels  # ok: of unknown shape
    fifth = torch.randn(10).argmax() == labels  # ok: one prediction for all
    sixth = torch.randn(4, 5).argmax() == torch.arange(20)  # ok: the place in the table
    return first, second, third, fourth, fifth, sixth
