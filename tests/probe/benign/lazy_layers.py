import torch
from torch import nn


model = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
print(model(torch.ones(1, 3)).shape, model[0].in_features)
