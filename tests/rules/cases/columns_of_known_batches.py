"""Columns and vectors in batches of known size, where `squeeze()` leaves a vector."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(5, 1)
labels = torch.randint(0, 2, (40, 1)).float()
columns = DataLoader(TensorDataset(torch.randn(40, 5), labels), batch_size=8)
vectors = DataLoader(TensorDataset(torch.randn(40, 5), labels.squeeze(1)), batch_size=8)


def hits(loader, correct=0):
    for x, y in loader:
        guess = torch.sigmoid(net(x)).round().squeeze()  # expect: TL112
        correct += (guess == y).sum().item()  # expect: TL123
    return correct


def residuals(loader):
    for x, y in loader:
        guess = net(x).squeeze(1)
        error = guess - y  # expect: TL123
    return error


def like_the_labels(loader, correct=0):
    for x, y in loader:
        guess = torch.sigmoid(net(x)).round()
        correct += (guess == y).sum().item()
        correct += (guess.squeeze() == y.squeeze()).sum().item()  # expect: TL112
    return correct


def beside_vectors(loader, correct=0):
    for x, y in loader:
        guess = torch.sigmoid(net(x)).round().squeeze()  # expect: TL112
        correct += (guess == y).sum().item()
    return correct


assert residuals(columns).shape == (8, 8)
assert hits(columns) >= 0
assert like_the_labels(columns) <= 80
assert beside_vectors(vectors) <= 40
