"""Loops without a step in a file that reads gradients: what is done with them is not followed."""

import torch
from torch import nn


def by_hand(loader):
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for features in loader:
        optimizer.zero_grad()
        model(features).sum().backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad


def norms(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    found = []
    for features in loader:
        optimizer.zero_grad()
        model(features).sum().backward()
        found.append([p.grad.norm() for p in model.parameters()])
    return found


def not_cleared(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for features in loader:
        model(features).sum().backward()  # expect: TL501
        optimizer.step()
