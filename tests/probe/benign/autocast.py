import torch
from torch import nn


scaler = torch.amp.GradScaler("cpu", enabled=False)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = model(torch.randn(2, 4))
    loss = out.float().pow(2).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
assert out.dtype is torch.bfloat16
