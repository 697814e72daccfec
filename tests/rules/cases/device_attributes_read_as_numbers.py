"""Tensors of a module whose items are only read as numbers: these go with any device."""

import torch
from torch import nn


class Error(nn.Module):
    def __init__(self, bins=15):
        super().__init__()
        edges = torch.linspace(0, 1, bins + 1)
        self.lowers = edges[:-1]  # ok: read by item(), which gives a number
        self.uppers = edges[1:]

    def forward(self, confidences):
        total = torch.zeros(1, device=confidences.device)
        for lower, upper in zip(self.lowers, self.uppers):
            total += (confidences.gt(lower.item()) * confidences.le(upper.item())).float().mean()
        return total


class Compared(nn.Module):
    def __init__(self, bins=15):
        super().__init__()
        self.lowers = torch.linspace(0, 1, bins)  # expect: TL308
        self.linear = nn.Linear(3, 3)

    def forward(self, confidences):
        total = self.linear(confidences).sum()
        for lower in self.lowers:
            total = total + confidences.gt(lower).float().mean() + confidences.gt(lower.item()).float().mean()
        return total


def main(device):
    first = Error().to(device)
    second = Compared().to(device)
    return first, second
