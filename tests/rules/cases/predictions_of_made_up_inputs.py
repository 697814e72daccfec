"""What a model computes from a tensor that was created for the call is looked at for its shape only."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(8)])
        self.drop = nn.Dropout(0.5)

    def forward(self, x, skip=None):
        return self.first(self.drop(x)), x


def load(path):
    body, head = Net(), Net()
    saved = torch.load(path)
    body.load_state_dict(saved["body"])
    head.load_state_dict(saved["head"])
    return body, head


def check_shapes(path):
    body, head = load(path)
    with torch.no_grad():
        features, _ = body(torch.randn(1, 4))
        found, _ = head(features)
    assert found.shape == (1, 4)


class Levels(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return {"one": self.drop(x)}


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, levels, x):
        return self.drop(levels["one"] + x)


def check_levels(path, batch: torch.Tensor):
    body, head = Levels(), Head()
    saved = torch.load(path)
    body.load_state_dict(saved["body"])
    head.load_state_dict(saved["head"])
    with torch.no_grad():
        made = torch.randn(1, 4)
        found = head(body(made), made)
        levels = body(batch.float())  # expect: TL504
        wanted = head(levels, batch.float())  # expect: TL504
    return found.shape == wanted.shape


def check_unseen(path, make):
    head = Head()
    head.load_state_dict(torch.load(path))
    with torch.no_grad():
        found = head(make(), torch.randn(1, 4))
    assert found.shape == (1, 4)


def predict(path, batch: torch.Tensor):
    body, head = load(path)
    with torch.no_grad():
        features, _ = body(batch.float())  # expect: TL504
        return head(features)  # expect: TL504
