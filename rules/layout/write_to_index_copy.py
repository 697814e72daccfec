"""TL114: a mask, list or tensor as an index makes a copy, and only that copy is written to."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule, with_method

_OPERATORS = {"add_": cst.AddAssign, "sub_": cst.SubtractAssign, "mul_": cst.MultiplyAssign, "div_": cst.DivideAssign}  # fmt: skip


@rule(
    "TL114",
    severity="error",
    group="correctness",
    unproven_cases="an index of which too little is known is made up, and may not be one that the tensor has",
)
def write_to_index_copy(check: Check) -> Iterator[Finding]:
    told = set()
    for fault in check.faults(FaultKind.LOST_WRITE):
        copied, base, name = fault["copied"], check.source(fault["base"]), fault["name"]
        text, related = f"{check.source(copied)} is a copy: writing to it does not change {base}", []
        if name is not None:
            if (copied.path, copied.start) in told:
                continue  # the first of several writes tells it
            told.add((copied.path, copied.start))
            text = f"`{name}` is a copy that is never read: writing to it does not change {base}"
            related = [(copied, "a mask, list or tensor as an index copies")]
        yield check.finding(fault, text, related=related, fixes=[_fixed(fault)])


def _fixed(fault: Site) -> Fix | None:
    """Rewrites `x[mask].mul_(2)` to `x[mask] *= 2`, `x[indices][0] = 1` to `x[indices[0]] = 1`."""
    if fault["merges"] is not None:
        is_mask = fault["merges"] == "mask"
        return fault.fix("Merge both indices into one", (fault.whole, lambda node: _merged(node, is_mask)))
    if fault["direct"] and fault["name"] is None and fault.what.op.startswith("Tensor."):
        return fault.fix("Write by an assignment", (fault.whole, _assigned))
    return None


def _merged(node: cst.BaseExpression, is_mask: bool) -> cst.BaseExpression | None:
    first = node.value if isinstance(node, cst.Subscript) else None
    match first:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=indices))]):
            if is_mask:
                indices = with_method(indices, "nonzero")
            elif not isinstance(indices, cst.Name | cst.Call | cst.Attribute):
                return None
            inner = cst.SubscriptElement(cst.Index(node.with_changes(value=indices)))
            return first.with_changes(slice=[inner])
    return None


def _assigned(node: cst.BaseExpression) -> cst.BaseSmallStatement | None:
    match node:
        case cst.Call(func=cst.Attribute(value=target, attr=cst.Name(value="zero_")), args=[]):
            return cst.Assign([cst.AssignTarget(target)], cst.Integer("0"))
        case cst.Call(
            func=cst.Attribute(value=target, attr=method), args=[cst.Arg(keyword=None, value=value)]
        ):
            if method.value in ("fill_", "copy_"):
                return cst.Assign([cst.AssignTarget(target)], value)
            if method.value in _OPERATORS:
                return cst.AugAssign(target, _OPERATORS[method.value](), value)
    return None
