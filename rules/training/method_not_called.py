"""TL518: a method is named and not called, so that nothing happens."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule(
    "TL518",
    severity="error",
    group="correctness",
    unproven="nothing is raised where the method is named",
)
def method_not_called(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.METHOD_NOT_CALLED):
        written = fault.named(fault.whole, fault["name"])
        if fault["use"] == "statement":
            text = f"{written} is named and not called: nothing happens"
        else:
            text = f"{written} is passed without being called"
        fix = fault.fix("Call it", (fault.whole, lambda node: cst.Call(node)))
        yield check.finding(fault, text, fixes=[fix])
