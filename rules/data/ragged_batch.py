"""TL708: samples of one batch differ in shape and are not brought to one size."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule, shown


@rule("TL708", severity="warning", group="correctness")
def ragged_batch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RAGGED_BATCH):
        left, right = fault["left"], fault["right"]
        if fault["what"] == "list":
            text = f"samples hold lists of {left} and {right} items, which cannot be collated into one batch"
        else:
            text = f"samples of shape {shown(left)} and {shown(right)} cannot be stacked into one batch"
        yield check.finding(fault, text)
