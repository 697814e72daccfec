"""What breaks in the first or the second iteration of a loop, though nothing holds in all of them."""

import torch
from torch import nn


def unrolled(steps=8):
    cell = nn.Linear(3, 4)
    x = torch.ones(2, 5)
    for _ in range(steps):
        x = cell(x)  # expect: TL105
    return x


def again(steps=8):
    cell = nn.Linear(3, 4)
    x = torch.ones(2, 3)
    for _ in range(steps):
        x = cell(x)  # expect: TL121
    return x


def perhaps_once(steps):
    cell = nn.Linear(3, 4)
    x = torch.ones(2, 3)
    for _ in range(steps):
        x = cell(x)  # ok: one step is fine
    return x


def left_before(steps=8):
    cell = nn.Linear(3, 4)
    x = torch.ones(2, 3)
    for _ in range(steps):
        x = cell(x)  # ok: it may end after the first
        if x.sum() > 0:
            break
    return x


def generate(model, steps=20):
    tokens = torch.zeros(1, 4, dtype=torch.long)
    while tokens.size(1) < steps:
        following = model(tokens)[:, -1].argmax(-1)
        tokens = torch.cat([tokens, torch.zeros(1, dtype=torch.long)], dim=1)  # expect: TL109
        tokens = tokens + following
    return tokens


def another_first(steps=8):
    first, cell = nn.Linear(5, 4), nn.Linear(4, 4)
    x = torch.ones(2, 5)
    for i in range(steps):
        if i == 0:
            x = first(x)
        else:
            x = cell(x)  # ok: never of what stands before the loop
    return x


def skipped_first(steps=8):
    first, cell = nn.Linear(5, 4), nn.Linear(4, 4)
    x = torch.ones(2, 5)
    for i in range(steps):
        if i == 0:
            x = first(x)
            continue
        x = cell(x)  # ok: never of what stands before the loop
    return x


def inner_loop(steps=8):
    first, cell = nn.Linear(5, 4), nn.Linear(4, 4)
    x = torch.ones(2, 5)
    for i in range(steps):
        for _ in range(i):
            x = cell(x)  # ok: not run in the first iteration
        if i == 0:
            x = first(x)
    return x


def asked_second(steps=8):
    first, cell = nn.Linear(5, 4), nn.Linear(4, 4)
    x = torch.ones(2, 5)
    for i in range(steps):
        if i > 0 and cell(x).sum() > 1e9:  # ok: not asked in the first iteration
            break
        x = first(x) if i == 0 else cell(x)
    return x


def of_no_item(steps=8):
    first, cell = nn.Linear(5, 4), nn.Linear(4, 4)
    x = torch.ones(2, 5)
    outs = []
    for i in range(steps):
        outs += [cell(x) for j in range(i) if j > 0]  # ok: no item in the first iteration
        outs += map(cell, [x for _ in range(i)])
        x = first(x) if i == 0 else x
    return outs


class Cast(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(1, 4)

    def forward(self, series):
        h = c = torch.zeros(series.size(0), 4, dtype=torch.double)
        for step in series.split(1, dim=1):
            h, c = self.cell(step, (h, c))  # ok: objects of the class are cast
        return h


class NotCast(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(1, 4)

    def forward(self, series):
        h = c = torch.zeros(series.size(0), 4, dtype=torch.double)
        for step in series.split(1, dim=1):
            h, c = self.cell(step, (h, c))  # expect: TL213
        return h


def predict(path):
    return Cast().double()(torch.load(path, weights_only=True)), NotCast()(
        torch.load(path, weights_only=True)
    )


again()
left_before()
another_first()
skipped_first()
inner_loop()
asked_second()
of_no_item()
