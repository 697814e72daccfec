"""Times of work on a GPU that a function measures and nothing reads."""

import time

import torch
from torch import nn

model = nn.Linear(100, 100).cuda()
x = torch.rand(100, 100, device="cuda")


def left_over(steps):
    forward = 0.0
    for _ in range(steps):
        start = time.time()
        model(x)
        done = time.time()  # expect: TL317 (info)
        forward += done - start
        start = time.time()
        model(x)
        spent = time.time() - start  # expect: TL317 (info)


def printed():
    start = time.time()
    model(x)
    spent = time.time() - start  # expect: TL317
    print(f"{spent:.3f} s")


def summed(steps):
    total = 0.0
    for _ in range(steps):
        start = time.time()
        model(x)
        total += time.time() - start  # expect: TL317
    return total


def read_inside():
    start = time.time()
    model(x)
    spent = time.time() - start  # expect: TL317
    return lambda: spent


def shared():
    global elapsed
    start = time.time()
    model(x)
    elapsed = time.time() - start  # expect: TL317


def kept(meter):
    start = time.time()
    model(x)
    meter.value = time.time() - start  # expect: TL317


def progress(loader, epochs):
    for epoch in range(epochs):
        began = time.time()
        for number, batch in enumerate(loader):
            output = model(x) + len(batch)
            print(number, time.time() - began)  # expect: TL317 (info)
        print(epoch, output.shape)
