"""Recurrent layers with batch_first on one sequence without a batch, whose state goes into the next call."""

import torch
from torch import nn

lstm = nn.LSTM(8, 256, batch_first=True)


def generate(seed):
    output, state = lstm(seed, None)
    lstm(torch.zeros(1, 8), state)
    return output


def of_another_size(seed):
    output, (h, c) = lstm(seed)
    return lstm(seed, (h[..., :128], c)), output  # expect: TL125


generate(torch.zeros(1, 8))
