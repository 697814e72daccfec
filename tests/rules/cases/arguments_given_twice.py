"""A call that gives an argument twice raises, so that nothing is known of its result."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 8)

    def begin(self, batch=1, device=None):
        return torch.zeros(1, batch, 8, device=device)

    def forward(self, x, state):
        return self.rnn(x, state)


def given_twice(net: Net):
    state = net.begin(3, batch=1)
    return state.view(7)  # ok: begin() raises


def given_once(net: Net):
    return Net().begin(3).view(7)  # expect: TL102
