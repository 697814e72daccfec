"""The device of `torch.accelerator`, which is CUDA where there is CUDA (TL303)."""

import torch
from torch import nn


def chosen():
    has_one = torch.accelerator.is_available()
    device = torch.accelerator.current_accelerator() if has_one else torch.device("cpu")
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4))  # expect: TL303


def by_type():
    device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
    noise = torch.rand(8, 4, device=device)
    return noise + torch.ones(8, 4)  # expect: TL303


def without_one():
    device = torch.accelerator.current_accelerator()
    if device is None:
        device = torch.device("cpu")
        return torch.ones(4) + torch.ones(4, device=device)  # ok: the CPU
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4))  # expect: TL303


def or_the_cpu():
    device = torch.accelerator.current_accelerator()
    if device is None:
        device = torch.device("cpu")
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4))  # expect: TL303


def moved():
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "cpu"
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4).to(device))  # ok: on the same device


def beside_cuda():
    device = torch.accelerator.current_accelerator()
    if torch.cuda.is_available():
        return torch.ones(4, device=device) + torch.ones(4, device="cuda")  # ok: the same
    return None
