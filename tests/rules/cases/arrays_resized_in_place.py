"""Arrays whose sizes change in place, and attributes that are set by computed names."""

import numpy as np
import torch
from torch import nn

rnn = nn.RNN(1, 32, batch_first=True)


def resized():
    data = np.linspace(0, 1, 21)
    data.resize((21, 1))
    return rnn(torch.from_numpy(data[:-1]).float().unsqueeze(0))


def given_a_shape():
    data = np.linspace(0, 1, 21)
    data.shape = (21, 1)
    return rnn(torch.from_numpy(data[:-1]).float().unsqueeze(0))


def as_it_was():
    data = np.linspace(0, 1, 21)
    return rnn(torch.from_numpy(data[:-1]).float().unsqueeze(0))  # expect: TL121


class Up(nn.Module):
    def __init__(self, **given):
        super().__init__()
        for key, value in given.items():
            setattr(self, key, value)
        self.layer = nn.Upsample(size=self.size, scale_factor=self.scale_factor)

    def forward(self, x):
        return self.layer(x)


def lists_of_parameters(first, second):
    params = []
    params += first.parameters()
    params += second.parameters()
    return torch.optim.Adam(params, 1e-3)


def sums(first: nn.Linear, second: nn.Linear):
    params = []
    params += nn.Linear(2, 2).parameters()
    return torch.optim.Adam([] + nn.Linear(2, 2).parameters(), 1e-3), params  # expect: TL513
