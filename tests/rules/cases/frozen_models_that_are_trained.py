"""A model that is not frozen as meant, tested without gradients in a file that trains it as well."""

import torch
from torch import nn

body, head = nn.Linear(3, 3), nn.Linear(3, 1)
body.requires_grad = False  # expect: TL412
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)


def tested(x):
    with torch.no_grad():
        return head(body(x))


def trained(x, features):
    optimizer.zero_grad()
    head(features(body, x)).sum().backward()
    optimizer.step()
