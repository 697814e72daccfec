"""TL305: an array or tensor is modified in place while another one that shares its memory is in use."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule, with_method


@rule(
    "TL305",
    severity="info",
    group="style",
    shown_right="notes show on purpose that an array and a tensor share memory",
)
def numpy_shared_memory_write(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TWIN_WRITTEN):
        alias, name, shared = fault["alias"], fault["name"], fault["shared"]
        what, other = ("array", "tensor") if fault["array"] else ("tensor", "array")
        yield check.finding(
            fault,
            f"writing to the {what} `{alias}` also changes the {other} `{name}`: they share memory",
            related=[(shared, "memory is shared here, nothing is copied")],
            fixes=[_copied(check, fault, shared)],
        )


def _copied(check, fault, shared):
    place = check.operand(shared)
    if shared.op == "Tensor.numpy":
        return fault.fix("Insert .copy()", (place, lambda node: with_method(node, "copy")))
    return fault.fix("Copy the array", (place, _of_copy))


def _of_copy(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `from_numpy(a)` to `from_numpy(a.copy())`."""
    match node:
        case cst.Call(args=[first, *rest]) if not first.star and first.keyword is None:
            made = with_method(first.value, "copy")
            return made and node.with_changes(args=[first.with_changes(value=made), *rest])
    return None
