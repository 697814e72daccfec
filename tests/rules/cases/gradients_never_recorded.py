"""What is wrong of a graph only is not wrong in functions that all calls in sight run without gradients, at whatever depth."""

import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))
        self.softmax = nn.Softmax(dim=0)

    def decode(self, x):
        rows = self.softmax(self.weight)
        row = rows[0]
        row.data[0] = -1
        return copy.deepcopy(rows), (x + row).argmax()

    def forward(self, x):
        return self.decode(x)

    def trained(self, x):
        rows = self.softmax(self.weight)
        row = rows[0]
        row.data[0] = -1  # expect: TL407
        return (x + row).sum()

    def never_called(self, x):
        return self.shared(x)

    def shared(self, x):
        rows = self.softmax(self.weight)
        return x, copy.deepcopy(rows)  # expect: TL421


if __name__ == "__main__":
    net = Net()
    net.trained(torch.randn(4, 4)).backward()
    with torch.no_grad():
        net(torch.randn(4, 4))
        net.shared(torch.randn(4, 4))
