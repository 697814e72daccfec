"""A sharded model gives its state where all ranks ask for it together (TL804)."""

import torch
from torch import nn
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, StateDictType


def run():
    dist.init_process_group("nccl")
    model = FSDP(nn.Linear(8, 8).cuda())
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "m.pt")  # expect: TL804


def ok():
    dist.init_process_group("nccl")
    model = FSDP(nn.Linear(8, 8).cuda())
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
        state = model.state_dict()
    if dist.get_rank() == 0:
        torch.save(state, "m.pt")


class Saver:
    def __init__(self, net):
        self.model = FSDP(net)

    def save(self, path):
        if dist.get_rank() != 0:
            return
        torch.save(self.model.state_dict(), path)  # expect: TL804


def ok_ddp():
    dist.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 8))
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "m.pt")
