"""A hook of an optimizer's steps may clear the gradients; a hook of nothing else does."""

import torch
from torch import nn


def train(loader):
    model = nn.Linear(3, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def clear(optimizer, args, kwargs):
        optimizer.zero_grad()

    optimizer.register_step_post_hook(clear)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()


def train_with_a_hook_of_another(loader):
    model, other = nn.Linear(3, 4), nn.Linear(3, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    second = torch.optim.SGD(other.parameters(), lr=0.1)

    def clear(optimizer, args, kwargs):
        optimizer.zero_grad()

    second.register_step_post_hook(clear)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  # expect: TL501
        optimizer.step()
