"""TL127: the sizes of two tensors do not broadcast: they are different and neither is 1."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, TensorFact, because, rule, shown

_OWN_RULES = ("torch.einsum", "torch.expand", "Tensor.expand", "Tensor.expand_as", "Tensor.broadcast_to")


@rule(
    "TL127",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def sizes_do_not_broadcast(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BROADCAST, FaultKind.INPLACE_SHAPE, FaultKind.EXPAND):
        operator = fault.what.op
        if not operator.startswith(("torch.", "Tensor.")) or operator in _OWN_RULES:
            continue
        found = _message(fault)
        if found is None:
            continue
        text, tensors = found
        related = [
            step for tensor in tensors if tensor.origin is not None for step in because(tensor, "shape")
        ]
        yield check.finding(fault, text, related=related)


def _message(fault: Site) -> tuple[str, list[TensorFact]] | None:
    """Returns the sentence, and the tensors that it is about."""
    if fault.what.kind is FaultKind.BROADCAST:
        left, right = fault["left"], fault["right"]
        if not isinstance(left, TensorFact) or not isinstance(right, TensorFact):
            return None
        sizes = f"sizes {shown(fault['left_size'])} and {shown(fault['right_size'])} do not broadcast"
        if fault.get("shapes"):
            return f"{sizes}: indices {shown(left.shape)} and {shown(right.shape)}", []
        names = fault.called("left operand", 0), fault.called("right operand", 1)
        return f"{sizes}: {names[0]} {shown(left.shape)}, {names[1]} {shown(right.shape)}", [left, right]
    tensor = fault["input"]
    if fault.what.kind is FaultKind.INPLACE_SHAPE:
        result = shown(fault["result"])
        return f"{fault.called('input', 0)} {shown(tensor)} cannot hold a result of shape {result}", [tensor]
    if fault.what.op != "Tensor.__setitem__":
        return None
    return f"a value of shape {shown(tensor.shape)} cannot be assigned to shape {shown(fault['target'])}", [
        tensor
    ]
