"""Loaders beside models in DistributedDataParallel: trained on, on all ranks and on all ways, or not."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from mine import make_dataset, options
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def setup(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "12355"
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    torch.cuda.set_device(rank)
    print(f"rank {rank} is ready")


def train(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()


def numbers():
    return TensorDataset(torch.ones(8, 1), torch.ones(8, 1))


def main(rank, world_size):
    setup(rank, world_size)
    data = numbers()
    model = DDP(nn.Linear(1, 1).to(rank), device_ids=[rank])
    loader = DataLoader(data, batch_size=2, shuffle=True)  # expect: TL815
    train(model, loader)
    if rank == 0:
        torch.save(model.module.state_dict(), "model.pt")


def shared(rank, world_size):
    setup(rank, world_size)
    data = numbers()
    model = DDP(nn.Linear(1, 1).to(rank), device_ids=[rank])
    train(model, DataLoader(data, batch_size=2, sampler=DistributedSampler(data)))
    train(model, DataLoader(data, **options))
    train(model, DataLoader(make_dataset(), batch_size=2))


def on_some_ways(rank, world_size, parallel):
    setup(rank, world_size)
    model = nn.Linear(1, 1)
    if parallel:
        model = DDP(model)
    train(model, DataLoader(numbers(), batch_size=2))


def another_model(rank, world_size):
    setup(rank, world_size)
    big = DDP(nn.Linear(1, 1))
    train(nn.Linear(1, 1), DataLoader(numbers(), batch_size=2))
    return big(torch.ones(1, 1))


def judged(rank, world_size):
    setup(rank, world_size)
    model = DDP(nn.Linear(1, 1).to(rank))
    train(model, DataLoader(numbers(), batch_size=2, sampler=DistributedSampler(numbers())))
    model.eval()
    total = 0.0
    for x, y in DataLoader(numbers(), batch_size=2):
        total += (model(x) - y).abs().sum().item()
    return total


if __name__ == "__main__":
    mp.spawn(main, args=(2,), nprocs=2)
