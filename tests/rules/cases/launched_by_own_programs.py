"""Who starts the processes passes the rank that this script reads."""

import argparse
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--rank", "--local_rank", type=int, default=0)
parser.add_argument("-l", "--local-rank", type=int, default=0)  # expect: TL808
args = parser.parse_args()
dist.init_process_group("gloo")
print(args.local_rank)
