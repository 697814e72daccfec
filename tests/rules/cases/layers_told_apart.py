"""Tests of a layer's class leave only that class, whatever else the container holds."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(1, 2, 3), nn.PReLU())
        self.rest = nn.ModuleList([nn.Conv2d(2, 2, 3), nn.PReLU(2), nn.ConvTranspose2d(2, 2, 3), nn.Dropout2d()])
        for m in self.first:
            if isinstance(m, nn.Conv2d):
                nn.init.normal_(m.weight.data, std=(2 / m.weight.data[0][0].numel()) ** 0.5)
            if isinstance(m, (nn.Conv2d, nn.PReLU)):
                self.count = m.weight.shape[0]
            if isinstance(m, nn.PReLU):
                self.last = m.weight[0][0]  # expect: TL122

    def forward(self, x):
        for layer in self.rest:
            if isinstance(layer, nn.ConvTranspose2d):
                x = layer(x, output_size=(8, 8))
            elif isinstance(layer, nn.modules.dropout._DropoutNd):
                x = layer(x)
            else:
                x = layer(x)
        return x


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.LazyConv2d(2, 3), nn.PReLU()])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for layer in self.layers:
            if isinstance(layer, nn.LazyConv2d):  # it has become another class by now
                x = layer(x, output_size=(8, 8))
        return x


Lazy()(torch.zeros(1, 2, 8, 8))
Net()(torch.zeros(1, 2, 8, 8))
