"""One process per device, or a single process without any launcher."""

import os

import torch
import torch.distributed as dist


def setup():
    """Joins the process group when a launcher started this process; gives the local rank."""
    if "WORLD_SIZE" not in os.environ:
        return 0
    local_rank = int(os.environ["LOCAL_RANK"])
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend)
    return local_rank


def world_size():
    return dist.get_world_size() if dist.is_initialized() else 1


def is_main_process():
    return not dist.is_initialized() or dist.get_rank() == 0


def reduce_mean(value):
    """The mean of a tensor over all processes."""
    if world_size() == 1:
        return value
    value = value.detach().clone()
    dist.all_reduce(value, op=dist.ReduceOp.SUM)
    return value / world_size()


def pick_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def cleanup():
    if dist.is_initialized():
        dist.destroy_process_group()
