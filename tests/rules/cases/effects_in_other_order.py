"""What runs bit by bit, only at times or elsewhere: generators, context managers, tests of the group."""

import tempfile
from contextlib import contextmanager

import numpy as np
import torch
import torch.distributed as dist
from torch import nn


class Grows(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 2)

    def steps(self):
        for size in (3, 4):
            self.last = nn.Linear(size, 2)
            yield

    def forward(self, x):
        return self.last(x)


def first_step():
    model = Grows()
    next(model.steps())
    return model(torch.randn(1, 3))


class Options:
    count = 4


@contextmanager
def with_count(options, count):
    before, options.count = options.count, count
    try:
        yield
    finally:
        options.count = before


@contextmanager
def with_attributes(layer, **attributes):
    before = {name: getattr(layer, name) for name in attributes}
    for name, value in attributes.items():
        setattr(layer, name, value)
    yield layer
    for name, value in before.items():
        setattr(layer, name, value)


def under_other_options():
    options, layer = Options(), nn.Linear(4, 2)
    with with_count(options, 6):
        longer = torch.zeros(6) + torch.zeros(options.count)
    with with_attributes(layer, weight=nn.Parameter(torch.randn(2, 6))):
        return longer, layer(torch.randn(1, 6))


def is_first():
    return not dist.is_initialized() or dist.get_rank() == 0


def after_the_group():
    dist.init_process_group("gloo", init_method="file://" + tempfile.mktemp(), rank=0, world_size=1)
    dist.destroy_process_group()
    if is_first() and not (dist.is_initialized() and dist.get_rank() == 0):
        print("done")


def rank_after_the_group():
    dist.init_process_group("gloo", init_method="file://" + tempfile.mktemp(), rank=0, world_size=1)
    dist.destroy_process_group()
    return dist.is_available() and dist.get_rank()  # expect: TL814


def never_moved():
    rows = torch.ones(2, 3)
    rows.to("cuda")  # expect: TL304
    return rows + 1


def scaled(layer: nn.Conv2d):
    layer.weight.data = nn.init.kaiming_normal_(layer.weight) * 0.1


def scaled_parameter(layer: nn.Conv2d):
    layer.scale = nn.Parameter(torch.ones(3)) * 0.1  # expect: TL411
    return layer.scale


def greedy(X, y):
    count, dims = X.shape
    weights = {0: np.zeros((dims, 1))}
    residual = y - X.dot(weights[0])
    return X[:, 0].T.dot(residual)
