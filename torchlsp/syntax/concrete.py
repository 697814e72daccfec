"""Imports libCST in half the time: the `__init__` of a node's class is compiled when its first object is made.

libCST has 200 classes, of which the statements in question use some twenty. `dataclasses` writes and compiles three methods for each
when it is imported, which is more than a small file takes from its text to its findings.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

Dataclass = Callable[..., Any]  # Any: as `dataclasses.dataclass`, which is given a class, or options only


def import_libcst() -> Any:  # Any: the module, whose types are those of `import libcst`
    """Returns libCST."""
    if "libcst" in sys.modules:
        return sys.modules["libcst"]
    dataclass: Dataclass = dataclasses.dataclass

    def quick(cls: type | None = None, **options: Any) -> Any:  # Any: as `dataclasses.dataclass`
        if cls is None:
            return lambda cls: quick(cls, **options)
        if options != {"frozen": True} or not {"__eq__", "__hash__", "__repr__"} <= vars(cls).keys():
            return dataclass(cls, **options)  # no node: those bring these methods along
        has_init = "__init__" in vars(cls)
        made = dataclass(cls, init=False, repr=False, eq=False)
        if not has_init:
            made.__init__ = _compiled_later()
        return made

    dataclasses.dataclass = quick  # for as long as the import takes
    try:
        import libcst
    finally:
        dataclasses.dataclass = dataclass
    return libcst


def _compiled_later() -> Callable[..., None]:
    """Returns an `__init__` that puts the one for the fields of its class in its place when it is first called."""

    def __init__(self: object, *values: object, **named: object) -> None:
        owner = next(one for one in type(self).__mro__ if vars(one).get("__init__") is __init__)
        owner.__init__ = _compiled(owner)  # type: ignore[misc]  # one class's own
        owner.__init__(self, *values, **named)  # type: ignore[misc]  # one class's own

    return __init__


def _compiled(owner: type) -> Callable[..., None]:
    known: dict[str, Any] = {"_missing": dataclasses.MISSING}  # Any: defaults, and the function
    parameters, body = ["self"], []
    for number, field in enumerate(dataclasses.fields(owner)):
        value = parameter = field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make{number}"] = field.default_factory
            parameter = f"{field.name}=_missing"
            value = f"_make{number}() if {field.name} is _missing else {field.name}"
        elif field.default is not dataclasses.MISSING:
            known[f"_default{number}"] = field.default
            parameter = f"{field.name}=_default{number}"
        parameters.append(parameter)
        body.append(f"    self.{field.name} = {value}")
    if hasattr(owner, "__post_init__"):
        body.append("    self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or ["    pass"]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{owner.__qualname__}.__init__"
    return made
