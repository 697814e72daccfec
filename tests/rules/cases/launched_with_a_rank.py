"""The rank of the process group is given: a launcher of its own passes it, torchrun's processes have it in the environment."""

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
dist.init_process_group("gloo", rank=args.local_rank, world_size=2)
x = torch.ones(2)
x.unsqueeze(0)  # expect: TL901
print(x)
