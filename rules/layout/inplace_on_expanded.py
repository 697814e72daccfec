"""TL108: an expanded tensor is written in place: several of its elements share memory."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, TensorFact, because, rule, shown, with_method

_EXPANDING = frozenset({"expand", "expand_as", "broadcast_to"})


@rule(
    "TL108",
    severity="error",
    group="correctness",
    unproven_cases="the strides of an expanded tensor may be unknown",
)
def inplace_on_expanded(check: Check) -> Iterator[Finding]:
    seen = set()
    for fault in check.faults(FaultKind.INPLACE_EXPANDED, FaultKind.INPLACE_ALIASED):
        place = fault.file.path, fault.span.start
        if place in seen:
            continue  # `x[0] += 1` writes twice: to what it reads, and to where that came from
        seen.add(place)
        tensor, raises = fault["input"], fault.get("part") is None
        name, dim = _written(fault), fault["dim"]
        text = f"{name} {shown(tensor)} is written in place, but dim {dim} is expanded: its elements share memory"
        if not raises:
            text = (
                f"writing to {name} changes every element along dim {dim}, which is expanded: {shown(tensor)}"
            )
        yield check.finding(
            fault, text, related=because(tensor, "layout"), fixes=[_cloned(check, fault, tensor, safe=raises)]
        )


def _written(fault: Site) -> str:
    """Returns the target of the write: all of a subscript that is assigned to, else what a method or operator
    is used on."""
    if fault.what.op == "Tensor.__setitem__":
        return fault.named(fault.whole, "part")
    return fault.called("tensor", 0)


def _cloned(check: Check, fault: Site, tensor: TensorFact, safe: bool) -> Fix | None:
    """Returns the expand that created the tensor, with `.clone()` after it."""
    fact: TensorFact | None = tensor
    while fact is not None and fact.origin is not None:
        if fact.origin.op.rpartition(".")[2] in _EXPANDING:
            change = (check.operand(fact.origin), lambda node: with_method(node, "clone"))
            return fault.fix("Insert .clone() after the expand", change, safe=safe)
        fact = fact.origin.parents[0] if fact.origin.parents else None
    return None
