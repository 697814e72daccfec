"""Records which functions of a lowered file are read, and replaces the body of one of them.

Whoever has looked into no function that changes since would find the same again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Union

from torchlsp.program import ir
from torchlsp.program.lower import Lowering

EVERYTHING = "everything"
"""Represents all functions: what only the whole file shows was read."""

Touched = Union[ir.Function, str, tuple[str, str]]
"""A function, EVERYTHING, or (attribute of the module, name)."""


class Watch:
    """Records the reads of a file's functions; a file is watched by one at a time.  `touched` are the
    functions that were looked into since it was last set to an empty set, and the names of which it was asked
    whether some function changes them, as (attribute of the module, name); None: nobody asks."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.touched: set[Touched] | None = None
        outer = getattr(module.all, "__self__", None)
        self._all: Callable[[ir.Module, str], object] = outer._all if isinstance(outer, Watch) else module.all
        self._known: dict[str, Any] = {}  # Any: as the attributes of the module
        for function in module.functions:
            _Body(self, function)
        for cls in module.classes:
            cls._memo = _Forgetful()
        module.all = self._asked
        self._refresh()

    def replace(self, function: ir.Function, new: ir.Function) -> set[Touched]:
        """Puts the body of `new` into a top-level function or a method of a top-level class with the same
        header.

        What has changed by that, as it stands in `touched`.
        """
        known = self._known
        before = (function.start, function.end), (function.start, new.end)
        fill = function.fill
        assert isinstance(fill, _Body)
        fill.take(new)
        self._ends_at(function, new.end)
        self._move_end(*before)
        self._refresh()
        names = ((kind, name) for kind in _NAMES for name in known[kind].names ^ self._known[kind].names)
        return {function, *names}

    def end(self) -> None:
        """Leaves the file as it was lowered, without reference cycles."""
        for function in self.module.functions:
            fill = function.fill
            if isinstance(fill, _Body):
                function.body, function.is_generator, function.size = fill.body, fill.is_generator, fill.size
                function.fill = fill.inner
        for cls in self.module.classes:
            _clear(cls, "_memo")  # those of a body that was put in have none
        self.module.all = self._all
        for name, value in self._known.items():
            setattr(self.module, name, value.names if isinstance(value, _Names) else value)
        self._known = {}

    def _ends_at(self, function: ir.Function, end: int) -> None:
        function.end = end
        for node in self.module.body:
            if type(node) is ir.Define and node.function is function:
                node.end = end
            elif type(node) is ir.DefineClass:
                last = node.cls.body[-1:]
                for inner in node.cls.body:
                    if type(inner) is ir.Define and inner.function is function:
                        inner.end = end
                        if (inner,) == last:
                            self._move_end((node.start, node.end), (node.start, end))
                            node.end = node.cls.end = end

    def _move_end(self, before: tuple[int, int], after: tuple[int, int]) -> None:
        whole = getattr(self._all, "__self__", None)
        assert isinstance(whole, Lowering)
        statements = whole.statements
        statements[statements.index(before)] = after

    def _refresh(self) -> None:
        module = self.module
        self._all(module, "size")
        self._known = {name: getattr(module, name) for name in _DERIVED} | {"memo": {}}
        for kind in _NAMES:
            self._known[kind] = _Names(self, kind, self._known[kind])
        for name in self._known:
            _clear(module, name)

    def _asked(self, module: ir.Module, name: str) -> object:
        if self.touched is not None and name in _BODY_DEPENDENT_ATTRIBUTES:
            self.touched.add(EVERYTHING)
        return self._known[name]


_NAMES = ("changed_names", "changed_attributes", "replaced_attributes", "used_classes", "shared_attributes")
_DERIVED = ("functions", "classes", "statement_starts", "size", *_NAMES)
_BODY_DEPENDENT_ATTRIBUTES = frozenset({"functions", "classes", "statement_starts", "memo"})
"""Attributes that the body of any function may change."""


class _Names:
    """A set of names that records which of them are looked up."""

    __slots__ = ("kind", "names", "watch")

    def __init__(self, watch: Watch, kind: str, names: frozenset[str]) -> None:
        self.watch, self.kind, self.names = watch, kind, names

    def __contains__(self, name: str) -> bool:
        if self.watch.touched is not None:
            self.watch.touched.add((self.kind, name))
        return name in self.names

    def __and__(self, others: Iterable[str]) -> set[str]:
        return {name for name in others if name in self}


def _clear(owner: object, name: str) -> None:
    try:
        delattr(owner, name)
    except AttributeError:
        pass


class _Forgetful(ir.Memo):
    """Recomputes what depends on a class that may have changed."""

    def __setitem__(self, key: str, value: object) -> None:
        pass


class _Body:
    """The slots that replace those of a watched function."""

    __slots__ = ("body", "inner", "is_generator", "size", "watch")

    def __init__(self, watch: Watch, function: ir.Function) -> None:
        self.watch = watch
        self.take(function)
        for part in ("body", "is_generator", "size"):
            _clear(function, part)
        function.fill = self

    def take(self, function: ir.Function) -> None:
        self.body, self.is_generator, self.size = function.body, function.is_generator, function.size
        fill = function.fill
        self.inner: ir.Fill = fill.inner if isinstance(fill, _Body) else fill

    @property
    def lowering(self) -> Lowering | None:
        return self.inner.lowering

    def __call__(self, function: ir.Function, part: str) -> object:
        if self.watch.touched is not None:
            self.watch.touched.add(function)
        return getattr(self, part)
