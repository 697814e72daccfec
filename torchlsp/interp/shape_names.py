"""Whether numbers that are given for sizes were asked of a tensor: `b, n = x.shape`, `x.size(0)`."""

from __future__ import annotations

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.program import ir
from torchlsp.program.reading import unpacked_from


def meant(it, faults: list[Fault], node: ir.Node) -> list[Fault]:
    """The faults without permuted sizes that may be the same numbers by chance."""
    return [
        fault
        for fault in faults
        if fault.kind is not FaultKind.PERMUTED_SIZES or fault["certain"] or _named(it, fault, node)
    ]


def _named(it, fault: Fault, node: ir.Node) -> bool:
    """Are all sizes that moved, but for the -1, asked of a tensor?"""
    if type(node) is not ir.Call:
        return False
    given = node.args if fault.op.startswith("Tensor.") else node.args[1:]
    if len(given) == 1 and type(given[0]) is ir.Display:
        given = given[0].items
    if len(given) <= max(fault["places"]):
        return False
    moved = [given[place] for place in fault["places"]]
    asked = [one for one in moved if _is_asked(it, one)]
    others = [one for one in moved if one not in asked]
    return bool(asked) and all(_is_rest(one) for one in others)


def _is_rest(node: ir.Node) -> bool:
    return (
        type(node) is ir.Unary
        and node.op == "-"
        and type(node.operand) is ir.Constant
        and node.operand.value == 1
    )


def _is_asked(it, node: ir.Node) -> bool:
    match node:
        case ir.Subscript(object=ir.Attribute(name="shape")) | ir.Call(function=ir.Attribute(name="size")):
            return True
        case ir.Name(id=name):
            function = it.frame.function
            body = it.frame.module.ir.body if function is None else function.body
            values = list(unpacked_from(body, name))
            return bool(values) and all(_is_asked(it, value) or _is_shape(value) for value in values)
    return False


def _is_shape(node: ir.Node) -> bool:
    match node:
        case ir.Attribute(name="shape") | ir.Call(function=ir.Attribute(name="size"), args=()):
            return True
        case ir.Subscript(object=inner, index=ir.Slice()):
            return _is_shape(inner)
    return False
