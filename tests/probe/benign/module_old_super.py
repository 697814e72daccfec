import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)

    def forward(self, x):
        return torch.flatten(self.conv(x), 1)


print(Net()(torch.randn(2, 1, 5, 5)).shape)
