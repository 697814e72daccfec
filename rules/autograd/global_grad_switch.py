"""TL413: gradients were disabled globally and never enabled again, and a backward needs them."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL413", severity="warning", group="correctness")
def global_grad_switch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAD_SWITCHED_OFF):
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} has no graph: gradients were disabled and never enabled again",
            related=[(fault["switch"], "gradients are disabled from here on, in the whole program")],
        )
