"""TL310: a NumPy function or an array's operator is applied to a tensor that it does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, respelling, rule, shown

_OF_FLOATS = ("mean", "std", "var")
"""What torch computes of floating-point and complex numbers only."""
_PRIMARY = cst.Name | cst.Attribute | cst.Call | cst.Subscript


@rule("TL310", severity="warning", group="correctness")
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
            # What is a tensor only by an assumption may be an array, which has other methods.
            fixes = [] if fault.assumptions else [_as_method(fault)]
        yield check.finding(fault, f"{text}: {shown(tensor)}", fixes=fixes)


def _swapped(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `array * tensor` to `tensor * array`."""
    if not isinstance(node, cst.BinaryOperation):
        return None
    sides = [
        one if isinstance(one, _PRIMARY) or one.lpar else _grouped(one) for one in (node.right, node.left)
    ]
    return node.with_changes(left=sides[0], right=sides[1])


def _as_method(fault: Site) -> Fix | None:
    """Rewrites `np.mean(x, axis=0)` to `x.mean(axis=0)`; None where torch computes something else or refuses it."""
    name, dtype = fault["function"].rpartition(".")[2], fault["input"].dtype
    if name in _OF_FLOATS and (dtype is None or not dtype.startswith(("f", "bf", "c"))):
        return None
    change = fault.whole, lambda node: respelling.reduced(node, name)
    return fault.fix("Call the tensor's method", change)


def _grouped(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
