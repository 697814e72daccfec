"""A state dict that is bound together with another value: each name holds the value at its own place."""

import copy

import torch
from torch import nn


def kept(net, optimizer, batches):
    lowest, best = 1e9, None
    for x in batches:
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < lowest:
            lowest, best = loss.item(), net.state_dict()  # expect: TL611
    net.load_state_dict(best)


def copied(net, optimizer, batches):
    lowest, best = 1e9, None
    for x in batches:
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < lowest:
            lowest, best = loss.item(), copy.deepcopy(net.state_dict())
    net.load_state_dict(best)


def bound_elsewhere(net, other, optimizer, batches):
    lowest, best = 1e9, None
    for x in batches:
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < lowest:
            lowest, best = loss.item(), net.state_dict()
        lowest, best = lowest, copy.deepcopy(other.state_dict())
    net.load_state_dict(best)


def unpacked_at_once(net, optimizer, batches, pair):
    lowest, best = pair
    for x in batches:
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        first, *best = lowest, net.state_dict()
    return first, best


class Keeper:
    def __init__(self):
        self.lowest, self.weights = 1e9, None

    def fit(self, net, optimizer, batches):
        for x in batches:
            loss = net(x).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if loss.item() < self.lowest:
                self.lowest, self.weights = loss.item(), net.state_dict()  # expect: TL611
        net.load_state_dict(self.weights)


linear = nn.Linear(4, 2)
for run in (kept, copied, Keeper().fit):
    run(linear, torch.optim.SGD(linear.parameters(), lr=0.1), torch.rand(5, 8, 4))
bound_elsewhere(linear, nn.Linear(4, 2), torch.optim.SGD(linear.parameters(), lr=0.1), torch.rand(5, 8, 4))
unpacked_at_once(linear, torch.optim.SGD(linear.parameters(), lr=0.1), torch.rand(5, 8, 4), (1, []))
