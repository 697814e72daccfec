import torch
from torch import nn


a, b = nn.Linear(2, 2), nn.Linear(2, 2)
b.load_state_dict(a.state_dict())
assert all(torch.equal(x, y) for x, y in zip(a.state_dict().values(), b.state_dict().values()))
optimizer = torch.optim.Adam(a.parameters())
optimizer.load_state_dict(optimizer.state_dict())
missing = b.load_state_dict({"weight": torch.ones(2, 2)}, strict=False).missing_keys
print(missing)
