"""Devices that the rank among all processes chooses."""

import os

import torch
import torch.distributed as dist


def chosen_by_get_rank():
    torch.cuda.set_device(dist.get_rank())  # expect: TL813


def chosen_by_a_variable():
    rank = int(os.environ["RANK"])
    return torch.device(f"cuda:{rank}")  # expect: TL813


def divided():
    torch.cuda.set_device(dist.get_rank() % 8)


def by_its_name(rank):
    torch.cuda.set_device(rank)
    return f"cuda:{rank}"


def shown():
    print(f"rank {dist.get_rank()}")
