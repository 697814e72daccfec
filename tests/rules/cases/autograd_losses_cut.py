"""Losses that no gradient passes, seen and unseen models, and values like them that are no losses."""

import torch
import torch.nn.functional as F
from torch import nn


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 3)
        self.criterion = nn.MSELoss()

    def forward(self, x):
        return torch.round(torch.sigmoid(self.net(x)))

    def fit(self, x, y):
        self.criterion(self(x), y).backward()

    def fit_indices(self, x, y):
        loss = self.criterion(self.net(x).argmax(1).float(), y)
        loss.backward()  # expect: TL422

    def fit_scores(self, x, y):
        scores = self.net(x)
        loss = self.criterion(scores, F.one_hot(scores.argmax(1), 3).float())
        loss.backward()


def fit_rounded():
    loss = F.binary_cross_entropy(Step()(torch.randn(8, 4)), torch.rand(8, 3))
    loss.backward()  # expect: TL422


def counted(model, x, y):
    wrong = (model(x).argmax(1) != y).sum() / 8
    wrong.backward()  # expect: TL422


def indices(model, x, y):
    _, predicted = torch.max(model(x), 1)
    loss = F.l1_loss(predicted.float(), y.float())
    loss.backward()  # expect: TL422


def rebound(model, x, y):
    loss = (model(x).argmax(1) == y).float().mean()
    print(loss)
    loss = F.cross_entropy(model(x), y)
    loss.backward()


def one_of_two(model, x, y, smooth):
    out = model(x)
    loss = F.cross_entropy(out, y)
    if not smooth:
        loss = (out.argmax(1) != y).float().mean()
    loss.backward()


def own_critic(model, critic, x, y):
    loss = critic((model(x) > 0).float(), y)
    loss.backward()


def compared_with_scores(model, x):
    out = model(x)
    loss = ((out > 0).float() - out).abs().mean()
    loss.backward()


def parallel(scores, labels):
    """Labels that are made of the scores are in their graph."""
    loss = F.mse_loss((scores > 0).float(), scores.sigmoid())
    loss.backward()


def quantised(model, x):
    out = model(x)
    rounded = out + (out.round() - out).detach()
    rounded.sum().backward()


def expected_to_raise(x):
    net = nn.Linear(4, 3)
    try:
        net(x).argmax(1).float().mean().backward()
    except RuntimeError:
        print("no graph")


def floor_divided(x):
    net = nn.Linear(4, 3)
    (net(x) - net(x).floor()).sum().backward()
    net(x).floor().sum().backward()  # expect: TL422
