"""A small model, and what hover says of three names of it."""

from __future__ import annotations

from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import at
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace

MODEL = """\
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)

    def forward(self, x):
        hidden = self.first(x)
        weight = self.first.weight
        return hidden


def loss_of(model, x, y):
    loss = F.mse_loss(Net()(x), y)
    return loss
"""
NAMES = ("hidden", "weight", "loss")


def facts_of(document: Document) -> dict[str, str]:
    """What hover says of three names of the model, by name."""
    examination = Engine().examine(document, Provider(Workspace()))
    found = {}
    for name in NAMES:
        description = at(examination, document.text.index(f"{name} ="))
        assert description is not None
        found[name] = description.fact
    return found
