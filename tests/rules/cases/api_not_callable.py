"""Calls of what is no function, and indices of methods."""

import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn


def shapes(y):
    x = torch.randn(3, 4)
    x.shape(0)  # expect: TL933
    x.size[0]  # expect: TL933
    x.T()  # expect: TL933
    x.sum()(0)  # expect: TL933
    x.shape[0], x.size(0), x.T.sum(), x.size()[0]
    y.shape(0)
    return y.size[0]


def dtypes(x: torch.Tensor):
    rows = torch.float32(x)  # expect: TL933
    whole = torch.long(x)  # expect: TL933
    print(rows, whole, x.to(torch.long))
    kind = torch.float32 if x.is_cuda else torch.FloatTensor
    return kind(x)


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.parameter(torch.ones(3))  # expect: TL933
        self.other = nn.Parameter(torch.ones(3))

    def forward(self, x):
        y = torch.utils.checkpoint(F.relu, x)  # expect: TL933
        z = torch.utils.checkpoint.checkpoint(F.relu, x, use_reentrant=False)
        return y + z * self.other


def of_parameters(model, x):
    x.view(-1)
    hidden = model(x)
    step = hidden if callable(hidden) else model
    return x(hidden), step(x)


def functions():
    made = torch.compile(F.relu)
    with torch.no_grad():
        return made(torch.ones(2)), torch.func.grad(lambda t: t.sum())(torch.ones(2))


net = nn.Linear(4, 3)


def losses_under_one_name(loader):
    loss = nn.CrossEntropyLoss()
    for _ in range(5):
        for xs, ys in loader:
            loss = loss(net(xs), ys)  # expect: TL933
            loss.backward()


def named_by_function(batches):
    mean = torch.mean
    for batch in batches:
        mean = mean(batch @ torch.ones(3))  # expect: TL933


def made_in_each(loader):
    for xs, ys in loader:
        loss = nn.CrossEntropyLoss()
        loss = loss(net(xs), ys)
        loss.backward()


def put_back(loader):
    loss = criterion = nn.CrossEntropyLoss()
    for xs, ys in loader:
        loss = loss(net(xs), ys)
        loss.backward()
        loss = criterion


def first_only(loader):
    loss = nn.CrossEntropyLoss()
    for xs, ys in loader:
        loss = loss(net(xs), ys)
        loss.backward()
        break
    for _ in range(1):
        step = torch.mean
        step = step(torch.ones(3))
    return loss


def of_some(loader):
    loss = nn.CrossEntropyLoss()
    for i, (xs, ys) in enumerate(loader):
        if callable(loss):
            loss = loss(net(xs), ys)
        if i > 3:
            return loss


def later_epochs(loader, epochs):
    loss = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        if epoch > 0:
            for xs, ys in loader:
                out = loss(net(xs), ys)
                out.backward()
        loss = nn.CrossEntropyLoss() if epoch < 3 else nn.NLLLoss()


def first_given(*args):
    for arg in args:
        if arg is not None:
            return arg() if callable(arg) else arg
    return None


def defaults(x: torch.Tensor):
    first_given(torch.ones(3), lambda: x)
    return first_given(None, lambda: x), first_given(torch.ones(3).cumsum(0), None)
