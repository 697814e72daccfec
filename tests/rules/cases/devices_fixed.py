"""CUDA that is asked for on every machine: the first place of the file is told."""

import torch
from torch import nn


def on_some(model, use):
    if use:
        model = model.cuda()
    try:
        return model.to("cuda")
    except AssertionError:
        return model


def is_on_gpu(x):
    return x.device.type == torch.device("cuda").type


def by_name(device="cuda"):
    return torch.ones(2, device=device)


class Own:
    def __init__(self, data):
        self.data = data

    def cuda(self):
        return Own(self.data.cuda())


def ones():
    with torch.autocast("cuda"):
        return nn.Linear(2, 2).to(torch.float16), torch.ones(2, device="cuda:0")  # expect: TL314


def more():
    return torch.zeros(2).cuda()
