"""TL520: the best weights are copied to a variable that nothing reads, so the last ones are used."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL520",
    severity="warning",
    group="correctness",
    unproven="the program does not tell what the weights are meant for",
)
def best_weights_never_used(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNUSED_WEIGHTS):
        model = fault.named(fault.place((fault["model"].start, fault["model"].end)), "model")
        yield check.finding(
            fault,
            f"nothing reads `{fault['name']}`: {model} keeps the weights of the last iteration, not the best ones",
        )
