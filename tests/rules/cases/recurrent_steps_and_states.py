"""The output of a recurrent layer with the batch first is a view of steps and samples; of one step it can be viewed."""

import pytorch_lightning as pl
import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.gru = nn.GRU(8, 16, batch_first=True)

    def forward(self, x):
        out, _ = self.lstm(self.emb(x))
        return out.view(-1, 16)  # expect: TL101

    def begin(self, x):
        state = torch.zeros(1, len(x), 16), torch.zeros(1, len(x), 16)
        out, _ = self.lstm(self.emb(x), state)
        return out.view(-1, 16)  # expect: TL101

    def step(self, x, h, c):
        out, (h, c) = self.lstm(self.emb(x), (h, c))
        return out.view(-1, 16), h, c

    def step_from(self, x, state):
        out, state = self.lstm(self.emb(x), state)
        return out.view(-1, 16), state

    def go_on(self, x, hidden):
        out, hidden = self.gru(self.emb(x), hidden)
        return out.view(-1, 16), hidden

    def five(self, hidden):
        out, hidden = self.gru(torch.zeros(2, 5, 8), hidden)
        return out.view(-1, 16), hidden  # expect: TL101


class Steps(pl.LightningModule):
    """Lightning evaluates without gradients."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("rows", torch.zeros(2, 3))

    def forward(self, batch):
        return self.layer(self.rows).numpy()  # expect: TL302

    def training_step(self, batch, index):
        return self.layer(self.rows).numpy()  # expect: TL302

    def validation_step(self, batch, index):
        return self.layer(self.rows).numpy()

    def test_step(self, batch, index):
        return self.layer(self.rows).numpy()

    def predict_step(self, batch, index):
        return self.layer(self.rows).numpy()


class Boxes(nn.Module):
    """Where a test for a GPU does not hold, the module runs on the CPU."""

    def __init__(self, use_cuda):
        super().__init__()
        self.use_cuda = use_cuda
        self.bias = nn.Parameter(torch.zeros(4))

    def forward(self, size):
        grid = torch.arange(4.0)
        left = self.bias + grid.cuda() if self.use_cuda else self.bias + torch.arange(4.0)
        if not self.use_cuda:
            return left + self.bias + torch.ones(4)
        top = self.bias + torch.ones(4)  # expect: TL313
        return left + top
