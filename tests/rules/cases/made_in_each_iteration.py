"""What each iteration makes, what a loop gets from an object, and sizes that may be equal."""

import numpy as np
import torch
from torch import nn


def train(model, x):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    model(x).mean().backward()
    opt.step()


def by_name(names):
    for name in names:
        if name == "one":
            model = nn.Linear(4, 4)
        else:
            model = nn.Linear(4, 8)
        train(model, torch.randn(2, 4))


def again(loader, model):
    for x in loader:
        opt = torch.optim.Adam(model.parameters(), lr=1e-3)  # expect: TL514
        opt.zero_grad()
        model(x).mean().backward()
        opt.step()


class Queue:
    def __init__(self):
        self.queue = [[torch.zeros(3), torch.ones(3)] for _ in range(4)]

    def __getitem__(self, index):
        return torch.zeros(2, 3), 0

    def __iter__(self):
        return self

    def __next__(self):
        if not self.queue:
            raise StopIteration
        return self.queue.pop(), [0, 1]


class Numbered:
    def __getitem__(self, index):
        return torch.zeros(2, 3), 0


def loops():
    for images, labels in Queue():
        print(torch.stack(images[0], dim=0), labels)
    for image, label in Numbered():
        print(torch.stack(image[0], dim=0), label)  # expect: TL109


def of_one(x):
    q = x.view(x.size(0), -1, 8)
    k = x.view(x.size(0), -1, 8)
    return torch.bmm(q, k.transpose(2, 1)).view(-1, q.size(1))


def transposed(x):
    b, n, d = x.shape
    return x.view(b, d, n)  # expect: TL104


def biases(layer: nn.Linear, weights):
    with torch.no_grad():
        nn.Linear(3, 4).bias.copy_(torch.from_numpy(weights["bias"]).t())
        nn.Linear(3, 4).weight.copy_(torch.from_numpy(np.ones((4, 3))).t())  # expect: TL127


def shown_in_a_debugger(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        state = model.state_dict()
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def kept_for_later(loader):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best = None
    for x in loader:
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        if loss < 3:
            best = model.state_dict()  # expect: TL611
    return best
