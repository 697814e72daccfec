"""Recognises dataclasses and sets the attributes of their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, decorator_names, heap_values
from torchlsp.interp.store.heap_keys import UNMADE
from torchlsp.interp.store.state import MISSING
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
    return _kind(annotation) == "ClassVar"


def _kind(annotation: ir.Node) -> str:
    """Returns the name of an annotation without what is in brackets, also of one in quotes: `ClassVar`, `InitVar`."""
    if isinstance(annotation, ir.Subscript):
        annotation = annotation.object
    if isinstance(annotation, ir.Constant) and isinstance(annotation.value, str):
        return annotation.value.partition("[")[0].rpartition(".")[2].strip()
    if isinstance(annotation, ir.Attribute):
        return annotation.name
    return annotation.id if isinstance(annotation, ir.Name) else ""


@dataclass(slots=True)
class _Parameter:
    """A parameter of the constructor that a dataclass generates; what is None depends on what is not in sight."""

    annotation: str
    only_by_keyword: bool | None
    has_default: bool | None
    is_taken: bool | None


def _parameters(it: Evaluator, cls: v.ClassValue) -> dict[str, _Parameter] | None:
    """Returns the parameters of the generated constructor; None where they are not known."""
    if classes.has_unknown_base(cls):
        return None
    found: dict[str, _Parameter] = {}
    for one in reversed(classes.mro(cls)):
        if not isinstance(one, v.ClassValue) or one.ir is None:
            continue
        if not one.ir.decorators:
            if not found.keys().isdisjoint(one.scope.variables):
                return None  # the constructor that it inherits has the defaults of the base
            continue
        if decorator_names.decorator_names(it, one.ir, one.scope) != {"dataclasses.dataclass"}:
            return None
        options = [part for node in one.ir.decorators if isinstance(node, ir.Call) for part in node.keywords]
        if any(name is None or name == "init" for name, _ in options):
            return None
        only_by_keyword: bool | None = False
        for name, value in options:
            if name == "kw_only":
                only_by_keyword = _known_bool(value)
        for item in one.ir.body:
            if isinstance(item, ir.Annotated) and isinstance(item.target, ir.Name):
                kind = _kind(item.annotation)
                if kind == "KW_ONLY":
                    only_by_keyword = True
                elif kind != "ClassVar":
                    earlier = found.get(item.target.id)
                    found[item.target.id] = _parameter(item.value, kind, only_by_keyword, earlier)
    return found


def _parameter(
    value: ir.Node | None, kind: str, only_by_keyword: bool | None, earlier: _Parameter | None
) -> _Parameter:
    """Returns the parameter of one field; a field of a base that it redefines may have a default."""
    if value is None and earlier is not None:
        return _Parameter(kind, only_by_keyword, earlier.has_default, True)
    found = _Parameter(kind, only_by_keyword, value is not None, True)
    if isinstance(value, ir.Call) and _kind(value.function) == "field":
        options = dict(value.keywords)
        found.has_default = None if None in options else not options.keys().isdisjoint(_DEFAULTS)
        if "kw_only" in options:
            found.only_by_keyword = _known_bool(options["kw_only"])
        if "init" in options:
            found.is_taken = _known_bool(options["init"])
    return found


_DEFAULTS = frozenset({"default", "default_factory"})


def _known_bool(node: ir.Node) -> bool | None:
    return node.value if isinstance(node, ir.Constant) and isinstance(node.value, bool) else None


def set_fields(it: Evaluator, instance: v.InstanceValue, arguments: Arguments, node: ir.Node) -> None:
    """Sets the attributes of a new object from the constructor's arguments, and runs `__post_init__`.

    Marks an object as not made where the arguments do not fit, so that the constructor raises.
    """
    parameters = _parameters(it, instance.cls)
    if (
        parameters is None
        or arguments.is_open
        or any(None in (one.only_by_keyword, one.is_taken) for one in parameters.values())
    ):
        for name in fields(instance.cls):
            heap_values.put_attribute(it, instance.ref, name, UNKNOWN_VALUE)
        _run_post_init(it, instance, None, node)
        return
    taken = {name: one for name, one in parameters.items() if one.is_taken}
    positional = [name for name, one in taken.items() if not one.only_by_keyword]
    given = dict(zip(positional, arguments.positional))
    by_keyword = dict(arguments.keywords)
    missing = [
        name for name, one in taken.items() if one.has_default is False and name not in given | by_keyword
    ]
    if (
        len(arguments.positional) > len(positional)
        or missing
        or not by_keyword.keys() <= taken.keys() - given.keys()
    ):
        it.state.set(it.state.heap, (instance.ref, UNMADE), Tri.YES)
        return
    given |= by_keyword
    for name, value in given.items():
        if parameters[name].annotation != "InitVar":
            heap_values.put_attribute(it, instance.ref, name, value)
    passed = [
        given.get(name, _default(instance.cls, name))
        for name, one in parameters.items()
        if one.annotation == "InitVar"
    ]
    _run_post_init(it, instance, Arguments(tuple(passed)), node)


def _default(cls: v.ClassValue, name: str) -> Value:
    """Returns the default of a field."""
    value = classes.class_default(cls, name)
    return UNKNOWN_VALUE if value is MISSING else value


def _run_post_init(
    it: Evaluator, instance: v.InstanceValue, arguments: Arguments | None, node: ir.Node
) -> None:
    """Runs `__post_init__` with what the constructor passes to it; None stands for arguments that are not known."""
    found = classes.find_method(instance.cls, "__post_init__")
    if found is not None:
        owner, function = found
        method = v.FunctionValue(f"{owner.ref}.__post_init__", function, owner.scope, instance, owner)
        if arguments is None:
            arguments = Arguments(tuple(UNKNOWN_VALUE for _ in function.params[1:]))
        it.call_function(method, arguments, node)
