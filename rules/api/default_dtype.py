"""TL926: the default dtype is set to one that is not floating point."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule, shown


@rule(
    "TL926",
    severity="error",
    group="correctness",
    unproven="the probe does not let `torch.set_default_dtype` in",
)
def default_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DEFAULT_DTYPE):
        yield check.finding(fault, f"the default dtype must be floating, {shown(fault['dtype'])} is not")
