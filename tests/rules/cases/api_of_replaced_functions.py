"""What the program puts into torch takes what the program says."""

import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.ReLU(), nn.Flatten())

    def forward(self, x):
        return self.net(x)


def loss(logits):
    return logits.mean()


F.cross_entropy = loss
nn.Linear = Layer


def use(x):
    return F.cross_entropy(x), nn.Linear(3)(x), F.mse_loss(x)  # expect: TL929
