"""TL109: tensors with shapes that do not fit are joined, or tensors that are not in a list."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, may_be_joined, rule, shown


@rule(
    "TL109",
    severity="error",
    group="correctness",
    unproven_cases="the list may get its wrong tensor from the last batch of a loader only",
)
def cat_stack_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CONCATENATE):
        related = [*because(fault["left"], "shape"), *because(fault["right"], "shape")]
        yield check.finding(fault, _message(fault), related=related)
    for fault in check.faults(FaultKind.ONE_BY_ONE):
        given = fault.called("tensors", 0)
        text = f"{_name(fault)} gets {given} by itself, it takes one list or tuple of tensors"
        yield check.finding(fault, text, fixes=[_listed(fault)])


def _message(fault: Site) -> str:
    left, right = fault["left"], fault["right"]
    if fault["places"][0] is None:
        return f"the list holds {shown(left)}, of the loop's last batch, which has no dim that {_name(fault)} could join along"
    if left is right:
        return f"{_item(fault, 0)} {shown(left)} has no dim that {_name(fault)} could join along, use stack"
    both, at = f"{_item(fault, 0)} and {_item(fault, 1)}", fault.get("at")
    if at is not None:
        sizes = f"{shown(fault['left_size'])} and {shown(fault['right_size'])}"
        return f"{both} have {sizes} in dim {at}, {_name(fault)} joins along dim {fault['dim']}"
    wants = "equal shapes" if left.rank == right.rank else "one number of dims"
    return f"{both} have shapes {shown(left.shape)} and {shown(right.shape)}, {_name(fault)} takes {wants}"


def _item(fault: Site, side: int) -> str:
    """Names one of the tensors that clash as the user wrote it; by its number where the list is not written
    out."""
    place = fault["places"][side]
    item = fault.item(fault.operand("tensors", 0), place)
    return f"tensor {place}" if item is None else fault.named(item, "tensor")


def _name(fault: Site) -> str:
    return fault.what.op.rpartition(".")[2]


def _listed(fault: Site) -> Fix | None:
    """Rewrites `cat(a, b)` to `cat([a, b])`, where the positional arguments are several tensors and nothing
    else."""
    count = fault["count"]
    if count is None or count < 2 or not may_be_joined(fault, count):
        return None

    def change(call: cst.BaseExpression) -> cst.BaseExpression | None:
        if not isinstance(call, cst.Call) or any(one.star or one.keyword for one in call.args[:count]):
            return None
        listed = cst.List([cst.Element(one.value) for one in call.args[:count]])
        return call.with_changes(args=[call.args[count - 1].with_changes(value=listed), *call.args[count:]])

    return fault.fix("Put the tensors in a list", (fault.whole, change), safe=True)
