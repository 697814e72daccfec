"""Answers comparisons of an object's class: `type(x) is tuple`, `x.__class__.__name__ == "StepLR"`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.heap_keys import OF_OTHER_CLASS
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

IsInstance = Callable[["Evaluator", Value, Value], Tri]
_OPERATORS = {"==": True, "is": True, "in": True, "!=": False, "is not": False, "not in": False}


def answer_of(
    it: Evaluator, op: str, node: ir.Compare, left: Value, right: Value, is_instance: IsInstance
) -> Tri:
    """Returns the answer of a comparison of `type(x)`, `x.__class__` or the name of either; else UNKNOWN.

    `is_instance` tells whether a value is an instance of a class.
    """
    holds = _OPERATORS.get(op)
    if holds is None or len(node.ops) > 1:
        return Tri.UNKNOWN
    asked, other = _asked(it, node.left), right
    if asked is None and op not in ("in", "not in"):
        asked, other = _asked(it, node.rights[0]), left
    if asked is None:
        return Tri.UNKNOWN
    subject, by_name = asked
    value = it.eval(subject)
    if isinstance(value, v.InstanceValue | v.LayerValue) and (value.ref, OF_OTHER_CLASS) in it.state.heap:
        return Tri.UNKNOWN
    candidates = (it.elements(other) if op in ("in", "not in") else None) or (other,)
    truth = Tri.NO
    for candidate in candidates:
        truth = truth.either(
            _is_named(value, candidate) if by_name else _is_of(it, value, candidate, is_instance)
        )
    return truth if holds else truth.negated()


def _asked(it: Evaluator, node: ir.Node) -> tuple[ir.Node, bool] | None:
    """Returns the object whose class, or (True) the name of whose class, an expression is; None if it is neither."""
    by_name = type(node) is ir.Attribute and node.name == "__name__"
    if type(node) is ir.Attribute and by_name:
        node = node.object
    if type(node) is ir.Attribute and node.name == "__class__":
        subject = node.object
    elif (
        type(node) is ir.Call
        and type(node.function) is ir.Name
        and len(node.args) == 1
        and it.lookup(node.function.id) == v.External("builtins.type")
    ):
        subject = node.args[0]
    else:
        return None
    part = subject
    while type(part) is ir.Attribute:
        part = part.object
    # What is evaluated once more has no effects.
    return (subject, by_name) if type(part) is ir.Name else None


def _is_of(it: Evaluator, value: Value, cls: Value, is_instance: IsInstance) -> Tri:
    found = is_instance(it, value, cls)
    if found is Tri.YES:
        own = _class_name(value)
        if isinstance(value, v.InstanceValue):
            return Tri.of(value.cls == cls)
        return Tri.UNKNOWN if own is None or not isinstance(cls, v.External) else Tri.of(cls.name == own)
    return found


def _is_named(value: Value, name: Value) -> Tri:
    own, text = _class_name(value), v.known(name, str)
    return Tri.UNKNOWN if own is None or text is None else Tri.of(own.rpartition(".")[2] == text)


def _class_name(value: Value) -> str | None:
    """Returns the name of the very class of a value, not of a base; None if it is not known."""
    match value:
        case v.LayerValue(qualname=name) | v.OptimizerValue(qualname=name) | v.Engine(qualname=name):
            return name
        case v.InstanceValue(cls=cls) if cls.ir is not None:
            return cls.ir.name
    return None
