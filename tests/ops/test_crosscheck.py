"""Every row of the operator tables against what torch really does on torch's own samples."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")

import crosscheck
from sample_calls import CALLS

from torchlsp.dev import precision

pytestmark = pytest.mark.torch

RECORDED = precision.read(precision.LEDGER)


def _judge(kind: str, name: str, report: crosscheck.Report) -> None:
    wrong = list(dict.fromkeys(report.wrong))
    shown = "\n".join(wrong[: crosscheck.WRONG_SHOWN])
    assert not wrong, f"{len(wrong)} wrong answers of {name}:\n{shown}"
    assert sum(report.checked.values()), f"no sample of torch fits {name}"
    lost = precision.fallen(RECORDED, {kind: {name: report.shares()}})
    assert not lost, f"answers less than before (python -m torchlsp.dev precision): {', '.join(lost)}"


@pytest.mark.parametrize("name", sorted(crosscheck.rows()))
def test_a_row_agrees_with_torch(name: str) -> None:
    _judge("operators", name, crosscheck.check_row(crosscheck.rows()[name]))


@pytest.mark.parametrize("name", sorted(crosscheck.layers()))
def test_a_layer_agrees_with_torch(name: str) -> None:
    _judge("layers", name, crosscheck.check_layer(crosscheck.layers()[name]))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_call_of_our_own_agrees_with_torch(name: str) -> None:
    _judge("calls", name, crosscheck.check_own_calls(name))


def test_the_ledger_names_only_rows_that_exist() -> None:
    """`python -m torchlsp.dev precision --update` takes the ledger anew, new rows included."""
    gone = set(RECORDED["operators"]) - set(crosscheck.rows())
    assert not gone, f"no such rows any more: {sorted(gone)}"
