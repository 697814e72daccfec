import torch
from torch import nn


model, average = nn.Linear(2, 2), nn.Linear(2, 2)
average.load_state_dict(model.state_dict())
with torch.no_grad():
    for old, new in zip(average.parameters(), model.parameters()):
        old.mul_(0.99).add_(new, alpha=0.01)
        old.data = old.data.clone()
