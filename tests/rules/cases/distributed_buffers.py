"""What collectives are given: what is known of it, and what is left open."""

import torch
import torch.distributed as dist


def one_place(x):
    dist.all_gather([torch.zeros_like(x)], x)  # expect: TL819


def made_by_append(x):
    parts = []
    for _ in range(dist.get_world_size()):
        parts.append(torch.zeros_like(x))
    dist.all_gather(parts, x)


def made_by_factor(x):
    dist.all_gather([torch.zeros(3)] * dist.get_world_size(), torch.ones(3))
    dist.all_gather([torch.zeros(2)] * dist.get_world_size(), torch.ones(3))  # expect: TL819


def a_group_of_its_own(x, group):
    dist.all_gather([torch.zeros_like(x)], x, group=group)


def none_for_tensors(x):
    dist.all_gather([None for _ in range(dist.get_world_size())], x)  # expect: TL819
    dist.all_gather_object([None for _ in range(dist.get_world_size())], x)


def world_is_known(x):
    dist.init_process_group("gloo", world_size=4)
    dist.all_gather([torch.zeros(3) for _ in range(2)], torch.ones(3))  # expect: TL819
    dist.all_gather([torch.zeros(3) for _ in range(4)], torch.ones(3))
    dist.all_gather_object([None] * 8, x)
    dist.all_gather_into_tensor(torch.zeros(8, 3), torch.ones(2, 3))
    dist.all_gather_into_tensor(torch.zeros(4, 3), torch.ones(2, 3))  # expect: TL819


def one_process_only():
    dist.init_process_group("gloo", world_size=1, rank=0)
    dist.all_gather([torch.zeros(3)], torch.ones(3))


def numbers(loss):
    dist.all_reduce(loss)
    dist.all_reduce(0.5)  # expect: TL819
    dist.all_reduce([torch.ones(1)])  # expect: TL819
    count = float(sum([1.0, 2.0]))
    dist.broadcast(count, 0)  # expect: TL819


def parts_of_a_whole(x, n):
    dist.all_gather_into_tensor(torch.zeros(n * 3), torch.ones(3))
    dist.reduce_scatter_tensor(torch.zeros(3), torch.ones(3))  # expect: TL819
    dist.reduce_scatter_tensor(torch.zeros(3), torch.ones(3 * dist.get_world_size()))


def with_nccl():
    dist.init_process_group("nccl")
    dist.all_reduce(torch.ones(3))  # expect: TL819
    dist.all_reduce(torch.ones(3, device="cuda"))
    dist.all_reduce(torch.ones(3).cuda())


def with_both():
    dist.init_process_group("cpu:gloo,cuda:nccl")
    dist.all_reduce(torch.ones(3))


def refused_on_purpose(x):
    try:
        dist.all_gather([torch.zeros_like(x)], x)
    except RuntimeError:
        pass


def on_one_rank(x):
    dist.scatter(x, [torch.zeros(3)] if dist.get_rank() == 0 else None)


def everywhere(objects):
    found = [None] * dist.get_world_size()
    dist.gather_object(objects, found)  # expect: TL819


def everywhere_but_not_looked_at(objects):
    found = [None]
    dist.scatter_object_list(found, objects)
    dist.scatter_object_list(found, [1, 2])
    dist.scatter_object_list(found, [None] * dist.get_world_size())
