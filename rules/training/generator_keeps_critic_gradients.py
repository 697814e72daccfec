"""TL521: a generator's optimizer step uses gradients that the discriminator's loss has left."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL521",
    severity="warning",
    group="correctness",
    unproven="both networks learn, one of them something else",
)
def generator_keeps_critic_gradients(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LEAKED_GRADIENTS):
        yield check.finding(
            fault,
            "the discriminator's loss also leaves gradients in the generator, which are not cleared before the generator's step",
            related=[(fault["step"], "this step uses them")],
        )
