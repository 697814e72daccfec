"""Random numbers that each rank draws for itself, in a script that seeds only torch."""

import random

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)  # expect: TL925
    for _ in range(8):
        if random.random() < 0.5:
            dist.all_reduce(torch.ones(1))  # expect: TL805
        if torch.rand(1).item() < 0.5:
            dist.all_reduce(torch.ones(1))  # ok: torch has a seed
    if random.randint(0, 3) == 2:
        print("ok: no collective")


main()
