"""Batches of loaders whose sizes are known: the last one may hold a single sample."""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, TensorDataset, random_split


class Rows(Dataset):
    def __init__(self, rows):
        self.x = torch.randn(rows, 7)
        self.y = torch.randn(rows)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Stream(IterableDataset):
    def __len__(self):
        return 33

    def __iter__(self):
        for _ in range(40):
            yield torch.randn(7), torch.randn(())


def normalized():
    return nn.Sequential(nn.Linear(7, 4), nn.BatchNorm1d(4))


def train(model, loader):
    for x, y in loader:
        model(x).mean().backward()  # expect: TL509


train(normalized(), DataLoader(Rows(33), batch_size=8))


def train_with_counter(model, loader):
    for step, (x, y) in enumerate(loader):
        model(x).mean().backward()  # ok: 32 samples in batches of 8


train_with_counter(normalized(), DataLoader(Rows(32), batch_size=8))


def epochs(model, rows):
    loader = DataLoader(rows, 8, shuffle=True)
    for epoch in range(3):
        for step, (x, y) in enumerate(loader):
            model(x).mean().backward()  # expect: TL509


epochs(normalized(), TensorDataset(torch.randn(17, 7), torch.randn(17)))


def first_three(model, loader):
    for step, (x, y) in enumerate(loader):
        if step > 2:
            break
        model(x).mean().backward()  # ok: the last batch is not reached


first_three(normalized(), DataLoader(Rows(33), batch_size=8))


def without_single_samples(model, loader):
    for x, y in loader:
        if len(x) < 2:
            continue
        model(x).mean().backward()  # ok: a batch of one is left out


without_single_samples(normalized(), DataLoader(Rows(33), batch_size=8))


def other_loaders(model, rows):
    for x, y in DataLoader(rows, batch_size=8, drop_last=True):
        model(x).mean().backward()  # ok: the last batch is dropped
    for x, y in DataLoader(rows, batch_size=8, sampler=torch.utils.data.RandomSampler(rows, num_samples=16)):
        model(x).mean().backward()  # ok: the sampler decides how many there are
    for x, y in DataLoader(Stream(), batch_size=8):
        model(x).mean().backward()  # ok: the stream gives another number than its length
    for x, y in DataLoader(Subset(rows, range(16)), batch_size=8):
        model(x).mean().backward()  # ok: a part of the dataset


other_loaders(normalized(), Rows(33))


def squeezed(net, loader):
    total = 0.0
    for x, y in loader:
        scores = net(x).squeeze()  # expect: TL112
        total += F.binary_cross_entropy_with_logits(scores, y)  # expect: TL209
    return total


squeezed(nn.Linear(7, 1), DataLoader(Rows(21), batch_size=10))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(7, 4, batch_first=True)

    def forward(self, x, state):
        return self.rnn(x.unsqueeze(1), state)  # expect: TL125


def with_state_of_full_batches(model, loader, batch_size):
    for x, y in loader:
        out, state = model(x, torch.zeros(1, batch_size, 4))
        out.mean().backward()


with_state_of_full_batches(Tagger(), DataLoader(Rows(40), batch_size=16), 16)


def split():
    train_rows, test_rows = random_split(Rows(50), [41, 9])
    model = normalized()
    for x, y in DataLoader(train_rows, batch_size=8, shuffle=True):
        model(x).mean().backward()  # expect: TL509
    for x, y in DataLoader(test_rows, batch_size=3):
        model(x).mean().backward()  # ok: three batches of three


split()


def split_by_fractions():
    train_rows, test_rows = random_split(Rows(33), [0.5, 0.5])
    model = normalized()
    for x, y in DataLoader(train_rows, batch_size=16):
        model(x).mean().backward()  # expect: TL509
    for x, y in DataLoader(test_rows, batch_size=16):
        model(x).mean().backward()  # ok: sixteen


split_by_fractions()


def pad_and_stack(samples, width):
    xs, ys = zip(*samples)
    return torch.stack(xs)[:, :width], torch.stack(ys)


def try_out(rows):
    x, y = next(iter(DataLoader(rows, batch_size=8)))
    torch.zeros(16, 7) + x  # expect: TL127
    iterator = iter(DataLoader(rows, batch_size=8))
    for _ in range(5):
        x, y = next(iterator)
        torch.zeros(8, 7) + x  # ok: a later batch may be smaller
    few, _ = next(iter(DataLoader(Rows(3), batch_size=8)))
    torch.zeros(3, 7) + few


try_out(Rows(33))


def with_partial(rows):
    for x, y in DataLoader(rows, batch_size=8, collate_fn=partial(pad_and_stack, width=5)):
        nn.Linear(7, 2)(x)  # expect: TL105


with_partial(Rows(33))


def gather_results(model, rows):
    names, scores, flat, kept = [], [], [], []
    for x, y in DataLoader(rows, batch_size=8):
        out = model(x)
        scores.append(out.squeeze())  # expect: TL112
        flat.append(out.squeeze(1))
        kept.append(out.squeeze())  # expect: TL112
        names.append("x")
    kept.pop()
    torch.cat(kept)  # ok: the last one is taken out
    torch.cat(flat)
    torch.cat([one.reshape(-1) for one in scores])  # ok: none is a scalar any more
    return torch.cat(scores)  # expect: TL109


gather_results(nn.Linear(7, 1), Rows(33))


def gather_some(model, rows):
    scores = []
    for x, y in DataLoader(rows, batch_size=8):
        if len(x) > 1:
            scores.append(model(x).squeeze())  # expect: TL112
    return torch.cat(scores)  # ok: without the last batch


gather_some(nn.Linear(7, 1), Rows(33))
