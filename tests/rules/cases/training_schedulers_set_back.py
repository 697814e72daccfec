"""A scheduler whose `last_epoch` is set to -1 gives the first rate at its first step."""

import torch
from torch import nn

net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 3])
scheduler.last_epoch = -1
for epoch in range(4):
    scheduler.step()  # ok: the rate of epoch 0
    optimizer.zero_grad()
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
print(net(torch.ones(2, 4)).view(7))  # expect: TL102
