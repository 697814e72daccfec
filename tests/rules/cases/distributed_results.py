"""Results of collectives: the flagged uses raise, all others do not, or are expected to."""

import torch
import torch.distributed as dist
from torch.distributed.nn.functional import all_reduce


def mean(t):
    t = dist.all_reduce(t)
    return t / dist.get_world_size()  # expect: TL806


def handles(t, flag):
    w = dist.all_reduce(t, async_op=True)
    w.wait()
    w = dist.all_reduce(t, async_op=flag)
    if w is not None:
        w.wait()
    h = dist.broadcast(t, 0)
    if h is not None:
        h.wait()
    try:
        h.wait()
    except AttributeError:
        pass
    return h == 1


def options(t, **more):
    return dist.all_reduce(t, **more) / 2


def differentiable(t):
    return all_reduce(t) / 2


def own(t):
    class Dist:
        def all_reduce(self, tensor):
            return tensor

    dist = Dist()
    return dist.all_reduce(t) / 2


def gathered(t, parts):
    x = dist.all_gather(parts, t)
    return torch.cat(x)  # expect: TL806


def some(t, flag):
    x = t
    if flag:
        x = dist.all_reduce(t)
    return x / 2


def stored(t, results):
    results["sum"] = dist.all_reduce(t)
    done = [dist.broadcast(t, 0)]
    return done


def item(loss):
    return dist.all_reduce(loss.detach()).item()  # expect: TL806


def a_size_that_is_sent():
    size = [3]
    dist.broadcast_object_list(size, src=0)
    return torch.zeros(4).view(size[0], -1)  # ok: rank 0 may have sent another one
