"""TL210: predictions (N, 1) and targets (N,) broadcast to (N, N) in a regression loss."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method

CLASS_INDICES = ("i64", "i32", "u8")


@rule(
    "TL210",
    severity="error",
    group="correctness",
    unproven_cases="sizes that the probe chooses need not be those that are expanded",
)
def regression_loss_broadcast(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOSS_BROADCAST):
        tensor, target = fault["input"], fault["target"]
        column, place, role = (tensor, 0, "input") if tensor.rank > target.rank else (target, 1, "target")
        change = fault.operand(role, place), lambda node: with_method(node, "squeeze", -1)
        fix = fault.fix(f"Squeeze the {'prediction' if role == 'input' else 'target'}", change)
        pairs = f" broadcast to {shown(fault['result'])}" if fault["result"] else " do not match"
        if fault["reason"] == "batch" and target.dtype in CLASS_INDICES and tensor.rank > target.rank:
            pairs += ": class indices are for cross_entropy"
        elif fault["reason"] == "rows":
            pairs = ": one prediction meets the targets of all samples"
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} {shown(tensor.shape)} and target {shown(target.shape)}{pairs}",
            related=because(tensor if fault["reason"] == "rows" else column, "shape"),
            fixes=[fix] if fault["reason"] == "column" else [],
            mild=fault["reason"] == "rows",
        )
