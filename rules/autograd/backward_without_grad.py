"""TL405: backward is called on a tensor that does not require grad."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown


@rule(
    "TL405",
    severity="error",
    group="correctness",
    unproven_cases="a trainer that is not in sight may run the backward",
)
def backward_without_grad(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BACKWARD_NO_GRAD):
        if fault.what.op == "Tensor.retain_grad":
            continue
        tensor = fault["input"]
        said = f"{fault.called('input', 0)} {shown(tensor)}"
        if fault.what.op == "training_step":
            said = f"the loss {shown(tensor)} that the Trainer gets here"
        yield check.finding(
            fault,
            f"{said} does not require grad: there is no graph for backward()",
            related=because(tensor, "grad"),
        )
