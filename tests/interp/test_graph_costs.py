"""Searches of a graph visit each of its tensors once, however many ways lead to it."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.run.analyse import NoImports
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(3, 3)

    def forward(self, x):
        doubled = self.scale(x).sum()
{doublings}
        return x * self.scale(x).sum().item() + doubled.item()


Net()(torch.ones(1, 3))
"""


@pytest.mark.timeout(120)
def test_a_number_read_from_a_graph_of_many_ways():
    """60 doublings are 2**60 ways to the layer."""
    rows = "\n".join(["        doubled = doubled + doubled"] * 60 + ["        self.scale.total = doubled"])
    text = PROGRAM.format(doublings=rows).replace("+ doubled.item()", "+ self.scale.total.item()")
    assert not run(
        parse(Document("m.py", text)), NoImports(), frozenset({"TL419"}), strict=True
    ).internal_errors
