"""TL230: a function gets a dtype that it does not accept, or two tensors of dtypes that do not combine."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, TensorFact, because, rule, shown


@rule(
    "TL230",
    severity="error",
    group="correctness",
    fallback=True,
    since="1.13",
    unproven_cases="the values of a tensor of which only the dtype is known are not",
)
def dtype_refused(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DTYPE, FaultKind.DTYPE_MISMATCH):
        tensors = [fault.get(role) for role in ("input", "left", "right")]
        known = [tensor for tensor in tensors if isinstance(tensor, TensorFact)]
        yield check.finding(
            fault,
            _message(fault, known),
            related=[place for tensor in known for place in because(tensor, "dtype")],
        )


def _message(fault: Site, tensors: list[TensorFact]) -> str:
    name = fault.what.op.rpartition(".")[2] or "the operator"
    if len(tensors) == 2:
        return f"`{name}` does not combine {shown(tensors[0].dtype)} and {shown(tensors[1].dtype)}"
    if not tensors:
        return f"`{name}` refuses the dtype of an operand"
    tensor = fault.named(fault.written(tensors[0]), "operand")
    return f"`{name}` does not take {shown(tensors[0].dtype)}: {tensor} is {shown(tensors[0])}"
