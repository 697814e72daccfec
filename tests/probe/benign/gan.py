import torch
from torch import nn


generator, critic = nn.Linear(2, 4), nn.Linear(4, 1)
criterion = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_c = torch.optim.Adam(critic.parameters())
for _ in range(2):
    fake = generator(torch.randn(8, 2))
    opt_c.zero_grad()
    loss = criterion(critic(fake.detach()), torch.zeros(8, 1)) + criterion(critic(torch.randn(8, 4)), torch.ones(8, 1))
    loss.backward()
    opt_c.step()
    opt_g.zero_grad()
    criterion(critic(fake), torch.ones(8, 1)).backward()
    opt_g.step()
