"""TL711: `random_split` gets lengths that do not add up to the dataset."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL711", severity="error", group="correctness")
def random_split_lengths(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SPLIT_LENGTHS):
        total, length = fault["total"], fault["length"]
        if length is None:
            text = f"the fractions given to random_split add up to {total:g}, not to 1"
        else:
            text = f"the lengths given to random_split add up to {total}, the dataset has {length} samples"
        yield check.finding(fault, text)
