"""Each rank saves its own part, which takes no other rank (TL804 is silent); marked is what has nothing to do with it."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import StateDictType


def save(path):
    model = FSDP(nn.Linear(8, 8).cuda())
    with FSDP.state_dict_type(model, StateDictType.LOCAL_STATE_DICT):
        if dist.get_rank() < 4:
            torch.save(model.state_dict(), path)


def reduced(loss):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  # expect: TL801
