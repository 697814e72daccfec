"""Models that torch.load gives: their methods do what a module's do."""

import torch
from torch import optim

loaded = torch.load("model.pt")  # expect: TL905
optimizer = optim.Adam(loaded.parameters())
for _ in range(20):
    loaded.zero_grad()
    loaded(torch.zeros(2, 2)).mean().backward()
    optimizer.step()

other = torch.load("other.pt", weights_only=False)
other_optimizer = optim.Adam(other.parameters())
for _ in range(20):
    other(torch.zeros(2, 2)).mean().backward()  # expect: TL501
    other_optimizer.step()
