"""Lists of which one is chosen and then filled."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
plain, decayed = [], []
for name, parameter in net.named_parameters():
    (plain if parameter.ndim == 1 else decayed).append(parameter)
count = len(plain) + len(decayed)
first, second = {}, {}
for row in range(3):
    (first if row % 2 else second)[row] = torch.ones(row)
rows = torch.cat([*first.values(), *second.values()])
groups = [{"params": plain}, {"params": decayed}]
