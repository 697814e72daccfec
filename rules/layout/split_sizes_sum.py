"""TL110: the sizes given to split do not add up to the dimension."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown


@rule("TL110", severity="error", group="correctness")
def split_sizes_sum(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SPLIT_SIZES):
        tensor = fault["input"]
        yield check.finding(fault, _message(fault), related=because(tensor, "shape"), fixes=[_cut(fault)])


def _message(fault: Site) -> str:
    sizes, dim, size = fault["sizes"], fault["dim"], shown(fault["size"])
    name = fault.called("input", 0)
    match fault["reason"]:
        case "equal":
            return f"{name} cannot be cut into {shown(sizes[0])} equal parts: dim {dim} has {size}"
        case "negative":
            return f"{name} cannot be split into parts of {shown(sizes)}: dim {dim} has {size}"
    return f"parts of {shown(sizes)} add up to {shown(fault['total'])}, but dim {dim} of {name} has {size}"


def _cut(fault: Site) -> Fix | None:
    """Rewrites `split([2, 4])` to `tensor_split([2, 4])`, where the numbers are increasing places inside the
    dim."""
    called = fault.what.called
    named = called is None or any(name != "dim" for name, _ in called.keywords)
    if named or not fault.get("cuts") or not fault.what.op.endswith(".split"):
        return None

    def change(callee: cst.BaseExpression) -> cst.BaseExpression | None:
        if isinstance(callee, cst.Attribute):
            return callee.with_changes(attr=cst.Name("tensor_split"))
        return None

    return fault.fix("Cut at these places with tensor_split", (fault.callee, change))
