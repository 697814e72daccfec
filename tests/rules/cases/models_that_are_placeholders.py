"""None in the place of a model that code out of sight sets."""

import torch
from torch import nn, optim

net = None
optimizer = optim.Adam(net.parameters(), lr=0.1)
for epoch in range(3):
    net.zero_grad()
    loss = net(torch.ones(1))
    loss.backward()  # ok: whatever the model is, its gradients are cleared
    optimizer.step()

other = nn.Linear(1, 1)
other_optimizer = optim.Adam(other.parameters(), lr=0.1)
for epoch in range(3):
    loss = other(torch.ones(1)).sum()
    loss.backward()  # expect: TL501
    other_optimizer.step()
