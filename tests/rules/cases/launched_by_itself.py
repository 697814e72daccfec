"""A script that starts its processes may tell them their rank as it likes."""

import argparse
import subprocess
import sys

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=None)
args = parser.parse_args()
if args.local_rank is None:
    for rank in range(2):
        subprocess.Popen([sys.executable, __file__, "--local_rank", str(rank)])
else:
    dist.init_process_group("gloo")
    x = torch.ones(2)
    x.unsqueeze(0)  # expect: TL901
    print(x)
