import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def train(flag):
    m = DDP(nn.Linear(3, 3))
    x = torch.ones(2, 3)
    if flag:
        y = m(x)
    loss = m.module(x).sum()
    loss.backward()
    if dist.get_rank() == 0:
        m(x)
    if dist.get_rank() == 0:
        m(x).sum().backward()  # expect: TL804
    dst = 1
    if dist.get_rank() == dst:
        dist.all_reduce(x)  # expect: TL801
    return loss
