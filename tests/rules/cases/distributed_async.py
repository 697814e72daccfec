"""Collectives that go on by themselves: what is used too early, and what is waited for somewhere."""

import torch
import torch.distributed as dist

from somewhere import finish


def dropped(x):
    dist.broadcast(x, 0, async_op=True)  # expect: TL807
    dist.isend(x, 1)  # expect: TL807
    dist.barrier(async_op=True)  # expect: TL807


def dropped_before_a_barrier(xs):
    for source, x in enumerate(xs):
        dist.broadcast(x, source, async_op=True)
    dist.barrier()
    return xs


def dropped_by_name(x):
    _ = dist.all_reduce(x, async_op=True)  # expect: TL807
    return x


def returned(x):
    return dist.all_reduce(x, async_op=True)


def in_a_lambda(xs):
    return list(map(lambda x: dist.all_reduce(x, async_op=True), xs))


def used_in_arithmetic():
    total = torch.zeros(2)
    work = dist.all_reduce(total, async_op=True)
    mean = total / dist.get_world_size()  # expect: TL807
    work.wait()
    return mean


def used_through_a_view():
    total = torch.zeros(2, 2)
    work = dist.all_reduce(total, async_op=True)
    flat = total.view(-1)
    flat.add_(1)  # expect: TL807
    work.wait()


def only_looked_at():
    total = torch.zeros(2)
    work = dist.all_reduce(total, async_op=True)
    like = torch.zeros_like(total)
    print(total.shape, total.size(0), like)
    work.wait()
    return total.sum()


def waited_on_one_way(flag):
    total = torch.zeros(2)
    work = dist.all_reduce(total, async_op=True)
    if flag:
        work.wait()
    return total.sum()


def waited_unseen():
    total = torch.zeros(2)
    work = dist.all_reduce(total, async_op=True)
    finish(work)
    return total.sum()


def waited_for_in_a_loop():
    tensors = [torch.zeros(2), torch.ones(2)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for work in works:
        work.wait()
    return tensors[0] + tensors[1]


def one_after_the_other(batches):
    works = []
    for batch in batches:
        total = torch.zeros(2)
        total += batch
        works.append(dist.all_reduce(total, async_op=True))
    for work in works:
        work.wait()


def followed_by_another():
    total = torch.zeros(2)
    work = dist.all_reduce(total, async_op=True)
    dist.barrier()
    del work
    return total.sum()


def synchronized():
    total = torch.zeros(2, device="cuda")
    work = dist.all_reduce(total, async_op=True)
    torch.cuda.synchronize()
    return total.sum(), work


def gathered():
    parts = [torch.zeros(2), torch.zeros(2)]
    work = dist.all_gather(parts, torch.ones(2), async_op=True)
    first = parts[0] + 1  # expect: TL807
    work.wait()
    return first, torch.cat(parts)


def received():
    got = torch.zeros(2)
    request = dist.irecv(got, 0)
    print(got)  # expect: TL807
    request.wait()


def sent():
    given = torch.zeros(2)
    request = dist.isend(given, 1)
    print(given)
    request.wait()


def decided_by_the_caller(x, later):
    dist.all_reduce(x, async_op=later)


class Reducer:
    def start(self, x):
        self.work = dist.all_reduce(x, async_op=True)

    def finish(self):
        self.work.wait()


def with_a_reducer():
    total = torch.zeros(2)
    reducer = Reducer()
    reducer.start(total)
    reducer.finish()
    return total.sum()
