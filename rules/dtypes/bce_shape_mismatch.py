"""TL209: input and target of a binary cross-entropy loss have different shapes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule(
    "TL209",
    severity="error",
    group="correctness",
    unproven_cases="of what was squeezed only the number of dims may be known",
)
def bce_shape_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BCE_SHAPE):
        tensor, target = fault["input"], fault["target"]
        written, labels = fault.operand("input", 0), fault.operand("target", 1)
        fixes = []
        if fault["reason"] == "input":
            squeezed = written, lambda node: with_method(node, "squeeze", -1)
            widened = labels, lambda node: with_method(node, "unsqueeze", -1)
            fixes = [
                fault.fix("Squeeze the input", squeezed),
                fault.fix("Unsqueeze the target", widened),
            ]
        elif fault["reason"] == "target":
            squeezed = labels, lambda node: with_method(node, "squeeze", -1)
            fixes = [fault.fix("Squeeze the target", squeezed)]
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} is {shown(tensor.shape)}, target is {shown(target.shape)}: they must be equal",
            related=because(tensor, "shape"),
            fixes=fixes,
        )
