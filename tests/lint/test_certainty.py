"""What rests on an assumption is a warning, and the assumption has a sentence and a place in the documentation."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.facts.fault import Fault
from torchlsp.facts.fault_kinds import KINDS
from torchlsp.facts.tensor import REFUSED, TensorFact
from torchlsp.facts.values import TupleValue, Value
from torchlsp.interp.run.analyse import analyse
from torchlsp.lint.check import Answers
from torchlsp.lint.pages import load_page
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.lint.trail import ASSUMPTIONS
from torchlsp.ops.call import LASTING_ASSUMPTIONS, Context
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import Row
from torchlsp.program.lower import lower
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
    # What rests on a call that torch refuses is never reported.
    assert LASTING_ASSUMPTIONS - {REFUSED} <= set(ASSUMPTIONS)


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


def _assumed(value: Value) -> Value:
    """A value as if every tensor in it had come from what is only taken for a module."""
    match value:
        case TensorFact():
            return replace(value, assumed=value.assumed | {"module"})
        case TupleValue(items=items):
            return replace(value, items=tuple(map(_assumed, items)))
    return value


@pytest.mark.slow
def test_every_kind_of_fault_rests_on_what_its_tensors_rest_on(monkeypatch: pytest.MonkeyPatch) -> None:
    apply = Row.apply

    def assuming(
        row: Row, name: str, arguments: Arguments, context: Context
    ) -> tuple[Value, tuple[Fault, ...]]:
        result, faults = apply(row, name, arguments, context)
        return _assumed(result), faults

    monkeypatch.setattr(Row, "apply", assuming)
    seen, sure = set(), set()
    for info in rules():
        for block in load_page(info.page_path).of_role("bad"):
            analysis = analyse(lower(parse(Document("a.py", block.plain))), NoImports())
            answers = Answers(analysis)
            for kind in KINDS:
                for fault in answers(("faults", kind.name)):
                    assert isinstance(fault, Fault)
                    operands = [one for _, one in fault.data if isinstance(one, TensorFact)]
                    if any("module" in one.assumed for one in operands):
                        seen.add(kind)
                        if "module" not in fault.assumptions:
                            sure.add(kind)
    assert sure == set()
    assert len(seen) >= 100
