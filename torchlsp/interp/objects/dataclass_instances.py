"""Recognises dataclasses and sets the attributes of their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE
from torchlsp.interp.model import classes, decorator_names, heap_values
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def is_dataclass(it: Evaluator, cls: v.ClassValue) -> bool:
    """Returns whether a class or one of its bases is a dataclass.

    Decorators are looked up in the file that defines the class: the object may be created in another one.
    """
    return any(
        isinstance(one, v.ClassValue)
        and one.ir is not None
        and "dataclasses.dataclass" in decorator_names.decorator_names(it, one.ir, one.scope)
        for one in classes.mro(cls)
    )


def fields(cls: v.ClassValue) -> list[str]:
    """Returns the names that class bodies annotate, those of bases first."""
    names: dict[str, None] = {}
    for one in reversed(classes.mro(cls)):
        for item in one.ir.body if isinstance(one, v.ClassValue) and one.ir is not None else ():
            if isinstance(item, ir.Annotated) and isinstance(item.target, ir.Name):
                names[item.target.id] = None
    return list(names)


def set_fields(it: Evaluator, instance: v.InstanceValue, arguments: Arguments, node: ir.Node) -> None:
    """Sets the attributes of a new object from the constructor's arguments, and runs `__post_init__`."""
    names = fields(instance.cls)
    for name, value in zip(names, arguments.positional):
        heap_values.put_attribute(it, instance.ref, name, value)
    for name, value in arguments.keywords:
        heap_values.put_attribute(it, instance.ref, name, value)
    if arguments.is_open:
        for name in names:
            heap_values.put_attribute(it, instance.ref, name, UNKNOWN_VALUE)
    found = classes.find_method(instance.cls, "__post_init__")
    if found is not None:
        owner, function = found
        method = v.FunctionValue(f"{owner.ref}.__post_init__", function, owner.scope, instance, owner)
        it.call_function(method, Arguments(), node)
