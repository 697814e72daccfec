"""Imports the classes of the protocol in two thirds of the time: with one `__repr__` for all.

The library has attrs generate and compile one for each of its 554 classes, which is a fifth of the server's start. Nothing but a
message about an error of ours shows them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

LIBRARY = "lsprotocol.types"


def import_protocol_classes() -> None:
    """Imports them, unless that has happened; a no-op where another version of the libraries does not allow it."""
    if LIBRARY in sys.modules:
        return
    import attrs

    define = attrs.define

    def without_repr(
        cls: type | None = None, **options: Any
    ) -> type | Callable[[type], type]:  # Any: as `attrs.define`
        return define(cls, **{"repr": False} | options)  # type: ignore[call-overload, no-any-return]  # passes on what it is given

    attrs.define = without_repr  # type: ignore[assignment]  # for as long as the import takes
    try:
        from lsprotocol import types
    finally:
        attrs.define = define
    for kind in vars(types).values():
        if isinstance(kind, type) and "__attrs_attrs__" in vars(kind) and "__repr__" not in vars(kind):
            kind.__repr__ = _shown  # type: ignore[method-assign, assignment]  # the type of `self` is any of them


def _shown(self: object) -> str:
    """Shows an object as attrs does."""
    fields = (f"{name}={getattr(self, name)!r}" for name in _names(type(self)))
    return f"{type(self).__qualname__}({', '.join(fields)})"


def _names(kind: type) -> list[str]:
    return [field.name for field in kind.__attrs_attrs__]  # type: ignore[attr-defined]  # set by attrs
