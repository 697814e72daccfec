"""TL710: a dataset keeps a long list of Python objects, which every worker ends up copying."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL710",
    severity="info",
    group="performance",
    preview="how long the list is, and whether workers are forked, is not seen",
    hint="a list that stays small does no harm",
    unproven="only memory of workers is lost",
)
def python_list_in_workers(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LIST_IN_WORKERS):
        text = f"each worker ends up with its own copy of the Python objects in `self.{fault['name']}`"
        yield check.finding(fault, text)
