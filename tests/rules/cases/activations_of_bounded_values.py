"""ReLU has an upper bound where its input has one, and perhaps one where nothing is known of its input."""

import torch
import torch.nn.functional as F
from torch import nn


def edges(x, y, kernel):
    return F.binary_cross_entropy(F.relu(torch.tanh(F.conv2d(x, kernel))), y)  # ok: from 0 to 1


def given(x, y):
    return F.binary_cross_entropy(F.relu(x), y)  # ok: x may be a probability


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x, y):
        scores = F.relu(self.layer(x))
        return F.binary_cross_entropy(scores, y)  # expect: TL208
