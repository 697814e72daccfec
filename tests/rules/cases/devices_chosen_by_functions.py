"""Devices that a function returns early, one where CUDA is available and others where it is not (TL303)."""

import torch
from torch import nn


def by_platform():
    if torch.cuda.is_available():
        return torch.device("cuda")
    elif torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def by_name():
    if not torch.cuda.is_available():
        return "cpu"
    return "cuda:0"


def by_option(gpu):
    if gpu:
        return torch.device("cuda")
    return torch.device("cpu")


def placed(tensor):
    if torch.cuda.is_available():
        return tensor.cuda()
    return tensor


def on_the_platform():
    net = nn.Linear(4, 2).to(by_platform())
    return net(torch.randn(8, 4))  # expect: TL303


def on_the_named():
    noise = torch.randn(8, 4, device=by_name())
    return noise + torch.ones(8, 4)  # expect: TL303


def both_moved():
    device = by_platform()
    net = nn.Linear(4, 2).to(device)
    return net(torch.randn(8, 4).to(device))  # ok: on the same device


def of_different_functions():
    net = nn.Linear(4, 2).to(by_platform())
    return net(torch.randn(8, 4, device=by_name()))  # ok: both are on CUDA where it is available


def on_the_option(gpu):
    net = nn.Linear(4, 2).to(by_option(gpu))
    return net(torch.randn(8, 4))  # ok: where no GPU is asked for it is on the CPU


def moved_by_a_helper():
    weight = placed(torch.ones(8, 4))
    return weight + torch.ones(8, 4)  # expect: TL303


def all_moved_by_a_helper():
    return placed(torch.ones(8, 4)) + placed(torch.zeros(8, 4))  # ok: moved alike


def only_with_a_gpu():
    if not torch.cuda.is_available():
        return torch.ones(4) + torch.ones(4, device=by_name())  # ok: the CPU, since there is no GPU
    return None
