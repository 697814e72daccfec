"""Calls that need the process group before there is one: which order is certain, and what leaves it open."""

import os
import unittest

import torch
import torch.distributed as dist
from torch.distributed import get_rank, get_world_size, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DistributedSampler

from somewhere import launch


def names_of_its_own(backend):
    world = get_world_size()  # expect: TL814
    init_process_group(backend)
    return world


def one_way_of_two(args):
    if args.distributed:
        torch.cuda.set_device(dist.get_rank())  # expect: TL814
        dist.init_process_group("nccl")
    return DDP(torch.nn.Linear(2, 2))


def some_runs_only(args):
    if args.resumed:
        print(dist.get_rank())
    dist.init_process_group("gloo")


def asked_first():
    if dist.is_initialized():
        print(dist.get_rank())
        dist.destroy_process_group()
    dist.init_process_group("gloo")


def asked_the_other_way():
    if not dist.is_initialized():
        dist.barrier()  # expect: TL814


def asked_with_more(args):
    if args.verbose and dist.is_initialized():
        dist.barrier()
    if args.verbose or not dist.is_initialized():
        dist.barrier()


def left_early():
    if not dist.is_available() or not dist.is_initialized():
        return 0
    return dist.get_rank()


def uses_what_left_early():
    rank = left_early()
    dist.init_process_group("gloo")
    return rank


def ends_and_begins():
    dist.init_process_group("gloo")
    dist.destroy_process_group()
    launch()
    dist.barrier()


def ends_one_group(group):
    dist.destroy_process_group(group)
    dist.barrier()


def ends_for_good():
    dist.init_process_group("gloo")
    for _ in range(3):
        dist.barrier()
    dist.destroy_process_group()
    return dist.get_world_size()  # expect: TL814


def group_of_its_own(group):
    size = dist.get_world_size(group)
    dist.init_process_group("gloo")
    return size


def tried():
    try:
        rank = dist.get_rank()
    except RuntimeError:
        rank = 0
    dist.init_process_group("gloo")
    return rank


def ended_in_a_final_block():
    try:
        dist.init_process_group("gloo")
        dist.barrier()
    finally:
        dist.destroy_process_group()


def told_its_rank(data):
    sampler = DistributedSampler(data, num_replicas=2, rank=int(os.environ["RANK"]))
    dist.init_process_group("gloo")
    return sampler


def told_half(data):
    sampler = DistributedSampler(data, num_replicas=2)  # expect: TL814
    dist.init_process_group("gloo")
    return sampler


def worker(rank):
    dist.barrier()  # expect: TL814


class TestRanks(unittest.TestCase):
    def test_rank(self):
        self.assertEqual(dist.get_rank(), 0)

    def test_error(self):
        with self.assertRaises(ValueError):
            dist.get_rank()
        dist.init_process_group("gloo")


if __name__ == "__main__":
    dist.barrier()
    torch.multiprocessing.spawn(worker, nprocs=2)
