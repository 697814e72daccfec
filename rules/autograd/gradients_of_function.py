"""TL425: backward of an autograd Function returns another number of gradients than forward takes inputs."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL425",
    severity="error",
    group="correctness",
    unproven="it is no call of torch alone: the program's own statements are run instead",
)
def gradients_of_function(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.FUNCTION_GRADIENTS):
        returned, inputs = fault["returned"], fault["inputs"]
        text = f"{returned} gradient{'s' * (returned != 1)} returned for the {inputs} inputs of forward"
        if inputs == 1:
            text = f"{returned} gradients returned for the one input of forward"
        # Indices and masks have no gradient, so a backward that gives none is seldom run.
        yield check.finding(fault, text, style=not fault["gives"])
