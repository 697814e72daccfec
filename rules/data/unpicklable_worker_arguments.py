"""TL706: objects that the workers of a DataLoader receive cannot be pickled."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL706",
    severity="warning",
    group="correctness",
    unproven="it takes worker processes, which the probe does not start",
)
def unpicklable_worker_arguments(check: Check) -> Iterator[Finding]:
    causes = set()
    for fault in check.faults(FaultKind.UNPICKLABLE):
        if fault["cause"] in causes:  # several loaders get the same function or dataset
            continue
        causes.add(fault["cause"])
        where = "" if fault["certain"] else " on macOS, Windows and Python 3.14"
        text = f"`{fault['role']}` is {fault['what']}, which cannot be pickled for the workers{where}"
        yield check.finding(fault, text)
