"""A rule that is a fallback speaks where no other rule does, also where that other rule is switched off."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

ALL = frozenset(info.code for info in rules())
TEXT = "import torch\nx = torch.ones(2, 3)\n"


class NoFiles:
    def module(self, dotted_name: str, importing_path: str) -> None:
        return None


def found(source: str, enabled: frozenset[str]) -> list[str]:
    return [
        one.rule
        for one in run(parse(Document("a.py", TEXT + source)), NoFiles(), enabled, strict=True).findings
    ]


@pytest.mark.parametrize("off", [frozenset(), frozenset({"TL106"})])
def test_it_gives_way(off: frozenset[str]) -> None:
    assert found("x.bmm(x)\n", ALL - off) == (["TL106"] if not off else [])


def test_it_speaks_where_nobody_else_does() -> None:
    assert found("torch.linalg.inv(x)\n", ALL) == ["TL128"]
    assert found("torch.linalg.inv(x)\n", ALL - {"TL128"}) == []


def test_it_gives_way_within_an_expression() -> None:
    assert found("torch.linalg.inv(x @ x)\n", ALL) == ["TL105"]
