"""An entry `local_rank` that is computed from the rank of the group: the option that old launchers pass is not what counts."""

import argparse

import torch
from torch import distributed

distributed.init_process_group(backend="mpi")
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int)
config = dict(vars(parser.parse_args()))
config.update(dict(local_rank=distributed.get_rank() % torch.cuda.device_count()))
torch.cuda.set_device(config["local_rank"])
x = torch.ones(2)
x.unsqueeze(0)  # expect: TL901
