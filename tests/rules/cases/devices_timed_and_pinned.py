"""Clocks around work on a GPU, and batches that are moved to one."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.ones(8, 4), torch.zeros(8))


def only_if_there(x):
    model = nn.Linear(4, 3).to(device)
    start = time.time()
    model(x.to(device))
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.time() - start


def average(x):
    model, total = nn.Linear(4, 3).cuda(), 0.0
    for _ in range(100):
        start = time.perf_counter()
        model(x.cuda())
        total += time.perf_counter() - start  # expect: TL317
    return total


def meters(loader, log):
    model, end = nn.Linear(4, 3).cuda(), time.time()
    for x in loader:
        log(time.time() - end)
        model(x.cuda())
        log(time.time() - end)
        end = time.time()


def printed(x):
    model = nn.Linear(4, 3).cuda()
    start = time.time()
    print(model(x.cuda()))
    return time.time() - start


def events(x):
    model = nn.Linear(4, 3).cuda()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start = time.time()
    begin.record()
    model(x.cuda())
    end.record()
    end.synchronize()
    return begin.elapsed_time(end), time.time() - start


def unseen(model, x):
    start = time.time()
    model(x.cuda())
    return time.time() - start


def without_work():
    x = torch.ones(4, device="cuda")
    start = time.time()
    y = x.view(2, 2).t()
    return y, time.time() - start


class Timer:
    def __init__(self):
        self.started = time.time()
        self.model = nn.Linear(4, 3).cuda()

    def elapsed(self):
        return time.time() - self.started

    def run(self, x):
        first = time.time()
        self.model(x)
        second = time.time()
        return second - first


def copies(options, pinned):
    for x, y in DataLoader(data, **options):
        x = x.cuda(non_blocking=True)
    for x, y in DataLoader(data, pin_memory=pinned):
        x = x.cuda(non_blocking=True)
    for x, y in DataLoader(data):
        x, y = x.to(device, non_blocking=True), y.cuda()  # expect: TL307
    for x, y in DataLoader(data):
        x = x.pin_memory().to(device, non_blocking=True)
        y = (y * 2).to(device, non_blocking=True)
    return x, y
