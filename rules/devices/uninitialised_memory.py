"""TL318: uninitialised memory is read, or used as a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, maker, rule


@rule("TL318", severity="warning", group="correctness", unproven="what the memory holds is left to chance")
def uninitialised_memory(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNFILLED):
        name = fault["name"]
        if fault["parameter"]:
            yield check.finding(
                fault, f"`{name}` is uninitialised memory that is never filled, its values are arbitrary"
            )
        else:
            text = f"`{name}` is read before it is written to, its values are arbitrary"
            yield check.finding(fault, text, related=maker(fault["input"]))
