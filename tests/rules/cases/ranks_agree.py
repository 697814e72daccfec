import torch, sys
import torch.distributed as dist
import elsewhere

def barrier_if_dist():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()

def download(rank, path):
    if rank not in (-1, 0):
        dist.barrier()
    data = open(path)
    if rank == 0:
        dist.barrier()
    return data

class zero_first:
    def __init__(self, local_rank):
        self.local_rank = local_rank
    def __enter__(self):
        if self.local_rank not in [-1, 0]:
            dist.barrier()
    def __exit__(self, *a):
        if self.local_rank == 0:
            dist.barrier()

def reduce_dict(d):
    ws = dist.get_world_size()
    if ws < 2:
        return d
    vals = torch.stack(list(d.values()))
    dist.reduce(vals, dst=0)
    if dist.get_rank() == 0:
        vals /= ws
    return vals

def save_on_master(*args):
    if dist.get_rank() == 0:
        torch.save(*args)

def run(model, rank):
    if rank == 0:
        print("start")
    dist.barrier()
    for epoch in range(2):
        loss = model(torch.ones(1))
        dist.all_reduce(loss)
        if rank == 0 and epoch % 2 == 0:
            print(loss)
            save_on_master(loss, "x")
        dist.barrier()
    if rank != 0:
        sys.exit(0)
    print("done")

def object_list(rank):
    objs = [None]
    if rank == 0:
        objs = [{"a": 1}]
    dist.broadcast_object_list(objs, src=0)
    gathered = [None] * dist.get_world_size() if rank == 0 else None
    dist.gather_object(objs, gathered, dst=0)
    return gathered

def bad_early(rank, t):
    if rank == 0:
        print("x")
        return t
    dist.all_reduce(t)  # expect: TL802
    return t

def bad_while(t):
    i = 0
    while dist.get_rank() == 0 and i < 3:
        dist.all_reduce(t)  # expect: TL801
        i += 1

def bad_match(t):
    match dist.get_rank():
        case 0:
            dist.all_reduce(t)  # expect: TL801
        case _:
            pass

def bad_and(t):
    dist.get_rank() == 0 and dist.all_reduce(t)  # expect: TL801


class Evaluator:
    """One process, or many of which the first one computes for all."""

    def __init__(self, distributed, device):
        self.distributed = distributed
        self.device = device

    def all_meet(self):
        if not self.distributed or dist.get_rank() == 0:
            metric = torch.rand(1)
            if self.distributed:
                dist.broadcast(metric.to(self.device), 0)
        else:
            metric = torch.zeros(1, device=self.device)
            dist.broadcast(metric, 0)
        return metric

    def the_first_waits(self):
        metric = torch.zeros(1, device=self.device)
        if not self.distributed or dist.get_rank() == 0:
            metric = torch.rand(1)
            if self.distributed:
                dist.broadcast(metric.to(self.device), 0)  # expect: TL801
        return metric


class FirstAlone:
    def __enter__(self):
        if dist.get_rank() != 0:
            dist.barrier()

    @elsewhere.wrapped
    def __exit__(self, *error):
        if dist.get_rank() == 0:
            dist.barrier()


def prepared(path):
    with FirstAlone():
        return open(path)


@elsewhere.wrapped
def tell(value):
    print(value)
    dist.barrier()


def the_first_is_alone(value):
    if dist.get_rank() == 0:
        dist.barrier()  # expect: TL801
    tell(value)


def the_first_four(model):
    rank = dist.get_rank()
    if rank in [0, 1, 2, 3]:
        dist.barrier()  # a run of four processes: all of them
    if rank < 2:
        dist.barrier()
    if rank in (1, 2):
        dist.barrier()  # expect: TL801


def is_main_process():
    return not dist.is_initialized() or dist.get_rank() == 0


def both_ways_of_a_helper():
    if is_main_process():
        print("saving")
        dist.barrier()  # ok: whatever the helper says, a rank gets to one barrier
    else:
        dist.barrier()
    dist.barrier()


def three_ways(t):
    if is_main_process():
        dist.all_reduce(t)
        dist.barrier()
    elif t.ndim:
        dist.all_reduce(t)
        dist.barrier()
    else:
        dist.all_reduce(t)
        dist.barrier()


def ways_in_ways():
    if is_main_process():
        if dist.get_rank() == 0:
            dist.barrier()
        elif is_main_process():
            dist.barrier()
        else:
            dist.barrier()
    else:
        dist.barrier()


def loops_in_both_ways(tensors):
    if is_main_process():
        for t in tensors:
            dist.all_reduce(t)
    else:
        for t in tensors:
            dist.all_reduce(t)


def both_ways_of_a_flag(flag):
    if flag and dist.get_rank() == 0:
        print("saving")
        dist.barrier()
    else:
        dist.barrier()


def left_after_the_barrier(t):
    if is_main_process():
        print("saving")
        dist.barrier()  # ok: those that go on get to the other one
        return t
    dist.barrier()
    return None


def next_one_after_the_barrier(flag):
    for _ in range(3):
        if flag and dist.get_rank() == 0:
            dist.barrier()
            continue
        dist.barrier()


def bad_one_way_of_a_helper(t):
    if is_main_process():
        dist.all_reduce(t)  # expect: TL801


def bad_different_ways(t):
    if is_main_process():
        dist.all_reduce(t)  # expect: TL801
    else:
        dist.barrier()  # expect: TL801


def bad_left_after_too_many(t):
    if is_main_process():
        dist.all_reduce(t)  # expect: TL801
        dist.barrier()  # ok: all get to one barrier
        return t
    dist.barrier()
    return None


def bad_way_in_a_way(t):
    if t.ndim:
        dist.barrier()
    elif dist.get_rank() == 0:
        dist.barrier()  # expect: TL801


def number_of_the_rank(t):
    turn = dist.get_rank() * 2 + 1
    if turn > 2:
        dist.all_reduce(t)  # expect: TL801


def number_from_above(t):
    if 3 - dist.get_rank() == 2:
        dist.all_reduce(t)  # expect: TL801


def number_of_a_number(t):
    turn = dist.get_rank() * 2 + 1
    if 5 - turn < 4:
        dist.all_reduce(t)  # expect: TL801


def numbers_of_no_rank(t):
    turn = dist.get_rank() * 2 + 1
    if turn == 4:
        dist.barrier()  # ok: no rank is there
    if turn >= 1:
        dist.barrier()  # ok: every rank is
    if dist.get_rank() + 1 == dist.get_world_size():
        print("last")
    own = dist.get_rank() + dist.get_world_size()
    if own > 2:
        dist.all_reduce(t)  # ok: it may be all
