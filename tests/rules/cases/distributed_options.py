"""A rank from the command line that nothing else may tell."""

import argparse

import torch
from torch import distributed as dist


def options():
    parser = argparse.ArgumentParser()
    group = parser.add_argument_group("distributed")
    group.add_argument("--local_rank", type=int, default=0)  # expect: TL808
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--local", type=int, default=0)
    return parser.parse_args()


def main():
    args = options()
    print(args)
    torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl")


main()
