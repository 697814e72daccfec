import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 4)
        self.mu, self.logvar = nn.Linear(4, 2), nn.Linear(4, 2)
        self.dec = nn.Sequential(nn.Linear(2, 6), nn.Sigmoid())

    def encode(self, x):
        hidden = torch.relu(self.enc(x))
        return self.mu(hidden), self.logvar(hidden)

    def decode(self, z):
        return self.dec(z)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decode(z), mu, logvar


model = VAE()
x = torch.rand(3, 6)
rebuilt, mu, logvar = model(x)
kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
(F.binary_cross_entropy(rebuilt, x, reduction="sum") + kl).backward()
print(model.encode(x)[0].shape)
