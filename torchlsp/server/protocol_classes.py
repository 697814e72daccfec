"""Imports the classes of the protocol in a third of the time: what attrs generates for a class waits until it is used.

The library has 554 of them, which takes half of the server's start; a session uses some hundred. One that nobody has used yet is
the class as it is written, with an `__init__` and an `__attrs_attrs__` that have attrs complete it first. None has `__slots__`,
for which attrs would have to make another class in its place.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

LIBRARY = "lsprotocol.types"
_HOOKS, _RESOLVED = "lsprotocol._hooks", "_resolved_forward_references"
_FIELDS = "__attrs_attrs__"

_LOCK = threading.RLock()

Define = Callable[..., Any]  # Any: as `attrs.define`, which is given a class, or options only


def import_protocol_classes() -> None:
    """Imports them, unless that has happened; a no-op where another version of the libraries does not allow it."""
    if LIBRARY in sys.modules:
        return
    import attrs

    define: Define = attrs.define

    def later(cls: type | None = None, **options: Any) -> Any:  # Any: as `attrs.define`
        if cls is None or options or "__init__" in vars(cls):
            return define(cls, **options)
        return _Waiting(cls, define).cls

    attrs.define = later  # for as long as the import takes
    try:
        from lsprotocol import types
    finally:
        attrs.define = define
    _leave_annotations(types)


def _leave_annotations(types: ModuleType) -> None:
    """Has the annotations of a class resolved when it is completed, rather than those of all when there is a converter."""
    from lsprotocol import _hooks

    # Where the library has it by another name, it completes all classes then, and no harm is done.
    if getattr(_hooks, _RESOLVED, None) is False and isinstance(getattr(types, "ALL_TYPES_MAP", None), dict):
        setattr(_hooks, _RESOLVED, True)
        _Waiting.names = types.ALL_TYPES_MAP


class _Waiting:
    """A class that is completed when its first object is made, or when somebody asks for its fields."""

    names: dict[str, object] | None = None
    """The names in annotations, if they are to be resolved here."""

    def __init__(self, cls: type, define: Define) -> None:
        self.cls = cls
        self._define = define
        self._is_complete = False

        def first_init(made: object, *values: object, **named: object) -> None:
            self.complete()
            made.__init__(*values, **named)  # type: ignore[misc]  # now that of attrs

        cls.__init__ = first_init  # type: ignore[misc]  # until the class is completed
        setattr(cls, _FIELDS, self)

    def __get__(self, made: object, owner: type) -> object:
        """Returns the fields of the class, or of one derived from it that attrs has not seen."""
        self.complete()
        if vars(self.cls)[_FIELDS] is self:
            raise AttributeError(_FIELDS)  # attrs asks while it completes the class
        return getattr(self.cls, _FIELDS)

    def complete(self) -> None:
        """Has attrs complete the class, as the library asks for it, but without slots and a `__repr__` of its own."""
        cls = self.cls
        with _LOCK:
            if self._is_complete:
                return
            self._is_complete = True
            self._define(cls, init=True, slots=False, repr=False)
            if "__repr__" not in vars(cls):
                cls.__repr__ = _shown  # type: ignore[assignment]  # the type of `self` is any of them
            if self.names is not None:
                import attrs

                attrs.resolve_types(cls, self.names, {})


def _shown(self: object) -> str:
    """Shows an object as attrs does."""
    fields = (f"{name}={getattr(self, name)!r}" for name in _names(type(self)))
    return f"{type(self).__qualname__}({', '.join(fields)})"


def _names(kind: type) -> list[str]:
    return [field.name for field in kind.__attrs_attrs__]  # type: ignore[attr-defined]  # set by attrs
