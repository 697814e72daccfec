"""What only an annotation says to be a number is an array or a tensor where a function makes a tensor of it."""

import numpy as np
import torch
from torch import nn


def steps(step: float, parts):
    flat = torch.as_tensor(step)
    return torch.tensor_split(flat, parts)


def of_copies(row: int, mask: bool, scale: float):
    return torch.tensor(row)[0], torch.asarray(mask).sum(0), torch.tensor(scale).view(3, 4)


def computed(step: float, other: float, parts):
    half = step / 2 if parts else other
    return torch.as_tensor(half)[0], torch.as_tensor(half * 2)[0]


def of_arrays(rows: float):
    return torch.from_numpy(np.asarray(rows))[0], torch.from_numpy(np.array(rows))[0]


class Schedule:
    def __init__(self, rates: float):
        self.rates = rates

    def first(self):
        return torch.as_tensor(self.rates)[0]


def several(low: float, high: float):
    return torch.tensor([low, high]).view(3)  # expect: TL102


def known(path):
    rate = 0.5
    return torch.as_tensor(rate)[0], torch.as_tensor(len(path))[0]  # expect: TL122, TL122


def size(width: int, classes: int):
    head = nn.Linear(width, classes)
    return head(torch.ones(2, width)), head(torch.ones(2, width + 1))  # expect: TL105
