import torch
from torch import nn


seen = []
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
handle = model[0].register_forward_hook(lambda module, inputs, output: seen.append(output.shape))
x = torch.ones(1, 2, requires_grad=True)
x.register_hook(lambda grad: grad * 2)
model(x).sum().backward()
handle.remove()
assert len(seen) == 1
