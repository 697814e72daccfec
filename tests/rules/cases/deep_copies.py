import copy

import torch
from torch import nn

net = nn.Linear(4, 3)
q = net(torch.randn(5, 4))

target = copy.deepcopy(q.data)
target[0, 0] = 1.0

first, second = copy.deepcopy((q.data, q.data))
first.clamp_(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return x * self.weight


scaled = Scaled()
frozen = copy.deepcopy(scaled)
loss = scaled(torch.randn(2, 3)).pow(2).sum()
with torch.no_grad():
    frozen.weight.add_(1)
loss.backward()

kept = torch.zeros(2, 3)
turned = copy.deepcopy(kept.t())
turned.view(6)  # expect: TL101
