"""A script as it is started on every rank, behind the question whether it is the main module."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DataParallel


def save(state, path="checkpoint.pth"):
    torch.save(state, path)  # expect: TL816


def save_once(state, path="best.pth"):
    if dist.get_rank() == 0:
        torch.save(state, path)


def main():
    dist.init_process_group("gloo")
    net = nn.Linear(4, 1)
    save(net.state_dict())
    save_once(net.state_dict())
    dist.destroy_process_group()


def in_one_process(net):
    return DataParallel(net)  # expect: TL818


if __name__ == "__main__":
    main()
