"""A sequence of one step, made by a dim of size 1: the output of a recurrent layer with batch_first can then be viewed as rows."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)

    def forward(self, y, state):
        out, state = self.lstm(self.embedding(y).unsqueeze(1), state)
        return out.view(-1, 32)

    def indexed(self, y, state):
        out, state = self.lstm(self.embedding(y)[:, None], state)
        return out.view(-1, 32)

    def whole(self, y):
        out, _ = self.lstm(self.embedding(y))
        return out.view(-1, 32)  # expect: TL101


net = Decoder()
net(torch.zeros(4, dtype=torch.long), None)
net.indexed(torch.zeros(4, dtype=torch.long), None)
