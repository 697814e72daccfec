"""The interpreter's store: scopes, the heap of mutable things, and modes; forked and joined by a journal of changes.

A branch runs on the store itself.  What it changed is taken out again (`take`), and only changed entries are joined: the cost
of a join is the number of changes, not the number of variables.
"""

from __future__ import annotations

from typing import Any

from torchlsp.facts.device import CPU
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""The value of an entry that does not exist."""

MODES: dict[str, Any] = {
    "grad": Tri.YES, "inference": Tri.NO, "autocast": Tri.NO, "dtype": "f32", "device": CPU, "grad_assumed": False,
    "caught": frozenset(), "cuda": Tri.UNKNOWN,
}  # fmt: skip
"""The modes that torch starts with, and what the analysis itself keeps for each path; every mode always has a value."""


def path_state(name: str, default: Any) -> str:
    """Declares state of a check that holds for the path which is run: it is joined where paths meet, by `join.join_marks`.

    Returns the key under which `State.modes` has it.
    """
    if name in MODES:
        raise ValueError(f"{name} is declared already")
    MODES[name] = default
    return name


Delta = dict[tuple[int, Any], tuple[dict, Any, Any]]
"""(identity of the dict, key) to (the dict, the key, the new value)."""


class Names(tuple):
    """Names of an object's attributes, in the order they were first set."""

    __slots__ = ()


class Scope:
    """Names of one function call, class body or module.  `kind` is module, function, class or comprehension."""

    __slots__ = ("variables", "parent", "kind", "module", "globals", "nonlocals")

    def __init__(self, kind: str, parent: "Scope | None", module: Any):
        self.variables: dict[str, Value] = {}
        self.parent = parent
        self.kind = kind
        self.module = module
        self.globals: set[str] | None = None
        self.nonlocals: set[str] | None = None


class State:
    __slots__ = ("heap", "modes", "journal")

    def __init__(self) -> None:
        self.heap: dict[tuple[str, str], Any] = {}
        self.modes: dict[str, Any] = dict(MODES)
        self.journal: list[tuple[dict, Any, Any]] = []

    def set(self, store: dict, key: Any, value: Any) -> None:
        self.journal.append((store, key, store.get(key, MISSING)))
        store[key] = value

    def delete(self, store: dict, key: Any) -> None:
        if key in store:
            self.journal.append((store, key, store.pop(key)))

    def mark(self) -> int:
        return len(self.journal)

    def changes(self, mark: int, without: dict | None = None) -> Delta:
        """Entries changed since the mark, with their present values; `without` those of one store."""
        changed: Delta = {}
        if mark == len(self.journal):
            return changed
        for store, key, _ in self.journal[mark:]:
            if store is without:
                continue
            identity = (id(store), key)
            if identity not in changed:
                changed[identity] = (store, key, store.get(key, MISSING))
        return changed

    def existed(self, mark: int) -> set[tuple[int, Any]]:
        """Entries changed since the mark that there were then."""
        first: dict[tuple[int, Any], Any] = {}
        for store, key, old in self.journal[mark:]:
            first.setdefault((id(store), key), old)
        return {identity for identity, old in first.items() if old is not MISSING}

    def changes_outside(
        self, mark: int, managers: list[tuple[str, Any]], without: dict | None = None
    ) -> Delta:
        """Changes since the mark as they are once the managers entered since then are left: innermost last."""
        changed = self.changes(mark, without)
        for mode, outside in reversed(managers):
            changed[(id(self.modes), mode)] = (self.modes, mode, outside)
        return changed

    def take(self, mark: int) -> Delta:
        """The changes since the mark, undone."""
        journal = self.journal
        changed: Delta = {}
        if mark == len(journal):
            return changed
        entries = journal[mark:]
        for store, key, _ in entries:
            identity = (id(store), key)
            if identity not in changed:
                changed[identity] = (store, key, store.get(key, MISSING))
        entries.reverse()
        for store, key, old in entries:
            if old is MISSING:
                store.pop(key, None)
            else:
                store[key] = old
        del journal[mark:]
        return changed

    def forget(self, mark: int, store: dict) -> None:
        """Drops journal entries of a scope that is gone."""
        if mark < len(self.journal):
            self.journal[mark:] = [entry for entry in self.journal[mark:] if entry[0] is not store]

    def apply(self, delta: Delta) -> None:
        for store, key, value in delta.values():
            if value is MISSING:
                self.delete(store, key)
            elif store.get(key, MISSING) is not value:
                self.set(store, key, value)
