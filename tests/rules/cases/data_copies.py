"""Iterable datasets in files that do not ask for the worker at all."""

import csv
import glob
import os
import random

import torch
from torch.utils.data import DataLoader, IterableDataset


class Rows(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as file:
            for row in csv.reader(file):
                yield torch.tensor([float(cell) for cell in row])


class Files(IterableDataset):
    def __init__(self, folder):
        self.files = sorted(glob.glob(os.path.join(folder, "*.pt")))

    def __iter__(self):
        order = list(self.files)
        random.shuffle(order)
        for file in order:
            yield torch.load(file)


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.zeros(3)


class Drawn(IterableDataset):
    def __iter__(self):
        for _ in range(100):
            yield torch.randn(3)


class Wrapped(IterableDataset):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        yield from self.source


class Sharded(IterableDataset):
    def __init__(self, count, shard):
        self.count = count
        self.shard = shard

    def __iter__(self):
        yield from range(self.shard, self.count, 4)


class FromElsewhere(IterableDataset):
    def __iter__(self):
        return iter(unknown_reader("file"))


images = torch.randn(8, 4)
DataLoader(Rows("train.csv"), num_workers=2)  # expect: TL705
DataLoader(Files("data"), batch_size=4, num_workers=8)  # expect: TL705
DataLoader(Wrapped([1, 2, 3]), num_workers=4)  # expect: TL705
DataLoader(Rows("train.csv"))
DataLoader(Rows("train.csv"), num_workers=1)
DataLoader(Rows("train.csv"), num_workers=2, worker_init_fn=print)
DataLoader(Endless(), num_workers=2)
DataLoader(Drawn(), num_workers=2)
DataLoader(Sharded(8, 0), num_workers=2)
DataLoader(FromElsewhere(), num_workers=2)


def wrap(source, workers):
    return DataLoader(Wrapped(source), num_workers=2), DataLoader(Rows("train.csv"), num_workers=workers)
