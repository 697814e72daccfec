"""TL507: the learning rate scheduler steps before the optimizer does."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL507", severity="warning", group="correctness")
def scheduler_before_optimizer(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SCHEDULED_FIRST):
        step = fault["step"]
        yield check.finding(
            fault,
            f"{check.source(fault['schedule'])} is called before {check.source(step)}: the first learning rate is skipped",
            related=[(step, "the optimizer steps only here")],
            fixes=[_behind(fault)],
        )


def _behind(fault: Site) -> Fix | None:
    """Moves the scheduler's statement below the one of its block in which the optimizer steps."""
    here, step = fault.position(fault["schedule"]), fault["step"]
    if here is None or not fault.shares_scope(step):
        return None
    for statement in here.block[here.index + 1 :]:
        if statement.start <= step.start and step.end <= statement.end:
            return fault.move_after("Step the scheduler after the optimizer", here.statement, statement)
    return None
