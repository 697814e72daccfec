"""A value that is a tuple where it is called is not known to be one in the branch that a test of a like value chooses."""

import torch
from torch import nn


class Merging(nn.Module):
    def forward(self, x):
        return x, x

    def merged(self, x, results):
        corner = self.forward(x)
        if isinstance(results[0], tuple):
            corner = [one.cpu() for one in corner]
        else:
            corner = [corner.cpu()]
        return corner

    def chosen(self, x, result):
        corner = self.forward(x)
        return corner.relu() if type(result) is torch.Tensor else corner[0].relu()

    def plain(self, x, result):
        corner = self.forward(x)
        if result:
            return corner.cpu()  # expect: TL930
        return corner


Merging().merged(torch.ones(2), [(1, 2)])
Merging().chosen(torch.ones(2), (1, 2))
