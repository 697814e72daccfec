"""Recognises statements that clear a gradient by hand: `p.grad.zero_()`, `p.grad.data.fill_(0)`."""

from __future__ import annotations

from torchlsp.program import ir

CLEARING = frozenset({"zero_", "fill_", "mul_"})
"""Methods that clear what they are called on, the latter two with a zero."""
_SAME_MEMORY = frozenset({"data", "detach"})


def clears_gradient(node: ir.Node) -> bool:
    """Returns whether a call writes zeros to a gradient."""
    if type(node) is not ir.Call or type(node.function) is not ir.Attribute:
        return False
    name, args = node.function.name, node.args
    if name not in CLEARING or not is_gradient(node.function.object):
        return False
    if name == "zero_":
        return True
    return len(args) == 1 and type(args[0]) is ir.Constant and args[0].value == 0


def is_gradient(node: ir.Node) -> bool:
    """Returns whether an expression is an attribute `grad`, or another tensor of its memory: `p.grad.data`."""
    while True:
        if type(node) is ir.Call and type(node.function) is ir.Attribute and not node.args:
            node = node.function
        if type(node) is not ir.Attribute:
            return False
        if node.name == "grad":
            return True
        if node.name not in _SAME_MEMORY:
            return False
        node = node.object
