"""Collectives that some ranks run once more than others, with others of the same name around them."""

import torch
import torch.distributed as dist


def mean(x):
    dist.all_reduce(x)
    return x / dist.get_world_size()


def once_more(loss, correct):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  # expect: TL801
    dist.all_reduce(correct)


def before_and_behind(loss, correct, total):
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  # expect: TL801
        print(loss)
    dist.all_reduce(correct)


def by_the_same_helper(loss, correct):
    if dist.get_rank() == 0:
        print(mean(loss))  # expect: TL803
    return mean(correct)


def beside_a_pair(x, y):
    if dist.get_rank() == 0:
        dist.broadcast(x, 0)
        dist.all_reduce(x)  # expect: TL801
    else:
        dist.broadcast(y, 0)
    dist.all_reduce(y)


def as_often(x, y):
    if dist.get_rank() != 0:
        dist.barrier()
    x = x + 1
    if dist.get_rank() == 0:
        dist.barrier()
    dist.barrier()
    if dist.get_rank() == 0:
        print(mean(x))
        return x
    mean(y)
    return y


def each_in_its_way(x, y, batches):
    if dist.get_rank() == 0:
        dist.all_reduce(x)
    else:
        dist.all_reduce(y)
    for batch in batches:
        dist.all_reduce(batch)
    dist.all_reduce(y)
