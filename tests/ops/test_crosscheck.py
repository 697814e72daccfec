"""Every row of the operator tables against what torch really does on torch's own samples."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")

import crosscheck
from calls import CALLS

pytestmark = pytest.mark.torch

LEDGER = Path(__file__).with_name("precision.toml")
TOLERANCE = 0.02
"""Samples carry random values and sizes: a share may move this much."""


def _judge(name: str, report: crosscheck.Report) -> None:
    wrong = list(dict.fromkeys(report.wrong))
    shown = "\n".join(wrong[: crosscheck.WRONG_SHOWN])
    assert not wrong, f"{len(wrong)} wrong answers of {name}:\n{shown}"
    assert sum(report.checked.values()), f"no sample of torch fits {name}"
    before = tomllib.loads(LEDGER.read_text())["share"].get(name, {}) if LEDGER.exists() else {}
    now = report.shares()
    fallen = [
        f"{column} {now.get(column)} < {share}"
        for column, share in before.items()
        if now.get(column, 0) < share - TOLERANCE
    ]
    assert not fallen, (
        f"{name} answers less than before: {', '.join(fallen)} (python -m torchlsp.dev precision)"
    )


@pytest.mark.parametrize("name", sorted(crosscheck.rows()))
def test_a_row_agrees_with_torch(name: str) -> None:
    _judge(name, crosscheck.check_row(crosscheck.rows()[name]))


@pytest.mark.parametrize("name", sorted(crosscheck.layers()))
def test_a_layer_agrees_with_torch(name: str) -> None:
    _judge(name, crosscheck.check_layer(crosscheck.layers()[name]))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_call_of_our_own_agrees_with_torch(name: str) -> None:
    _judge(name, crosscheck.check_own_calls(name))
