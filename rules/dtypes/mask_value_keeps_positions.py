"""TL236: Scores are masked with a number that does not exclude them from a softmax: infinity, or 1e-9."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from torchlsp.lint import Check, FaultKind, Finding, maker, rule


@rule("TL236", severity="error", group="correctness", unproven="torch raises nothing, whatever is masked")
def mask_value_keeps_positions(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MASKED_WITH_MORE):
        value, given = fault["value"], fault.called("input", 0)
        if isinf(value):
            text = f"{given} is masked with inf instead of -inf: the softmax of each row with a masked position is nan"
        else:
            text = f"{given} is masked with {value:g} instead of -1e9 or -inf: the softmax does not exclude the masked positions"
        yield check.finding(fault, text, related=maker(fault["input"]), mild=not isinf(value))
