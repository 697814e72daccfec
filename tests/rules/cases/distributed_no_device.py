"""A script with NCCL in which nobody chooses a device."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from somewhere import build_model


def connect():
    dist.init_process_group(backend="nccl", init_method="env://")


def main(steps):
    connect()
    net = nn.Linear(4, 1).cuda()
    model = DistributedDataParallel(net)  # expect: TL809
    other = DistributedDataParallel(build_model("large").cuda())  # expect: TL809
    for _ in range(steps):
        model(torch.ones(2, 4).cuda()).sum().backward()
    return other
