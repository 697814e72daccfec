"""Loops whose ranks may run different numbers of collectives, and those in which they cannot."""

import math
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def more_rounds_on_some():
    rounds = dist.get_rank() + 3
    total = torch.zeros(1)
    for _ in range(rounds):
        dist.all_reduce(total)  # expect: TL805
    return total


def from_the_rank_on():
    for _ in range(int(os.environ["RANK"]), 8):
        dist.barrier()  # expect: TL805


def parts_of_the_data(n):
    for index in range(dist.get_rank(), n, dist.get_world_size()):
        print(index)
    for _ in range(n):
        dist.barrier()


def by_its_name(rank):
    for _ in range(rank + 1):
        dist.barrier()


def work_without_collectives():
    for _ in range(dist.get_rank() + 1):
        print("mine")
    dist.barrier()


def skips_what_is_not_finite(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        loss = model(x).mean()
        if not math.isfinite(loss.item()):
            continue
        loss.backward()  # expect: TL805


def leaves_when_done(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        loss = model(x).mean()
        loss.backward()  # expect: TL805
        if loss < 0.1 or torch.isnan(loss):
            return model


def told_by_all(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if mean < 0.1:
            break


def reduced_in_place(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        dist.all_reduce(loss)
        if loss < 0.1:
            break


def ends_the_job(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        loss = model(x).mean()
        if torch.isnan(loss):
            raise RuntimeError
        loss.backward()


def behind_the_step(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        if loss < 0.1:
            continue
        print(loss)


def not_wrapped(loader):
    model = nn.Linear(4, 1)
    for x in loader:
        loss = model(x).mean()
        if torch.isnan(loss):
            continue
        loss.backward()
    dist.barrier()


def judged(loader):
    model = DDP(nn.Sequential(nn.Linear(4, 1), nn.BatchNorm1d(1)))
    model.eval()
    with torch.no_grad():
        for x in loader:
            score = model(x).mean()
            if score > 0.9:
                break


def counts_alike():
    for turn in range(8):
        dist.barrier()
    for turn in range(dist.get_world_size() + 1):
        dist.barrier()


def against_targets(loader):
    model = DDP(nn.Linear(4, 1))
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        if torch.isnan(loss):
            continue
        loss.backward()  # expect: TL805


def every_second_one():
    for index in range(dist.get_rank(), 15, 2):
        dist.all_reduce(torch.tensor(index))  # expect: TL805


def a_list_of_every_second_one():
    part = list(range(dist.get_rank(), 15, 2))
    for index in part:
        dist.all_reduce(torch.tensor(index))  # expect: TL805


def every_second_one_of_an_even_number():
    for index in range(dist.get_rank(), 16, 2):
        dist.all_reduce(torch.tensor(index))  # ok: each rank has eight


def every_fourth_one_of_two_ranks():
    for index in range(dist.get_rank(), 15, 4):
        dist.all_reduce(torch.tensor(index))  # ok: two ranks have four each


def as_many_as_all_have():
    part = list(range(dist.get_rank(), 15, 2))
    for index in part[:7]:
        dist.all_reduce(torch.tensor(index))  # ok: each rank has seven


def filled_up():
    part = list(range(dist.get_rank(), 15, 2))
    if len(part) < 8:
        part.append(0)
    for index in part:
        dist.all_reduce(torch.tensor(index))  # ok: each rank has eight
