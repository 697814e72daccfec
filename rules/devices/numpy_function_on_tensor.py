"""TL310: a NumPy function or an array's operator is applied to a tensor that it does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule, shown

_PRIMARY = cst.Name | cst.Attribute | cst.Call | cst.Subscript


@rule("TL310", severity="warning")
def numpy_function_on_tensor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NUMPY_FUNCTION):
        name, tensor = fault["function"], fault["input"]
        if fault["kind"] == "operator":
            array, operand = fault.operand("left", 0), fault.operand("right", 1)
            text = (
                f"{fault.named(array, 'array')} {name} {fault.named(operand, 'tensor')} is computed by NumPy"
            )
            swapped = (
                fault.fix("Put the tensor first", (fault.whole, _swapped)) if name in ("*", "+") else None
            )
            fixes = [swapped]
        else:
            operand = fault.operand("a", 0)
            text = f"{fault.named(operand, 'tensor')} is a tensor, {name.replace('numpy', 'np')} takes arrays"
            fixes = [fault.fix("Call the tensor's method", (fault.whole, _as_method))]
        yield check.finding(fault, f"{text}: {shown(tensor)}", fixes=fixes)


def _swapped(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `array * tensor` to `tensor * array`."""
    if not isinstance(node, cst.BinaryOperation):
        return None
    sides = [
        one if isinstance(one, _PRIMARY) or one.lpar else _grouped(one) for one in (node.right, node.left)
    ]
    return node.with_changes(left=sides[0], right=sides[1])


def _as_method(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `np.mean(x, axis=0)` to `x.mean(axis=0)`."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or not node.args:
        return None
    first, *rest = node.args
    if first.keyword is not None or first.star:
        return None
    value = first.value if isinstance(first.value, _PRIMARY) or first.value.lpar else _grouped(first.value)
    return cst.Call(cst.Attribute(value, node.func.attr), rest)


def _grouped(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
