"""Dropout in place writes in training mode only: run in torch 2.13, which refuses the backward pass after ReLU in training alone."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, 10), nn.ReLU(), nn.Dropout(0.4, inplace=True))

    def forward(self, x):
        return self.layers(x)


def shown_in_eval_mode():
    model = Net()
    print(model.eval())
    model(torch.zeros(4, 20)).sum().backward()


def in_eval_mode():
    model = Net()
    model.eval()
    model(torch.zeros(4, 20)).sum().backward()


def in_training_mode():
    model = Net()
    model(torch.zeros(4, 20)).sum().backward()  # expect: TL402
