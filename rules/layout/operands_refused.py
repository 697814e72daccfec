"""TL128: a function gets an argument that it does not accept: its size, number of dims or value is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, TensorFact, because, rule, shown


@rule(
    "TL128",
    severity="error",
    group="correctness",
    fallback=True,
    chosen_sizes="sizes that the probe chooses need not fit together",
    unproven_cases="of the items of a list the sizes need not be known",
)
def operands_refused(check: Check) -> Iterator[Finding]:
    for fault in check.faults(
        FaultKind.RANK,
        FaultKind.SIZE,
        FaultKind.ARGUMENT,
        FaultKind.INDEX,
        FaultKind.INPLACE_SHAPE,
    ):
        tensor = fault.get("input")
        known = isinstance(tensor, TensorFact)
        yield check.finding(
            fault,
            _message(fault, tensor if known else None),
            related=because(tensor, "shape") if known else (),
        )


def _message(fault: Site, tensor: TensorFact | None) -> str:
    name = fault.what.op.rpartition(".")[2] or "the operator"
    name = "indexing" if name == "__getitem__" else f"`{name}`"
    argument, value = fault.get("argument"), fault.get("value")
    if argument and isinstance(value, (int, float, str)):
        return f"{name} does not accept {argument}={value!r}"
    if argument:
        return f"{name} does not accept the value of `{argument}`"
    if fault.get("tensors") == ():
        return f"{name} takes at least one tensor, and gets an empty list"
    if tensor is None:
        return f"{name} does not accept these operands"
    operand = fault.named(fault.written(tensor), "input")
    if fault.get("reason") == "mask":
        wanted = "2-D or 3-D" if fault.what.kind is FaultKind.RANK else shown(fault["expected"])
        return f"{name} takes a mask that is {wanted} here: {operand} is {shown(tensor)}"
    if fault.what.kind is FaultKind.RANK:
        rank = fault.get("got") if tensor.rank is None else tensor.rank
        kind = f"input of this rank, {operand}" if rank is None else f"{rank}-D input: {operand}"
        return f"{name} does not take {kind} is {shown(tensor)}"
    if fault.get("reason") == "no number":
        return f"{name} takes numbers in a list, not tensors of several elements as {shown(tensor)}"
    return f"{name} does not accept these sizes: {operand} is {shown(tensor)}"
