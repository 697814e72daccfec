"""TL607: a layer or parameter that a module creates and never uses."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL607", severity="info", group="style")
def submodule_never_used(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNREAD_PART):
        yield check.finding(
            fault, f"`{fault['name']}` of {fault['cls']} is never used: its parameters get no gradient"
        )
