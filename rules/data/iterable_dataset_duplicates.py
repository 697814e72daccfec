"""TL705: every worker yields all samples of an iterable dataset, which is not split between workers."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL705",
    severity="warning",
    group="correctness",
    unproven="it takes worker processes, which the probe does not start",
)
def iterable_dataset_duplicates(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.COPIES_IN_WORKERS):
        yield check.finding(
            fault,
            f"every worker iterates over all of `{fault['cls']}`: each sample comes once per worker",
            related=[(fault["above"], "this does not use get_worker_info() to select its part")],
        )
