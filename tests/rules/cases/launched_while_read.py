"""Processes that the top level starts, and such as only the main module or somebody else starts."""

import multiprocessing
import os

import torch.multiprocessing as mp
from torch.utils.data import DataLoader


def work(rank):
    print(rank)


def launch(count):
    mp.spawn(work, nprocs=count)


def several():
    processes = [multiprocessing.Process(target=work, args=(rank,)) for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


launch(2)  # expect: TL714
mp.spawn(work, nprocs=2)  # expect: TL714
several()  # expect: TL714
loader = DataLoader(range(8), num_workers=2)
first = next(iter(loader))  # expect: TL714
counts = [len(batch) for batch in loader]  # expect: TL714
context = mp.get_context("spawn")
context.Process(target=work, args=(0,)).start()  # expect: TL714
multiprocessing.get_context("fork").Process(target=work, args=(0,)).start()
for number, batch in enumerate(loader):  # expect: TL714
    print(number, batch)
forked = DataLoader(range(8), num_workers=2, multiprocessing_context="fork")
for batch in forked:
    print(batch)
for batch in DataLoader(range(8), num_workers=int(os.environ["WORKERS"])):
    print(batch)
idle = mp.Process(target=work, args=(0,))
if os.environ.get("RUN"):
    launch(2)
if __name__ == "__main__":
    launch(2)
    for batch in loader:
        print(batch)
