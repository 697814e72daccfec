"""Tests of an object's class that are no isinstance: what is not of the class does not run there."""

import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
for epoch in range(3):
    loss = model(torch.rand(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if "ReduceLROnPlateau" == scheduler.__class__.__name__:
        scheduler.step(loss.item())
    else:
        scheduler.step()
    if type(scheduler).__name__ in ("StepLR", "CosineAnnealingLR"):
        scheduler.step()
    if type(scheduler).__name__ != "StepLR":
        scheduler.step()  # expect: TL508
    if type(scheduler) is not torch.optim.lr_scheduler.ReduceLROnPlateau:
        scheduler.step()


def flops(net, shape):
    assert type(shape) is tuple
    return net(torch.ones(()).new_empty((1, *shape)))


def test_flops():
    try:
        flops(nn.Conv2d(3, 8, 3), [1, 3, 16, 16])
    except AssertionError:
        pass


test_flops()
