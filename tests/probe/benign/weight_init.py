import torch
from torch import nn


def init(module):
    if isinstance(module, (nn.Linear, nn.Conv2d)):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        module.weight.data.normal_(mean=0.0, std=0.02)


model = nn.Sequential(nn.Embedding(4, 3), nn.Linear(3, 2))
model.apply(init)
for name, parameter in model.named_parameters():
    print(name, tuple(parameter.shape), parameter.requires_grad)
