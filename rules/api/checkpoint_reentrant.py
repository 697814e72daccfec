"""TL924: activation checkpointing is used without choosing one of its two implementations."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule(
    "TL924",
    severity="warning",
    group="upgrade",
    tag="deprecated",
    unproven="the probe does not let the function in",
)
def checkpoint_reentrant(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNSAID_ARGUMENT):
        if fault["argument"] != "use_reentrant":
            continue
        name = fault["name"].rpartition(".")[2]
        change = fault.whole, lambda node: respelling.with_given(node, "use_reentrant", "False")
        yield check.finding(
            fault,
            f"`{name}` without `use_reentrant` warns: the default is True, False is recommended",
            fixes=[fault.fix("Insert use_reentrant=False", change)],
        )
