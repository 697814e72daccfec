"""Parameters that are reached without their names: nothing is said of the whole file."""

import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

# Frozen by a loop outside.


class M12(nn.Module):
    def __init__(self):
        super().__init__()
        self.used12 = nn.Linear(4, 3)
        self.unused12 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used12(t)


def train12(batches):
    model = M12()
    for parameter in model.unused12.parameters():
        parameter.requires_grad = False
    model = DDP(model)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()
