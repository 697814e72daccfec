"""What callers, other methods and other files may make different is not taken for known."""

from typing import Dict, List, Sequence

import numpy as np
import torch
from torch import nn


def rows_of_table(table):
    values = torch.Tensor(table)  # expect: TL911 (info)
    return values[:, 2:].transpose(0, 1)


def scaled_rows(table):
    values = torch.FloatTensor(table * 2)  # expect: TL911 (info)
    return values[:, 0], torch.FloatTensor(-table)[:, 1]  # expect: TL911 (info)


def sized(count=3):
    values = torch.Tensor(count)  # expect: TL911 (info)
    return values[:, 0]  # expect: TL122


def two_sizes(rows):
    return torch.Tensor(rows, 3).permute(1, 0, 2)  # expect: TL116  # expect: TL911 (info)


def ids_of_batch(batch: List[List[int]], longest: int):
    return torch.LongTensor(batch)[:, :longest]  # expect: TL911 (info)


def pictures(frames: Sequence[np.ndarray], weights: Dict[str, float]):
    return torch.Tensor(frames).permute(0, 3, 1, 2), torch.zeros(frames)  # expect: TL911 (info)


def noisy(images, step: int):
    kept = torch.linspace(0.1, 0.9, 10)
    return kept[step][:, None, None, None] * images, kept.view(2, 5)[:, step].view(-1, 1)


noisy(torch.rand(2, 3, 4, 4), torch.randint(10, (2,)))


def peaks(maps: np.ndarray) -> np.ndarray:
    count, height, width = maps.shape
    for i in range(count):
        maps[i] *= np.max(maps[i])
    return maps


def peaks_without_annotation(maps):
    count, height, width = maps.shape
    for i in range(count):
        maps[i] *= np.max(maps[i])
    return np.mean(maps * 2)


def proven_to_be_a_tensor(maps):
    count, height, width = maps.shape
    flat = maps.unsqueeze(0).permute(1, 0, 2, 3)
    return np.mean(maps), flat  # expect: TL310


class Runs:
    def __init__(self, runs):
        self.results = [[] for _ in range(runs)]

    def add(self, run, result):
        self.results[run].append(result)

    def add_everywhere(self, result):
        for part in self.results:
            part.append(result)

    def best(self, run):
        results = torch.tensor(self.results[run])
        return results[:, 1].max()


runs = Runs(2)
for run in range(2):
    for epoch in range(3):
        runs.add(run, (0.5, 0.6, 0.7))
    runs.best(run)


class Tables:
    def __init__(self):
        self.losses = {"train": []}
        self.first = ([], torch.zeros(0, 4))

    def add(self, result):
        self.losses["train"].append(result)

    def last(self):
        return torch.tensor(self.losses["train"])[:, 1], self.first[1][2]


class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = (torch.empty(0), torch.tensor([]))
        self.named = {"keys": torch.tensor([])}

    def forward(self, x):
        return self.pair[0].transpose(-1, -2) @ x, self.named["keys"].flatten(1)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 8)
        self.offset = nn.Parameter(torch.zeros(8))

    def forward(self, x):
        scores = self.project(x).float() + self.offset
        return scores.half() @ self.project(x)


half = Mixed().half()


class Uncast(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 8)

    def forward(self, x):
        y = self.project(x.view(-1, 8))
        return y.float().half() @ y.t()  # expect: TL230


def regrouped(x, groups):
    batch, channels, length = x.shape
    assert channels % groups == 0, "channels must be divisible by groups"
    return x.view(batch, groups, channels // groups, length)


try:
    regrouped(torch.randn(1, 24, 5), 7)
except AssertionError:
    print("refused")

regrouped(torch.randn(1, 24, 5), 6).view(7, -1)  # expect: TL102


def trained(model, optimizer, rewards):
    saved = []
    for _ in range(10):
        for _ in range(5):
            saved.append(model(torch.rand(4)))
            if len(saved) > 3:
                break
        loss = torch.stack(saved).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        del saved[:]


def trained_with_assigned_slice(model, optimizer):
    saved = []
    for _ in range(10):
        for _ in range(5):
            saved.append(model(torch.rand(4)))
            if len(saved) > 3:
                break
        loss = torch.stack(saved).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        saved[:] = []


def ordered_columns(table, column, sparse):
    endpoints = table["ENDPOINT"].unique()
    endpoints.sort()
    changes = column.diff()
    changes.sort()
    largest = sparse.maximum(0)
    largest.sort()
    return endpoints, changes, largest


def ordered_by_a_tensor(values):
    endpoints = values.unsqueeze(0).unique()
    endpoints.sort()  # expect: TL901
    return endpoints
