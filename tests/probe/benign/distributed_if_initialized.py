import torch

import torch.distributed as dist

world = dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1
x = torch.ones(2)
if world > 1:
    dist.all_reduce(x, op=dist.ReduceOp.SUM)
print(x / world)
