"""A state dict whose name is bound to another value before it is read again is not kept."""

import torch
from torch import nn


def saved_each_time(net, optimizer, batches):
    for _ in range(3):
        for x in batches:
            loss = net(x).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if loss < 0:
                state = net.state_dict()
                torch.save(state, "best.pth")
        state = net.state_dict()
        torch.save(state, "last.pth")


def filled_anew(net, optimizer, batches):
    for x in batches:
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0:
            state = net.state_dict()
            torch.save(state, "best.pth")
    state = {}
    state["epoch"] = 3
    torch.save(state, "last.pth")


def kept(net, optimizer, batches):
    best = dict()
    for x in batches:
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0:
            best = net.state_dict()  # expect: TL611
    torch.save(best, "best.pth")
    best = None
    return best


linear = nn.Linear(4, 2)
for run in (saved_each_time, filled_anew, kept):
    run(linear, torch.optim.SGD(linear.parameters(), lr=0.1), torch.rand(5, 8, 4))
