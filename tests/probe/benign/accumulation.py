import torch
from torch import nn


model, optimizer = nn.Linear(2, 1), None
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(4, 2), torch.randn(4, 1))] * 4
for i, (x, y) in enumerate(batches):
    loss = nn.MSELoss()(model(x), y) / 2
    loss.backward()
    if (i + 1) % 2 == 0:
        optimizer.step()
        optimizer.zero_grad()
