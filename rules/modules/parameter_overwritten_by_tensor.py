"""TL606: a plain tensor is assigned where a layer has a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown


@rule("TL606", severity="error", group="correctness")
def parameter_overwritten_by_tensor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PARAMETER_OVERWRITTEN):
        value = fault["value"]
        yield check.finding(
            fault,
            f"{check.source(fault.what)} is a parameter: {shown(value)} is a plain tensor and cannot replace it",
            related=because(value, "shape"),
        )
