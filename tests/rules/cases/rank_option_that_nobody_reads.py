"""An option for the rank that is left over from a script which was started in several processes."""

import argparse

import torch
import torch.distributed as dist


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=1)
    return parser.parse_args()


def main(args):
    # dist.init_process_group("nccl")
    total = torch.zeros(())
    for _ in range(args.epochs):
        total = total + 1
    if not dist.is_initialized():
        print(total[0])  # expect: TL122


main(options())
