import torch
from torch import nn


from torch.optim.lr_scheduler import CosineAnnealingLR, ReduceLROnPlateau, StepLR

optimizer = torch.optim.Adam(nn.Linear(2, 2).parameters())
for schedule in (StepLR(optimizer, step_size=1, gamma=0.5), CosineAnnealingLR(optimizer, T_max=10)):
    optimizer.step()
    schedule.step()
ReduceLROnPlateau(optimizer, patience=1).step(0.3)
