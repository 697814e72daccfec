"""TL512: a layer or weight was replaced after the optimizer was created, which does not update it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL512", severity="warning", group="correctness")
def optimizer_holds_stale_parameters(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.STALE_PARAMETERS):
        optimizer = fault.named(check.optimizer(fault["step"]), "optimizer")
        if fault["how"] == "bound":
            text = (
                f"`{fault['name']}` was replaced, but {optimizer} still updates the parameters of the old one"
            )
        else:
            text = f"{optimizer} was created before {fault.named(fault.whole, 'this')} and never updates it"
        yield check.finding(
            fault,
            text,
            related=[
                (fault["made"], "the optimizer is created here"),
                (fault["step"], "the optimizer steps here"),
            ],
            fixes=[_later(fault)],
        )


def _later(fault: Site) -> Fix | None:
    """Moves the optimizer's statement after this one, if they are in one block and nothing between them uses
    it."""
    made, here = fault.position(fault["made"]), fault.position(fault.whole)
    if made is None or here is None or made.block is not here.block:
        return None
    name = fault.file.source(made.statement.start, fault["made"].start).partition("=")[0].strip()
    between = fault.file.source(made.statement.end, here.statement.end)
    if not name.isidentifier() or name in re.findall(r"\w+", between):
        return None
    return fault.move_after("Create the optimizer after this", made.statement, here.statement)
