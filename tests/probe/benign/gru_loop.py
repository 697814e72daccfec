import torch
from torch import nn


cell = nn.GRUCell(3, 4)
h = torch.zeros(2, 4)
outputs = []
for t in range(3):
    h = cell(torch.randn(2, 3), h)
    outputs.append(h)
print(torch.stack(outputs, dim=1).shape)
