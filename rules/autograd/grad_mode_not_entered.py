"""TL415: a context manager of torch's modes is created and never entered."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule(
    "TL415",
    severity="error",
    group="correctness",
    unproven="some modes are called outside of `with`, which the probe does not let in",
)
def grad_mode_not_entered(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MODE_NOT_ENTERED):
        name = fault.named(fault.whole, "mode")
        if fault["called_for"]:
            yield check.finding(fault, f"{name} is created but not entered, so it has no effect")
            continue
        fixes = []
        if "autocast" not in fault["manager"]:  # which wants to know for which device
            fixes = [fault.fix("Add the parentheses", (fault.whole, lambda node: cst.Call(node)), safe=True)]
        yield check.finding(fault, f"{name} is a class, `with` needs an instance of it", fixes=fixes)
