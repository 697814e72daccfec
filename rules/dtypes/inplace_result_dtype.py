"""TL216: an in-place operator's result has a dtype that the written tensor cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, shown

_OPERATORS = {
    cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract, cst.MultiplyAssign: cst.Multiply, cst.DivideAssign: cst.Divide,
    cst.PowerAssign: cst.Power,
}  # fmt: skip


@rule("TL216", severity="error", group="correctness")
def inplace_result_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.INPLACE_DTYPE):
        tensor = fault["input"]
        yield check.finding(
            fault,
            f"the result is {fault['result']} and cannot be written in place to {fault.called('input', 0)}, which is {shown(tensor)}",
            related=because(tensor, "dtype"),
            fixes=[fault.fix("Create a new tensor instead", (fault.whole, _out_of_place))],
        )


def _out_of_place(node: cst.BaseSmallStatement) -> cst.Assign | None:
    """Rewrites `a /= 2` to `a = a / 2`."""
    if not isinstance(node, cst.AugAssign) or not isinstance(node.target, cst.Name):
        return None
    operator = _OPERATORS.get(type(node.operator))
    if operator is None:
        return None
    value = node.value
    if (
        isinstance(value, (cst.BinaryOperation, cst.Comparison, cst.BooleanOperation, cst.IfExp))
        and not value.lpar
    ):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Assign([cst.AssignTarget(node.target)], cst.BinaryOperation(node.target, operator(), value))
