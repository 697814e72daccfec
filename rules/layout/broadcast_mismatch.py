"""TL127: two shapes meet that cannot be broadcast together."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, TensorFact, because, rule, shown


@rule("TL127", severity="error", fallback=True)
def broadcast_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BROADCAST):
        left, right = fault["left"], fault["right"]
        if not isinstance(left, TensorFact) or not isinstance(right, TensorFact):
            continue
        yield check.finding(
            fault,
            f"{shown(left.shape)} and {shown(right.shape)} cannot be broadcast: "
            f"{shown(fault['left_size'])} meets {shown(fault['right_size'])} in dim {fault['dim']}",
            related=[*because(left, "shape"), *because(right, "shape")],
        )
