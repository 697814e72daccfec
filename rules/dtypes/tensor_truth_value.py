"""TL221: the truth value of a tensor of several elements is used."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import (
    Check,
    FaultKind,
    Finding,
    Fix,
    Site,
    because,
    cst,
    may_be_bool,
    parenthesised,
    rule,
    shown,
    with_method,
)


@rule("TL221", severity="error", group="correctness")
def tensor_truth_value(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TRUTH_VALUE):
        tensor, how, asked = fault["input"], fault["how"], fault.whole
        subject = "a part of it" if how == "chain" else "it"
        fixes = [_elementwise(check, fault)] if fault["whole"] else []
        if how == "test":
            fixes = [
                fault.fix(f"Insert .{name}()", (asked, lambda node, name=name: with_method(node, name)))
                for name in ("any", "all")
            ]
        yield check.finding(
            fault,
            f"the truth value of {fault.named(asked, 'tensor')} is ambiguous, {subject} is {shown(tensor)}",
            related=because(tensor, "shape"),
            fixes=fixes,
        )


def _elementwise(check: Check, fault: Site) -> Fix | None:
    """Rewrites `a and b` to `a & b`, and `a < x < b` to `(a < x) & (x < b)`, where all of them are bool."""
    if fault["input"].dtype != "bool":
        return None
    return fault.fix("Combine the elements", (check.operand(fault["whole"]), _combined))


def _combined(node: cst.BaseExpression) -> cst.BaseExpression | None:
    match node:
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            if not (may_be_bool(left) and may_be_bool(right)):
                return None
            left, right = _combined(left) or left, _combined(right) or right
            made = cst.BitAnd() if isinstance(operator, cst.And) else cst.BitOr()
            return cst.BinaryOperation(
                parenthesised(left), made, parenthesised(right), lpar=node.lpar, rpar=node.rpar
            )
        case cst.Comparison(left=left, comparisons=[first, second]):
            one = cst.Comparison(left, [first])
            other = cst.Comparison(first.comparator, [second])
            return cst.BinaryOperation(
                parenthesised(one), cst.BitAnd(), parenthesised(other), lpar=node.lpar, rpar=node.rpar
            )
    return None
