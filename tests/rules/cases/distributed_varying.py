"""Values that differ from rank to rank and decide who comes to a collective, and such as do not."""

import random
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from elsewhere import agree


def own_loader():
    data = TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
    return DataLoader(data, batch_size=2, sampler=DistributedSampler(data))


def some_of_the_batch():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        model(x).mean().backward()
        mask = x[:, 0] > 1
        if mask.any():
            dist.all_reduce(mask.sum())  # expect: TL805


def counted_in_the_batch():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        found = (y > 1).sum().item()
        if found:
            model(x).mean().backward()  # expect: TL805


def nothing_left_of_the_batch():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        x = x[y[:, 0] > 0]
        if len(x) == 0:
            continue
        model(x).mean().backward()  # expect: TL805


def rows_that_are_picked():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        if x[:, 0].nonzero().numel() == 0:
            print("nothing")
        x = x[y[:, 0] > 0]
        if x.shape[0] > 0:
            model(x).mean().backward()  # expect: TL805


def as_many_as_in_any_batch():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        if len(x) < 2:
            continue  # ok: a sampler gives all ranks as many
        model(x).mean().backward()


def every_rank_has_these():
    data = TensorDataset(torch.randn(16, 4))
    for (x,) in DataLoader(data, batch_size=2):
        if x.sum() > 0:
            dist.all_reduce(torch.ones(1))  # ok: no sampler distributes them


def out_of_time(steps, limit):
    start = time.monotonic()
    for _ in range(steps):
        spent = time.monotonic() - start
        if spent > limit:
            break
        dist.all_reduce(torch.ones(1))  # expect: TL805


def minutes(steps, limit):
    start = time.time()
    for _ in range(steps):
        dist.all_reduce(torch.ones(1))  # expect: TL805
        if (time.time() - start) / 60 >= limit:
            return


def told_of_the_time(steps, limit):
    start = time.time()
    for _ in range(steps):
        late = torch.tensor(time.time() - start)
        dist.broadcast(late, 0)
        if late.item() > limit:
            break  # ok: the time of rank 0
        dist.barrier()


def told_in_a_function(steps, limit):
    start = time.time()
    for _ in range(steps):
        late = torch.tensor(time.time() - start)
        agree(late)
        if late.item() > limit:
            break  # ok: another file may have made it the same
        dist.barrier()


def time_of_the_first(steps, limit):
    start = time.time()
    for _ in range(steps):
        if dist.get_rank() == 0 and time.time() - start > limit:
            print("slow")  # ok: nobody waits
        dist.barrier()
        if time.time() - start > limit:
            print("slow", torch.ones(1))
        if time.time() - start > 10 * limit:
            raise TimeoutError  # ok: the job ends


def a_rank_of_its_own(limit):
    start = time.time()
    while True:
        if dist.get_rank() == 0:
            if time.time() - start > limit:
                break
    return start


def sum_on_one():
    total = torch.ones(1)
    dist.reduce(total, 0)
    if total > 2:
        dist.barrier()  # expect: TL805


def sum_on_all():
    total = torch.ones(1)
    dist.reduce(total, 0)
    dist.broadcast(total, 0)
    if total > 2:
        dist.barrier()  # ok: rank 0 has told it


def sum_where_it_is():
    total = torch.ones(1)
    dist.reduce(total, 0)
    if dist.get_rank() == 0 and total > 2:
        print(total)
    dist.barrier()


def either_way():
    total = torch.ones(1)
    dist.reduce(total, 0)
    if total > 2:
        dist.barrier()  # ok: both wait
    else:
        dist.barrier()


def drawn(p):
    if random.random() < p:
        dist.barrier()  # ok: this file does not make the process group


def told_by_exchange_before():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        found = (y > 1).sum()
        everywhere = found.clone()
        dist.all_reduce(everywhere)
        if everywhere.item() > 0:
            model(x).mean().backward()  # ok: the ranks have agreed


def own_after_an_exchange():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        found = (y > 1).sum()
        dist.all_gather([torch.ones(1) for _ in range(dist.get_world_size())], torch.ones(1))
        if found.item() > 0:
            model(x).mean().backward()  # ok: they have exchanged something, perhaps this


def a_step_of_the_loop_and_own_data():
    model = DDP(nn.Linear(4, 1))
    for step, (x, y) in enumerate(own_loader()):
        loss = model(x).mean()
        if step > 0 and loss.item() > 60:
            continue
        loss.backward()  # expect: TL805


def asked_where_it_is_alone(alone):
    model = DDP(nn.Linear(4, 1))
    for step, (x, y) in enumerate(own_loader()):
        loss = model(x).mean()
        if alone and loss.item() > 60:
            continue  # ok: perhaps there is one process
        if dist.get_world_size() == 1 and torch.isnan(loss):
            continue  # ok: there is one process
        loss.backward()


def out_of_memory():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        try:
            model(x).mean().backward()  # expect: TL805
        except RuntimeError as error:
            if "out of memory" in str(error):
                torch.cuda.empty_cache()
                continue
            raise


def skipped_for_any_error():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        try:
            loss = model(x).mean()
            loss.backward()  # expect: TL805
        except Exception as error:
            print(error)
            continue


def errors_that_end_the_job():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        try:
            model(x).mean().backward()
        except RuntimeError:
            print(x)
            raise  # ok: the others are ended, too


def errors_that_all_are_told():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        failed = torch.zeros(1)
        try:
            model.module(x)
        except RuntimeError:
            failed += 1
        dist.all_reduce(failed)
        if failed > 0:
            continue  # ok: all ranks
        model(x).mean().backward()


def errors_in_which_the_others_are_met():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        try:
            model(x).mean().backward()
        except torch.cuda.OutOfMemoryError:
            model(x[:1]).mean().backward()  # ok: this rank takes part
            continue


def errors_of_the_file():
    model = DDP(nn.Linear(4, 1))
    for x, y in own_loader():
        try:
            x.numpy().tofile("x.bin")
        except RuntimeError:
            continue  # ok: no collective is in the try
        finally:
            print(x)
    batches = iter(own_loader())
    while True:
        try:
            x, y = next(batches)
            model(x).mean().backward()
        except StopIteration:
            break  # ok: no error


def sharded_until_it_is_good_enough():
    model = FSDP(nn.Linear(4, 1))
    for epoch in range(10):
        correct = 0
        for x, y in own_loader():
            out = model(x)  # expect: TL805
            nn.functional.mse_loss(out, y).backward()
            correct += ((out - y).abs() < 0.1).sum().item()
        if correct / 16 > 0.9:
            break


def sharded_until_all_are_good_enough():
    model = FSDP(nn.Linear(4, 1))
    for epoch in range(10):
        correct = torch.zeros(1)
        for x, y in own_loader():
            out = model(x)
            nn.functional.mse_loss(out, y).backward()
            correct += ((out - y).abs() < 0.1).sum()
        dist.all_reduce(correct)
        if correct.item() / 16 > 0.9:
            break  # ok: the ranks have added them


def sharded_with_the_sum_of_numbers():
    model = FSDP(nn.Linear(4, 1))
    for epoch in range(10):
        correct = 0
        for x, y in own_loader():
            out = model(x)
            nn.functional.mse_loss(out, y).backward()
            correct += ((out - y).abs() < 0.1).sum().item()
        everywhere = [None] * dist.get_world_size()
        dist.all_gather_object(everywhere, correct)
        if sum(everywhere) / 16 > 0.9:
            break  # ok: the ranks have told each other


def until_it_is_late(limit):
    start = time.time()
    while time.time() - start < limit:
        dist.all_reduce(torch.ones(1))  # expect: TL805


def until_all_are_late(limit):
    start = time.time()
    late = torch.zeros(1)
    while late.item() == 0:
        late = torch.tensor([float(time.time() - start > limit)])
        dist.all_reduce(late)  # ok: all ranks know


def waits_for_its_own_file(limit, path):
    start = time.time()
    while time.time() - start < limit:
        if path.exists():
            break
        time.sleep(1)
    dist.barrier()  # ok: all come
