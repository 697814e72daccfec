"""Compiled functions, and loops that read values: what is followed by the compiler, and what is read now and then."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.limit = 1.0

    def helper(self, x):
        if x.mean() > self.limit:  # expect: TL918
            return x * 2
        return x

    def forward(self, x):
        return self.helper(self.linear(x))


class Plain(nn.Module):
    def forward(self, x):
        if self.training:
            return x * 2
        if x.dim() == 3 and x.shape[0] > 1 and isinstance(x, torch.Tensor):
            return x[0]
        return x if x is not None else self.training


gate = torch.compile(Gate())
gate(torch.ones(2, 4))
plain = torch.compile(Plain(), fullgraph=True)
plain(torch.ones(2, 4))


@torch.compile
def annotated(x: torch.Tensor, flag: bool):
    if flag:
        return x
    if torch.isnan(x).any():  # what only some calls reach
        raise ValueError
    return x


@torch.compile(fullgraph=True)
def checked(x: torch.Tensor):
    assert x.sum() > 0
    print(x)  # expect: TL918
    return x


@torch.compiler.disable
def shown(x):
    print(x)


@torch.compile
def calls_out(x: torch.Tensor):
    shown(x)
    return x


calls_out(torch.ones(2))


def not_compiled(x: torch.Tensor):
    if x.sum() > 0:
        print(x)
    return x


def untyped(x):
    if x.sum() > 0:
        return x
    return -x


compiled = torch.compile(untyped)


def train(model, loader, opt, criterion, epochs, log):
    best = 0.0
    for epoch in range(epochs):
        for step, batch in enumerate(loader):
            opt.zero_grad()
            loss = criterion(model(batch), batch)
            loss.backward()
            opt.step()
            best = min(best, float(loss))  # expect: TL917
            log(loss.detach().cpu())  # expect: TL917
            if loss.item() < best:
                break
            for one in batch:
                print(one.item())
            torch.cuda.synchronize()  # expect: TL917
        best = loss.item()
    return best


def evaluate(loader):
    model, right = nn.Linear(4, 3), 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()  # expect: TL917
    return right


def of_others(rows):
    found = []
    for row in rows:
        found.append(row.item())
        print(row)
    return found
