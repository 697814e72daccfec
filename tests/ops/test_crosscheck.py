"""Every row of the operator tables against what torch really does on torch's own samples."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")

import crosscheck
from sample_calls import CALLS

from torchlsp.dev import precision
from torchlsp.ops.table import TABLE

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


WITHOUT_SAMPLES = {
    "Tensor.__setitem__": "a statement without a result; tests/interp runs it",
    "Tensor.share_memory_": "moves the memory, which the comparison takes for another tensor's",
    "Tensor.cuda": "needs CUDA",
    "Tensor.pin_memory": "needs CUDA",
    "torch.cuda.BFloat16Tensor": "needs CUDA",
    "torch.cuda.BoolTensor": "needs CUDA",
    "torch.cuda.ByteTensor": "needs CUDA",
    "torch.cuda.CharTensor": "needs CUDA",
    "torch.cuda.DoubleTensor": "needs CUDA",
    "torch.cuda.FloatTensor": "needs CUDA",
    "torch.cuda.HalfTensor": "needs CUDA",
    "torch.cuda.IntTensor": "needs CUDA",
    "torch.cuda.LongTensor": "needs CUDA",
    "torch.cuda.ShortTensor": "needs CUDA",
}
"""Rows of torch's operators that nothing is measured of, and why."""


def test_the_ledger_has_the_rows_that_are_measured() -> None:
    """`python -m torchlsp.dev precision --update` takes the ledger anew, new rows included."""
    measured = {
        "operators": set(crosscheck.rows()),
        "layers": set(crosscheck.layers()),
        "calls": set(CALLS),
    }
    differing = {kind: sorted(names ^ set(RECORDED[kind])) for kind, names in measured.items()}
    assert differing == {"operators": [], "layers": [], "calls": []}


def test_every_operator_of_torch_has_samples() -> None:
    """Give a new row an `opinfo`, or calls in `sample_calls`, or here the reason why it has neither."""
    rows = {
        row.names[0]: row for row in TABLE.rows.values() if row.names[0].startswith(("torch.", "Tensor."))
    }
    without = {
        name for name, row in rows.items() if row.opinfo is None and CALLS.keys().isdisjoint(row.names)
    }
    assert without == WITHOUT_SAMPLES.keys()
