"""TL404: backward is called without a gradient on a tensor of more than one element."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule("TL404", severity="error", group="correctness")
def backward_on_non_scalar(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BACKWARD_SHAPE):
        tensor, operand = fault["input"], fault.operand("input", 0)
        yield check.finding(
            fault,
            f"backward() needs a tensor of one element, {fault.named(operand, 'tensor')} is {shown(tensor)}",
            related=because(tensor, "shape"),
            fixes=[
                fault.fix(
                    f"Take the {name} first", (operand, lambda node, name=name: with_method(node, name))
                )
                for name in ("mean", "sum")
            ],
        )
