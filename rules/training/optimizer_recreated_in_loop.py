"""TL514: an optimizer is created again in each iteration of a loop, and loses its state."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL514", severity="warning", group="correctness")
def optimizer_recreated_in_loop(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RECREATED):
        yield check.finding(
            fault,
            f"{fault['name']} is created again in each iteration and loses its state",
            related=[(fault["loop"], "the model is the same in all iterations of this loop")],
            fixes=[_above(fault)],
        )


def _above(fault: Site) -> Fix | None:
    """Moves the statement above the loop, when it is one of the loop's own."""
    here = fault.position(fault.whole)
    loop = None if here is None else here.parent
    if loop is None or (loop.start, loop.end) != (fault["loop"].start, fault["loop"].end):
        return None
    return fault.move("Create it before the loop", here.statement, loop)
