"""Epochs over distributed samplers: who is told, by whom, and what is not seen."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler
from torch.utils.data.distributed import DistributedSampler
from tqdm import tqdm

from somewhere import prepare, train_one_epoch


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(3), torch.zeros(1)


def update(model, optimizer, x, y):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()


def never_told(model, optimizer, epochs):
    sampler = DistributedSampler(Rows())
    loader = DataLoader(Rows(), 4, sampler=sampler)
    validation = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows()))
    for epoch in range(epochs):
        for x, y in tqdm(loader):  # expect: TL702
            update(model, optimizer, x, y)
        model.eval()
        for x, y in validation:
            model(x)


def while_loop(model, optimizer):
    loader = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows(), drop_last=True))
    steps = 0
    while steps < 1000:
        for i, (x, y) in enumerate(loader):  # expect: TL702
            update(model, optimizer, x, y)
            steps += 1


def told_sometimes(model, optimizer, epochs, distributed):
    sampler = DistributedSampler(Rows())
    loader = DataLoader(Rows(), 4, sampler=sampler)
    for epoch in range(epochs):
        if distributed:
            sampler.set_epoch(epoch)
        for x, y in loader:
            update(model, optimizer, x, y)


def told_elsewhere(model, optimizer, epochs, callbacks):
    loader = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows()))
    for epoch in range(epochs):
        for callback in callbacks:
            callback(loader, epoch)
        for x, y in loader:
            update(model, optimizer, x, y)


def only_one_way(model, optimizer, epochs, distributed):
    sampler = DistributedSampler(Rows()) if distributed else RandomSampler(Rows())
    loader = DataLoader(Rows(), 4, sampler=sampler)
    for epoch in range(epochs):
        for x, y in loader:
            update(model, optimizer, x, y)


def made_anew(model, optimizer, epochs):
    for epoch in range(epochs):
        sampler = DistributedSampler(Rows(), seed=epoch)
        for x, y in DataLoader(Rows(), 4, sampler=sampler):
            update(model, optimizer, x, y)


def one_epoch(model, optimizer):
    loader = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows()))
    for x, y in loader:
        update(model, optimizer, x, y)


def unseen(model, optimizer, epochs):
    loader = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows()))
    other = prepare(DataLoader(Rows(), 4, sampler=DistributedSampler(Rows())))
    for epoch in range(epochs):
        train_one_epoch(model, loader, optimizer)
        for x, y in other:
            update(model, optimizer, x, y)


def batches_without_end(model, optimizer, steps):
    loader = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows()))
    batches = iter(loader)
    for step in range(steps):
        x, y = next(batches)
        update(model, optimizer, x, y)


def in_order(model, optimizer, epochs, shuffle):
    first = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows(), shuffle=False))
    second = DataLoader(Rows(), 4, sampler=DistributedSampler(Rows(), shuffle=shuffle))
    for epoch in range(epochs):
        for x, y in first:
            update(model, optimizer, x, y)
        for x, y in second:
            update(model, optimizer, x, y)


def endless(loader):
    while True:
        for x, y in iter(loader):
            yield x, y


def told_while_it_is_taken(model, optimizer, steps):
    sampler = DistributedSampler(Rows())
    batches = endless(DataLoader(Rows(), 4, sampler=sampler))
    for step in range(steps):
        if step % 2 == 0:
            sampler.set_epoch(step // 2)
        update(model, optimizer, *next(batches))


def endless_untold(loader):
    while True:
        for x, y in iter(loader):  # expect: TL702
            yield x, y


def never_told_while_it_is_taken(model, optimizer, steps):
    batches = endless_untold(DataLoader(Rows(), 4, sampler=DistributedSampler(Rows())))
    for step in range(steps):
        update(model, optimizer, *next(batches))
