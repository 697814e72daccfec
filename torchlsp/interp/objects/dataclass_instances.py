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


def fields(cls: v.ClassValue) -> dict[str, ir.Annotated]:
    """Returns the names that class bodies annotate, those of bases first, with the last annotation of each."""
    names: dict[str, ir.Annotated] = {}
    for one in reversed(classes.mro(cls)):
        for item in one.ir.body if isinstance(one, v.ClassValue) and one.ir is not None else ():
            if isinstance(item, ir.Annotated) and isinstance(item.target, ir.Name):
                names[item.target.id] = item
    return names


def set_unknown_fields(it: Evaluator, instance: v.InstanceValue) -> None:
    """Sets the attributes of an object whose generated constructor had arguments that are not known."""
    for name, field in fields(instance.cls).items():
        if _is_of_the_class(field.annotation):
            continue
        default = None
        if isinstance(field.value, ir.Constant):
            constant = field.value.value
            default = v.NONE if constant is None else v.Scalar(type(constant).__name__, constant)
        value = v.Parameter(f"{name}@{field.start}", name, default)
        heap_values.put_attribute(it, instance.ref, name, value)


def _is_of_the_class(annotation: ir.Node) -> bool:
    """Is an annotation `ClassVar`?"""
    if isinstance(annotation, ir.Subscript):
        annotation = annotation.object
    name = annotation.name if isinstance(annotation, ir.Attribute) else ""
    return "ClassVar" in (name, annotation.id if isinstance(annotation, ir.Name) else "")


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
