"""Loops whose steps a gradient scaler takes, and in which nothing clears the gradients."""

import torch
from torch import nn


def named(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()  # expect: TL501
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def in_a_list(model: nn.Module, loader):
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1)]
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()  # expect: TL501
        scaler.step(optimizers[0])
        scaler.update()


def cleared(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()  # ok: cleared above
        scaler.step(optimizer)
        scaler.update()
