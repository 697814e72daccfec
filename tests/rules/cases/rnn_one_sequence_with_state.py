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


class Recommender(nn.Module):
    def __init__(self, size, hidden, layers):
        super().__init__()
        self.layers = layers
        self.hidden = hidden
        self.gru = nn.GRU(size, hidden, num_layers=layers, batch_first=True)
        self.h0 = nn.Parameter(torch.zeros(layers, 1, hidden))

    def inference(self, sequence):
        out, state = self.gru(sequence, self.h0.view(self.layers, self.hidden))
        return torch.einsum("i, ij -> j", torch.softmax(out.sum(1), dim=0), out)


Recommender(3, 4, 2).inference(torch.rand(5, 3))
