"""Nothing here runs anywhere else than where it was made."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)

    def forward(self, x):
        return self.first(x) + torch.arange(4)  # expect: TL313 (info)
