"""TL930: a tuple, list, dict or module is used where torch takes a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, cst, rule

_RECURRENT = ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN")
_OF_OUTPUTS = {
    **dict.fromkeys(_RECURRENT, "the output and the last state"),
    "torch.nn.MultiheadAttention": "the output and the weights",
}


@rule(
    "TL930",
    severity="error",
    group="correctness",
    unproven="it is no call of torch alone: the program's own statements are run instead",
)
def tuple_used_as_tensor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NOT_A_TENSOR):
        operand, first = fault.place(fault["operand"]), fault["first"]
        name = (
            fault.named(operand, f"a {fault['value']}") if operand is not None else "the value that it gets"
        )
        related = [] if first is None else [(first, "its first item is made here")]
        fix = (
            fault.fix("Take the first item", (operand, _first_item))
            if operand and fault["is_tensor"]
            else None
        )
        yield check.finding(fault, _message(fault, name), related=related, fixes=[fix])


def _message(fault: Site, name: str) -> str:
    made = fault["first"].op if fault["first"] is not None else ""
    kind = f"a {fault['value']}"
    if made in _OF_OUTPUTS:
        kind = f"the pair of {_OF_OUTPUTS[made]}"
    elif fault["count"] is not None:
        kind = f"a tuple of {fault['count']}"
    if fault["use"] == "argument":
        return f"`{fault['name'].rpartition('.')[2]}` takes a tensor, {name} is {kind}"
    if fault["use"] == "attribute":
        return f"{name} is {kind}, which has no `{fault['name']}`"
    return f"{name} is {kind}, which cannot be indexed like a tensor"


def _first_item(node: cst.BaseExpression) -> cst.BaseExpression:
    index = cst.SubscriptElement(cst.Index(cst.Integer("0")))
    return cst.Subscript(node, [index])
