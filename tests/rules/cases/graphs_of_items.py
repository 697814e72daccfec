"""A comprehension over unknown items makes one graph for each; what was computed before it is one graph for all."""

import torch
from torch import nn

count = max(2, torch.cuda.device_count())
models = [nn.Linear(2, 1) for _ in range(count)]
losses = [model(torch.randn(4, 2)).mean() for model in models]
for loss in losses:
    loss.backward()

one = models[0](torch.randn(4, 2)).mean()
for _ in range(count):
    one.backward()  # expect: TL403
