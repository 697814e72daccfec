"""TL402: a value that backward needs is modified in place."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule

_WORDS = {"result": "its result", "operand": "its input", "weight": "its weight"}


@rule("TL402", severity="error", group="correctness")
def inplace_breaks_backward(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SAVED_CHANGED):
        saver, written = fault["saver"], fault["written"]
        name = saver.op.rpartition(".")[2]
        yield check.finding(
            fault,
            f"{check.source(written)} changes in place what the backward pass of {name} needs",
            related=[
                (written, "modified in place here"),
                (saver, f"{name} saves {_WORDS[fault['which']]} for its backward"),
            ],
            fixes=[fault.fix("Create a new tensor instead", (check.operand(written), _out_of_place))],
        )


def _out_of_place(node: cst.CSTNode) -> cst.CSTNode | None:
    """Rewrites `h += 1` to `h = h + 1`, and `h.add_(1)` as a statement to `h = h.add(1)`."""
    match node:
        case cst.AugAssign(target=cst.Name() as target, operator=operator, value=value):
            plain = getattr(cst, type(operator).__name__.removesuffix("Assign"))()
            if (
                isinstance(value, cst.BinaryOperation | cst.IfExp | cst.Comparison | cst.BooleanOperation)
                and not value.lpar
            ):
                value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            return cst.Assign([cst.AssignTarget(target)], cst.BinaryOperation(target, plain, value))
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=cst.Name() as target, attr=attr)) as call):
            if attr.value.endswith("_") and not attr.value.startswith("_"):
                made = call.with_changes(func=call.func.with_changes(attr=cst.Name(attr.value[:-1])))
                return cst.Assign([cst.AssignTarget(target)], made)
    return None
