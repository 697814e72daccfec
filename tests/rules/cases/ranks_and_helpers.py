import os
import torch
import torch.distributed as dist

def is_main_process():
    if not dist.is_available() or not dist.is_initialized():
        return True
    return dist.get_rank() == 0

def save(model, path):
    if not is_main_process():
        return
    state = model.state_dict()
    dist.barrier()  # expect: TL802
    torch.save(state, path)

def log_loss(loss):
    local_rank = int(os.environ["LOCAL_RANK"])
    if local_rank == 0:
        t = loss.clone()
        dist.all_reduce(t)  # expect: TL801
        print(t)

class Logger:
    def __init__(self, rank):
        self.rank = dist.get_rank()
        self.is_master = self.rank == 0
    def sync(self, v):
        dist.all_reduce(v)
        return v
    def log(self, v):
        if self.is_master and v is not None:
            v = self.sync(v)  # expect: TL803
        return v

def prepare():
    if dist.get_rank() != 0:
        dist.barrier()
    data = 1
    if dist.get_rank() == 0:
        dist.barrier()
    return data

def gather_ok(x):
    rank = dist.get_rank()
    world = dist.get_world_size()
    out = [torch.zeros_like(x) for _ in range(world)] if rank == 0 else None
    dist.gather(x, out, dst=0)
    if rank == 0:
        print(out)
    dist.barrier()

def worker(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    if rank == 0:
        dist.broadcast(torch.ones(1), src=0)  # expect: TL801
    dist.destroy_process_group()

if __name__ == "__main__":
    torch.multiprocessing.spawn(worker, args=(2,), nprocs=2)


class Served:
    def __init__(self, model):
        self.model = model
        self.rank = dist.get_rank()

    def scatter(self, messages=None):
        payload = [None]
        dist.scatter_object_list(payload, messages, src=0)
        return payload[0]

    def serve(self):
        while True:
            command, payload = self.scatter()
            if command == "stop":
                return
            dist.gather_object(self.model(payload), None, dst=0)

    def stop(self):
        self.scatter(["stop", None])


def evaluated(model):
    served = Served(model)
    if served.rank != 0:
        served.serve()
        return
    model.evaluate(served)
    served.stop()


def served_for_nothing(model):
    served = Served(model)
    if served.rank != 0:
        served.serve()  # expect: TL803
        return
    model.evaluate(served)


def served_once(model):
    served = Served(model)
    for _ in range(2):
        if served.rank != 0:
            served.scatter()  # expect: TL803
    return served
