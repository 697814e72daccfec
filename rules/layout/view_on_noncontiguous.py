"""TL101: `view` is asked to merge dimensions that do not lie next to each other in memory."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, shown, with_method


@rule("TL101", severity="error", group="correctness")
def view_on_noncontiguous(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.VIEW_STRIDES):
        tensor, receiver = fault["input"], fault.operand("input", 0)
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} {shown(tensor)} cannot be viewed as {shown(fault['target'])}",
            related=because(tensor, "layout"),
            fixes=[
                fault.fix("Replace view by reshape", (fault.callee, _reshape), safe=True),
                fault.fix(
                    "Insert .contiguous()",
                    (receiver, lambda node: with_method(node, "contiguous")),
                    safe=True,
                ),
            ],
        )


def _reshape(callee: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `x.view` to `x.reshape`, and `x.view_as` to `x.reshape_as`."""
    if not isinstance(callee, cst.Attribute) or not callee.attr.value.startswith("view"):
        return None
    return callee.with_changes(attr=cst.Name(callee.attr.value.replace("view", "reshape", 1)))
