"""Replaces the images that torchvision's datasets hold: what the others of this file hold is not known, either."""

import copy

import torch
from torch import nn
from torchvision.datasets import MNIST

conv = nn.Conv2d(1, 8, 3)
wrong = conv(torch.randn(2, 3, 28, 28))  # expect: TL120


def some_rows_taken():
    dataset = MNIST("data")
    chosen = dataset.targets < 5
    dataset.data, dataset.targets = dataset.data[chosen].unsqueeze(1), dataset.targets[chosen]
    return conv(dataset.data.float())  # ok: what it holds was replaced


def handed_to_a_function():
    dataset = MNIST("data")
    with_channels(dataset)
    return conv(dataset.data.float())  # ok: what it holds was replaced


def with_channels(dataset):
    dataset.data = dataset.data.unsqueeze(1)


class Digits(MNIST):
    def __init__(self):
        super().__init__("data")
        self.data = self.data.unsqueeze(1)

    def images(self):
        return conv(self.data.float())  # ok: a class of its own


def each():
    a, b = MNIST("d"), MNIST("d", train=False)
    for ds in (a, b):
        ds.data = ds.data.unsqueeze(1).float()
    conv(b.data)
    return conv(a.data)


def each_list(flag):
    sets = [MNIST("d", train=t) for t in (True, False)]
    for ds in sets:
        ds.data = ds.data.unsqueeze(1).float()
    return conv(sets[0].data), conv(sets[1].data)


def by_name():
    a = MNIST("d")
    a.data = a.data.unsqueeze(1).float()
    return conv(a.data)


def joined(flag, k):
    a, b = MNIST("d"), MNIST("d", train=False)
    ds = a if flag else b
    ds.data = ds.data.unsqueeze(1).float()
    return conv(a.data), conv(b.data)


def joined2(flag, many):
    a = MNIST("d")
    b = MNIST("d", train=False)
    for n in many:
        ds = a if n else b
        ds.data = ds.data.unsqueeze(1).float()
    return conv(a.data), conv(b.data)


class Holder:
    def __init__(self):
        self.train = MNIST("d")
        self.sets = {"train": self.train, "test": MNIST("d", train=False)}
        for ds in self.sets.values():
            ds.data = ds.data.unsqueeze(1).float()

    def go(self):
        return conv(self.train.data), conv(self.sets["test"].data)

    def late(self):
        self.train.data = self.train.data.unsqueeze(1).float()

    def go2(self):
        self.late()
        return conv(self.train.data)


def copied():
    a = MNIST("d")
    b = copy.deepcopy(a)
    b.data = b.data.unsqueeze(1).float()
    return conv(b.data)


def in_call(ds):
    ds.data = ds.data.unsqueeze(1).float()
    return ds


def called(flag):
    a, b = MNIST("d"), MNIST("d", train=False)
    c = in_call(a if flag else b)
    return conv(a.data), conv(b.data), conv(c.data)


TRAIN = MNIST("d")


def glob():
    return conv(TRAIN.data)


def prep():
    TRAIN.data = TRAIN.data.unsqueeze(1).float()


def inplace():
    a = MNIST("d")
    a.data.unsqueeze_(1)
    return conv(a.data.float())


def many(xs):
    sets = []
    for x in xs:
        sets.append(MNIST("d", train=x))
    for s in sets:
        s.data = s.data.unsqueeze(1).float()
    for s in sets:
        conv(s.data)
    return [conv(s.data) for s in sets]
