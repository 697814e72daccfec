"""GPUs of which the number is not known: CUDA all the same (TL303), and equal to no other for certain."""

import torch
from torch import nn
from torch.nn import functional as F


def trained(gpu, loader):
    model = nn.Linear(4, 2).cuda(gpu)
    criterion = nn.CrossEntropyLoss(weight=torch.ones(2)).cuda(gpu)
    images, target = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    scores = model(images.cuda(gpu, non_blocking=True))
    return criterion(scores, target)  # expect: TL303


def named(rank):
    device = torch.device(f"cuda:{rank}")
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4))  # expect: TL303


def numbered(rank):
    noise = torch.randn(8, 4, device=torch.device("cuda", rank))
    return noise + torch.ones(8, 4)  # expect: TL303


def read_back(gpu):
    return torch.ones(4).cuda(gpu).numpy()  # expect: TL301


def chosen_by_number(gpu):
    device = f"cuda:{gpu}" if gpu >= 0 else "cpu"
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4))  # ok: without a number it is the CPU


def where_there_is_one(gpu):
    device = torch.device(f"cuda:{gpu}" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(4, 2).to(device)
    return model(torch.randn(8, 4))  # expect: TL303


def of_any_kind(kind, number):
    model = nn.Linear(4, 2).to(f"{kind}:{number}")
    return model(torch.randn(8, 4))  # ok: it may be the CPU


def of_two_numbers(here, there):
    a, b = torch.ones(4).cuda(here), torch.ones(4).cuda(there)
    if a.device == b.device:
        return a + b
    return (a + torch.ones(4)) + b  # expect: TL303


def of_some_and_first(gpu):
    return torch.ones(4).cuda(gpu) + torch.ones(4).cuda(0)  # ok: it may be the first


def index_is_unknown(gpu):
    device = torch.device("cuda", gpu)
    if device.index is None:
        return torch.ones(4)
    return F.relu(torch.ones(4, device=device)) + torch.ones(4)  # expect: TL303


def moved_alike(gpu):
    model = nn.Linear(4, 2).cuda(gpu)
    return model(torch.randn(8, 4).cuda(gpu)).cpu().detach().numpy()  # ok: moved
