import torch


x, y = torch.ones(1), torch.zeros(1)
loader = [(x, y)] * 100
print("-" * 80, len(loader), (0,) * 3, [0] * len(loader))
