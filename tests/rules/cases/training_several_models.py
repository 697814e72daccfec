"""Several models with an optimizer each, visited by comprehensions: none of them replaces another."""

import torch
from torch import nn

inputs = torch.randn(4, 3)
models = [nn.Linear(3, 1) for _ in range(3)]
optimizers = [torch.optim.SGD(model.parameters(), 0.1) for model in models]
for _ in range(2):
    losses = [model(inputs).pow(2).mean() for model in models]
    for optimizer in optimizers:
        optimizer.zero_grad()
    for loss in losses:
        loss.backward()
    for optimizer in optimizers:
        optimizer.step()

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
model = nn.Linear(3, 1)  # expect: TL512
loss = model(inputs).pow(2).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
