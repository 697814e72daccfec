import torch, os, argparse
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def setup():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)  # expect: TL808
    args = parser.parse_args()
    dist.init_process_group("nccl")
    return args


def main():
    args = setup()
    model = DDP(torch.nn.Linear(3, 3).cuda(args.local_rank), device_ids=[args.local_rank])
    for epoch in range(3):
        if args.local_rank == 0:
            print("epoch", epoch)
            val = validate(model)  # expect: TL803
        dist.barrier()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "x.pt")


def validate(model):
    model.eval()
    correct = torch.zeros(1).cuda()
    dist.all_reduce(correct)
    return correct


def conditional(x, rank):
    y = dist.all_reduce(x) if rank == 0 else None  # expect: TL801
    return y


def both(x):
    if dist.get_rank() == 0:
        dist.broadcast(x, 0)
    else:
        dist.broadcast(x, 0)


def subgroup(x):
    g = dist.new_group([0, 1])
    if dist.get_rank() in [0, 1]:
        dist.all_reduce(x, group=g)
    ws = dist.get_world_size()
    if ws > 1:
        dist.all_reduce(x)


def loop(xs):
    for x in xs:
        if dist.get_rank() != 0:
            continue
        dist.all_reduce(x)  # expect: TL802
    dist.barrier()


def tryit(x):
    try:
        dist.all_reduce(x)
    except RuntimeError:
        print("fail")
    if dist.get_rank() == 0:
        os.makedirs("x")
    dist.barrier()


def p2p(x):
    r = dist.get_rank()
    if r == 0:
        dist.send(x, 1)
    elif r == 1:
        dist.recv(x, 0)
    dist.barrier()
