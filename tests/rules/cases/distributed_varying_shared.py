"""Values that are random or of one rank where they are made, and the same on all ranks where they are tested."""

import random
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 1))
        self.register_buffer("offset", torch.rand(4))

    def forward(self, x):
        return (x + self.offset) @ self.weight


def weights_that_the_wrapper_has_sent():
    model = DDP(Scaled())
    if model(torch.ones(2, 4)).sum().item() > 0:
        dist.barrier()  # ok: all ranks have the weights of rank 0
    if model.module.weight.sum() > 0:
        dist.barrier()  # ok: the same


def weights_that_are_sent_one_by_one():
    model = Scaled()
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)
    for buffer in model.buffers():
        dist.broadcast(buffer, 0)
    if model(torch.ones(2, 4)).sum().item() > 0:
        dist.barrier()  # ok: the same


def a_view_that_is_sent():
    drawn = torch.rand(3)
    dist.broadcast(drawn.view(3, 1), 0)
    if drawn.sum().item() > 1:
        dist.barrier()  # ok: the view is the tensor


def a_view_of_what_is_reduced():
    total = torch.ones(2)
    dist.reduce(total, 0)
    dist.broadcast(total.view(1, 2), 0)
    if total.sum().item() > 3:
        dist.barrier()  # ok: rank 0 has told it


def a_list_that_is_sent(limit):
    start = time.time()
    for _ in range(5):
        elapsed = [time.time() - start]
        dist.broadcast_object_list(elapsed, src=0)
        if elapsed[0] > limit:
            break  # ok: the time of rank 0
        dist.barrier()


def a_list_that_is_filled():
    for _ in range(5):
        drawn = [random.random()]
        dist.broadcast_object_list(drawn, src=0)
        if drawn[0] > 0.5:
            dist.barrier()  # ok: the number of rank 0
        everywhere = [None] * dist.get_world_size()
        dist.all_gather_object(everywhere, random.random())
        if max(everywhere) > 0.5:
            dist.barrier()  # ok: all know all numbers


def norms_of_weights(loader):
    model = DDP(Scaled())
    for x in loader:
        loss = model(x).mean()
        if sum(weight.norm() for weight in model.parameters()) > 100:
            break  # ok: the weights are the same
        if model.module.weight.norm().item() > 100:
            continue
        if torch.isnan(loss):
            continue
        loss.backward()  # expect: TL805


def norm_of_gradients(loader):
    model = DDP(nn.Linear(4, 1))
    for x in loader:
        model(x).mean().backward()
        if not torch.isfinite(nn.utils.clip_grad_norm_(model.parameters(), 1.0)):
            continue  # ok: the gradients are the same
        dist.barrier()


def drawn_here():
    if torch.rand(1).item() < 0.5:
        dist.barrier()  # expect: TL805
    if random.random() < 0.5:
        dist.barrier()  # expect: TL805


dist.init_process_group("gloo")
weights_that_the_wrapper_has_sent()
weights_that_are_sent_one_by_one()
a_view_that_is_sent()
a_view_of_what_is_reduced()
a_list_that_is_sent(10)
a_list_that_is_filled()
drawn_here()
