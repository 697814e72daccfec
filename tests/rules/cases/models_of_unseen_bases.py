"""zero_grad of an object of which only a part of its class is in sight clears gradients."""

import torch
from unseen import Base


class Wave(Base):
    def __init__(self):
        super().__init__(6)


wave, other = Wave(), torch.nn.Linear(6, 6)
optimizer = torch.optim.SGD(wave.parameters(), lr=0.05)
x = torch.randn(4, 6)
for _ in range(100):
    wave.zero_grad()
    torch.nn.functional.mse_loss(wave(x), x).backward()
    optimizer.step()
for _ in range(100):
    torch.nn.functional.mse_loss(wave(x), x).backward()  # expect: TL501
    optimizer.step()
