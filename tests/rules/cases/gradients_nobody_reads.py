"""A leaf that is none is a fault where somebody reads its gradient, or keeps the tensor for that."""

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = torch.randn(dim, dim, requires_grad=True).double()  # expect: TL411

    def forward(self, x):
        state = torch.zeros(1, 3, requires_grad=True).double()  # expect: TL411 (info)
        states = [state + 1]
        return x @ self.weight, states


def run_backward(distance):
    points = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411 (info)
    distance(points).sum().backward()


def read_afterwards(distance):
    points = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411
    distance(points).sum().backward()
    return points.grad  # expect: TL406


def optimized(distance):
    points = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411
    optimizer = torch.optim.SGD([points], lr=0.1)  # expect: TL513
    optimizer.zero_grad()
    distance(points).sum().backward()
    optimizer.step()


def collected(distance, all_points):
    points = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411
    all_points.append(points)
    distance(points).sum().backward()


def returned():
    points = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411
    return {"points": points}


shift = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411
scale = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411 (info)


def step(distance):
    distance(shift).sum().backward()
    with torch.no_grad():
        return shift - 0.1 * shift.grad  # expect: TL406


def in_a_closure(distance):
    points = torch.rand(4, 3, requires_grad=True).double()  # expect: TL411

    def gradient():
        distance(points).sum().backward()
        return points.grad  # expect: TL406

    return gradient


class Kernel:
    def setup(self):
        self.bias = torch.zeros(2, requires_grad=True).double()  # expect: TL411 (info)
        self.slope = torch.zeros(2, requires_grad=True).double()  # expect: TL411

    def run(self, kernel):
        kernel(self.bias, self.slope).sum().backward()
        return self.slope.grad


def table(rows):
    positions = torch.zeros(rows, 4)
    positions.require_grad = False  # expect: TL412 (info)
    return positions


def inputs_of(net, batch: torch.Tensor):
    batch = batch.float()
    batch.require_grad = True  # expect: TL412 (info)
    net(batch).sum().backward()


def saliency(net, batch: torch.Tensor):
    batch = batch.float()
    batch.require_grad = True  # expect: TL412
    net(batch).sum().backward()
    return batch.grad


def frozen():
    weight = nn.Parameter(torch.ones(3))
    weight.require_grad = False  # expect: TL412
    return weight


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Parameter(torch.ones(1))

    def enable(self):
        self.low.required_grad = True  # expect: TL412
