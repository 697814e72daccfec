"""TL519: a learning rate schedule whose length is the number of epochs is stepped with every batch."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL519",
    severity="warning",
    group="correctness",
    unproven="nothing fails: the learning rate is another one",
)
def schedule_ends_in_first_epoch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SCHEDULE_ENDS_IN_FIRST_EPOCH):
        name, length = fault["name"], fault["length"]
        yield check.finding(
            fault,
            f"{name} ends after `{length}` steps, as many as an outer loop has iterations, but step() runs with every batch",
            related=[
                (fault["made"], "its number of steps is given here"),
                (fault["loop"], f"{length} is the number of iterations here"),
            ],
        )
