"""None in the place of a model that code out of sight sets."""

import torch
from torch import nn, optim

net = None
optimizer = optim.Adam(net.parameters(), lr=0.1)
for epoch in range(3):
    net.zero_grad()
    loss = net(torch.ones(1))
    loss.backward()  # ok: whatever the model is, its gradients are cleared
    optimizer.step()

other = nn.Linear(1, 1)
other_optimizer = optim.Adam(other.parameters(), lr=0.1)
for epoch in range(3):
    loss = other(torch.ones(1)).sum()
    loss.backward()  # expect: TL501
    other_optimizer.step()


class Trainer:
    def __init__(self):
        self.net = None

    def build(self, config):
        self.built = config.make()

    def train(self, batches):
        optimizer = optim.Adam(self.built.parameters(), lr=0.1)
        for batch in batches:
            self.built.zero_grad()
            loss = self.built(batch)
            loss.backward()  # ok: cleared, whatever the model is
            optimizer.step()


class Loading(nn.Module):
    def load_state_dict(self, state_dict: str, strict: bool = True):
        super().load_state_dict(state_dict, strict)  # ok: only the annotation says that it is a text

    def load(self, path):
        super().load_state_dict(f"{path}.pt")  # expect: TL610
