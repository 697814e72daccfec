"""TL123: a column (N, 1) beside a vector (N,) broadcasts to a table (N, N) by accident."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule("TL123", severity="warning", group="correctness")
def accidental_outer_broadcast(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.OUTER):
        left, right, size = fault["left"], fault["right"], shown(fault["size"])
        side = 1 if fault["column"] else 0
        names = fault.called("left operand", 0), fault.called("right operand", 1)
        column, vector = (right, left) if side else (left, right)
        yield check.finding(
            fault,
            f"{names[0]} {shown(left.shape)} and {names[1]} {shown(right.shape)} broadcast to [{size}, {size}]",
            related=[*because(column, "shape"), *because(vector, "shape")],
            fixes=[
                fault.fix(
                    "Insert .squeeze(-1)",
                    (
                        fault.operand("other" if side else "input", side),
                        lambda node: with_method(node, "squeeze", -1),
                    ),
                )
            ],
        )
