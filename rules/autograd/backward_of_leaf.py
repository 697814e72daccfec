"""TL427: `backward()` is called on a loss without a graph that was made to require grad, so it trains nothing."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL427", severity="warning", group="correctness", unproven="torch computes such a loss without a word")
def backward_of_leaf(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LEAF_LOSS):
        name = fault.called("input", 0)
        yield check.finding(
            fault,
            f"{name} is a leaf tensor without a graph: its backward() gives no gradient to what it was computed from",
            related=[(fault["made"], "it has no graph from here on")],
        )
