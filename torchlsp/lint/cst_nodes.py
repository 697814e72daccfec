"""Makes the small changes of libCST nodes that several rules need."""

from __future__ import annotations

from torchlsp.syntax.concrete import import_libcst

import_libcst()

import libcst as cst  # noqa: E402  # it is there now

_PRIMARY = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Tuple, cst.List, cst.Dict, cst.Set)


def with_method(node: cst.BaseExpression, name: str, *arguments: int) -> cst.Call:
    """Builds `node.name(arguments)`, with the parentheses that the expression needs."""
    return cst.Call(
        cst.Attribute(parenthesised(node), cst.Name(name)),
        [cst.Arg(number(argument)) for argument in arguments],
    )


def with_arguments(node: cst.BaseExpression, name: str, *arguments: cst.BaseExpression) -> cst.Call:
    """Builds `node.name(arguments)` for arguments that are any expressions."""
    return cst.Call(
        cst.Attribute(parenthesised(node), cst.Name(name)), [cst.Arg(argument) for argument in arguments]
    )


def with_methods(node: cst.BaseExpression, *names: str) -> cst.BaseExpression:
    """Builds `node.a().b()` for the names a and b."""
    for name in names:
        node = with_method(node, name)
    return node


def with_attribute(node: cst.BaseExpression, name: str) -> cst.Attribute:
    """Builds `node.name`, with the parentheses that the expression needs."""
    return cst.Attribute(parenthesised(node), cst.Name(name))


def parenthesised(node: cst.BaseExpression) -> cst.BaseExpression:
    """Adds the parentheses that an attribute access needs."""
    if isinstance(node, _PRIMARY) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def without_call(node: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """Returns `x` of `F.name(x, …)`, `torch.name(x)` and `x.name(…)`; None for anything else."""
    if (
        not isinstance(node, cst.Call)
        or not isinstance(node.func, cst.Attribute)
        or node.func.attr.value != name
    ):
        return None
    module = node.func.value
    if (
        isinstance(module, cst.Name)
        and module.value in ("F", "torch", "functional")
        or _ends_in_functional(module)
    ):
        first = node.args[0] if node.args else None
        return None if first is None or first.keyword or first.star else parenthesised(first.value)
    return module


def _ends_in_functional(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "functional"


def number(value: int) -> cst.BaseExpression:
    """Builds an integer."""
    digits = cst.Integer(str(abs(value)))
    return cst.UnaryOperation(cst.Minus(), digits) if value < 0 else digits


def may_be_bool(node: cst.BaseExpression) -> bool:
    """Returns whether an expression is a test or a call: not a number, as in `x or 1`, a name or arithmetic."""
    match node:
        case cst.BooleanOperation(left=left, right=right):
            return may_be_bool(left) and may_be_bool(right)
        case cst.BinaryOperation(operator=operator):
            return isinstance(operator, cst.BitAnd | cst.BitOr | cst.BitXor)
        case cst.UnaryOperation(operator=operator):
            return isinstance(operator, cst.Not | cst.BitInvert)
    return isinstance(node, cst.Comparison | cst.Call)


def integer_value(node: cst.BaseExpression) -> int | None:
    """Evaluates integers and their sums, differences and products; None for anything else."""
    match node:
        case cst.Integer():
            return node.evaluated_value
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply() as operator, right=right
        ):
            one, other = integer_value(left), integer_value(right)
            if one is None or other is None:
                return None
            if isinstance(operator, cst.Multiply):
                return one * other
            return one + other if isinstance(operator, cst.Add) else one - other
    return None
