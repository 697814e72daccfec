import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(3, 4)
        self.head = nn.Linear(4, 10)

    def forward(self, x):
        return self.head(self.features(x))


model = Backbone()
for parameter in model.parameters():
    parameter.requires_grad = False
model.head = nn.Linear(4, 2)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
