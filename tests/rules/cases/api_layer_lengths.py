"""Numbers for each dim that a layer slides over."""

import torch
from torch import nn


def layers(sizes):
    nn.Conv1d(3, 4, (3, 3))  # expect: TL922
    nn.Conv2d(3, 4, (3,))  # expect: TL922
    nn.Conv2d(3, 4, 3, stride=(1, 1, 1))  # expect: TL922
    nn.ConvTranspose3d(3, 4, (3, 3))  # expect: TL922
    nn.MaxPool1d((2, 2))  # expect: TL922
    nn.AvgPool2d((2, 2, 2))  # expect: TL922
    nn.Conv2d(3, 4, 3, stride=(1,), padding=(1,))
    nn.MaxPool2d((2,))
    nn.MaxPool3d(2, stride=(2, 2, 2))
    nn.Conv1d(3, 4, (3,))
    nn.Conv2d(3, 4, (3, 5), padding=(1, 2))
    nn.Conv1d(3, 4, sizes)
    return nn.Conv1d(3, 4, 3)(torch.zeros(2, 3, 8))
