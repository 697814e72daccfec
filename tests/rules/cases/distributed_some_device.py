"""Scripts with NCCL in which something may choose the device: each of the functions would do."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def connect(local_rank):
    dist.init_process_group("nccl")


def main():
    connect(0)
    net = nn.Linear(4, 1).cuda()
    dist.all_reduce(torch.ones(1))  # expect: TL819
    return DistributedDataParallel(net)
