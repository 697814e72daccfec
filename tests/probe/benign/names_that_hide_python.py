import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, input):
        max = input.max()
        return self.fc(input / max)


id, filter, sum = 3, [1], 0
for x in filter:
    sum += x * id
print(Net()(torch.ones(1, 2)), sum)
