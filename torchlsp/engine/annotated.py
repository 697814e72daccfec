"""Tells which values are only what an annotation says: callers may pass something else.

`def resized(x: Tensor, scale: float)` is called with an array, a list or an int too, and Python does not object.
"""

from __future__ import annotations

from torchlsp.engine.circumstances import nodes_inside
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.model.annotations import ANNOTATED
from torchlsp.program import ir

ANNOTATION = "annotation"
"""The name of the assumption that callers keep to an annotation."""

_NUMBERS = frozenset({"int", "float", "bool", "str"})
_MOST_STEPS = 12


class Annotations:
    """The parameters of a file that have annotations, and the names and attributes that depend on those of numbers."""

    __slots__ = ("_attributes", "_module", "_names", "_starts")

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._starts = {
            param.start for one in module.functions for param in one.params if param.annotation is not None
        }
        self._names: dict[int, set[str]] = {}
        self._attributes: set[str] | None = None

    def is_assumed(self, value: v.Value, node: ir.Node | ir.Param, function: ir.Function | None) -> bool:
        """Returns whether the kind of a value at a place, or what `isinstance` says of it, rests on an annotation."""
        if isinstance(value, TensorFact):
            return self._is_of_an_annotation(value)
        if not isinstance(value, v.Scalar) or value.kind not in _NUMBERS or function is None:
            return False
        is_test = (
            isinstance(node, ir.Call)
            and isinstance(node.function, ir.Name)
            and node.function.id == "isinstance"
        )
        if isinstance(value.value, int | float | str) and not is_test:
            return False
        names = self._depending(function)
        if isinstance(node, ir.Param):
            return node.name in names
        return self._mentions(node, names)

    def _is_of_an_annotation(self, fact: TensorFact) -> bool:
        """Is a tensor an annotated parameter or variable, or made of one?"""
        waiting = [fact]
        for _ in range(_MOST_STEPS):
            if not waiting:
                break
            one = waiting.pop()
            if is_variable(one):
                return True
            if one.origin is None or "observed" in one.assumed:
                continue
            if one.origin.op == "parameter" and one.origin.start in self._starts:
                return True
            waiting.extend(one.origin.parents)
        return False

    def _mentions(self, node: ir.Node, names: set[str]) -> bool:
        attributes = self._of_objects()
        return any(
            (isinstance(one, ir.Name) and one.id in names)
            or (isinstance(one, ir.Attribute) and one.name in attributes)
            for one in nodes_inside(node)
        )

    def _depending(self, function: ir.Function) -> set[str]:
        """The names of a function whose values depend on annotated numbers."""
        found = self._names.get(function.start)
        if found is None:
            self._names[function.start] = found = _annotated(function)
            self._spread(function, found, self._of_objects())
        return found

    def _of_objects(self) -> set[str]:
        """The attributes that are given such values."""
        if self._attributes is None:
            self._attributes = set()
            for function in self._module.functions:
                names = _annotated(function)
                if names and function.owner is not None:
                    self._spread(function, names, self._attributes)
        return self._attributes

    def _spread(self, function: ir.Function, names: set[str], attributes: set[str]) -> None:
        """Adds what is assigned from the names and attributes, once in order."""
        for node in nodes_inside(function.body):
            if not isinstance(node, ir.Assign | ir.Augmented | ir.Annotated) or node.value is None:
                continue
            if not self._mentions(node.value, names):
                continue
            for target in node.targets if isinstance(node, ir.Assign) else (node.target,):
                if isinstance(target, ir.Name):
                    names.add(target.id)
                elif isinstance(target, ir.Attribute) and function.owner is not None:
                    attributes.add(target.name)


def is_variable(fact: TensorFact) -> bool:
    """Is it the value of a variable of which its annotation alone says that it is a tensor, or may it be?"""
    return fact.origin is None and any(one.startswith(f"{ANNOTATED}@") for one in fact.storage.ids or ())


def _annotated(function: ir.Function) -> set[str]:
    return {param.name for param in function.params if param.annotation is not None}
