import torch
from torch import nn


model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: min(1.0, (epoch + 1) / 5))
for _ in range(3):
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    warmup.step()
print(warmup.get_last_lr(), optimizer.param_groups[0]["lr"])
