"""What rests on an assumption is a warning, and the assumption has a sentence and a place in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.lint.trail import ASSUMPTIONS
from torchlsp.ops.call import LASTING_ASSUMPTIONS
from torchlsp.syntax.parse import parse

ROOT = Path(__file__).parents[2]
CERTAINTY = ROOT / "docs" / "design" / "certainty.md"


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def test_every_assumption_is_documented() -> None:
    words = {
        word
        for row in CERTAINTY.read_text(encoding="utf-8").partition("## Assumptions")[2].splitlines()
        for word in re.findall(r"`([a-z]+)`", row.split("|")[1] if row.startswith("|") else "")
    }
    assert words == set(ASSUMPTIONS)
    assert LASTING_ASSUMPTIONS <= set(ASSUMPTIONS)


def test_rules_give_no_severity_themselves() -> None:
    """Whatever a rule finds is created by `Check.finding`, which knows what it rests on."""
    creating = [
        path.name
        for path in (ROOT / "rules").rglob("*.py")
        if re.search(r"(?<!\.)\bFinding\(|\bSeverity\.", path.read_text(encoding="utf-8"))
    ]
    assert creating == []


SURE = """import torch
from torch import nn


def f():
    return torch.zeros(2, 3).t().view(6)
"""
ASSUMED = """import torch


def f(x):
    return x.t().view(-1), x.unsqueeze(0)
"""


@pytest.mark.parametrize(("text", "severity"), [(SURE, Severity.ERROR), (ASSUMED, Severity.WARNING)])
def test_the_same_fault_is_an_error_only_where_it_is_sure(text: str, severity: Severity) -> None:
    found = run(
        parse(Document("a.py", text)), NoImports(), frozenset(info.code for info in rules()), strict=True
    )
    assert [(one.rule, one.severity) for one in found.findings] == [("TL101", severity)]
