"""Finds the attributes of a class that methods or other files change after `__init__`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.model import classes
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def forget_changing(it: Evaluator, instance: v.InstanceValue) -> None:
    """Attributes that methods change may have been changed by one that is not followed."""
    cls = instance.cls
    names = it.changing.get(cls.ref)
    if names is None:
        names = it.changing[cls.ref] = attributes_changed_later(it, cls)
    classes.forget(it, instance, names)


def filled_elsewhere(it: Evaluator, cls: v.ClassValue, here: ir.Function | None) -> frozenset[str]:
    """Lists of an object to which methods of its class other than the running one add: any of them may run in between."""
    filled = it.filled.get(cls.ref)
    if filled is None:
        filled = it.filled[cls.ref] = attributes_filled(cls)
    return frozenset(name for name, method in filled if method is not here)


def attributes_changed_later(it: Evaluator, cls: v.ClassValue) -> frozenset[str]:
    """Attributes of `self` that any method but `__init__` assigns."""
    found: set[str] = set()
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue) and base.ir is not None:
            found |= _changed_by_methods(base.ir)
    return frozenset(found)


def _changed_by_methods(cls: ir.Class) -> set[str]:
    """As `attributes_changed_later`, of the class's own methods; a base of many classes is read once."""
    found = cls.memo.get("changed by methods")
    if found is None:
        found = cls.memo["changed by methods"] = set()
        for name, function in cls.methods.items():
            if name != "__init__" and function.params:
                _assigned_attributes(function, function.params[0].name, found)
    return found


def _assigned_attributes(function: ir.Function, receiver: str, found: set[str]) -> None:
    for node in _statements(function):
        match node:
            case ir.Assign(targets=targets):
                for target in targets:
                    _note(target, receiver, found)
            case ir.Augmented(target=target) | ir.Annotated(target=target) | ir.For(target=target):
                _note(target, receiver, found)


def attributes_filled(cls: v.ClassValue) -> tuple[tuple[str, ir.Function], ...]:
    """Attributes of `self` that methods add items to, with the method."""
    seen = [base for base in classes.mro(cls) if isinstance(base, v.ClassValue) and base.ir is not None]
    found = []
    for method in (method for base in seen for method in base.ir.methods.values() if method.params):
        for node in _statements(method):
            match node:
                case ir.Expression(
                    value=ir.Call(
                        function=ir.Attribute(
                            object=ir.Attribute(object=ir.Name(id=name), name=attribute),
                            name="append" | "extend" | "insert" | "appendleft" | "extendleft",
                        )
                    )
                ) if name == method.params[0].name:
                    found.append((attribute, method))
    return tuple(found)


def _statements(function: ir.Function) -> Iterator[ir.Node]:
    """Every statement of a function, at any depth, those of functions inside included: hooks work on `self`, too."""
    stack: list = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ir.Define):
            stack.extend(node.function.body)
        for part in ("body", "orelse", "final", "handlers", "cases"):
            stack.extend(getattr(node, part, ()) or ())


def _note(target: ir.Node, receiver: str, found: set[str]) -> None:
    if type(target) is ir.Attribute and type(target.object) is ir.Name and target.object.id == receiver:
        found.add(target.name)
    elif type(target) is ir.Display:
        for item in target.items:
            _note(item, receiver, found)
