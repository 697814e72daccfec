"""Holds scopes, the heap of mutable objects, and modes; a journal of changes lets paths fork and join.

A branch runs on the store itself.  Its changes are undone and kept (`take`), and only changed entries are joined: the cost
of a join is the number of changes, not the number of variables.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Mode, Value

if TYPE_CHECKING:
    from torchlsp.interp.store.frame import ModuleInfo


class _Missing:
    """The type of MISSING."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()  # Any: stands where a value of any type may be
"""The value of an entry that does not exist."""

MODES: dict[str, Mode] = {
    "grad": Tri.YES, "inference": Tri.NO, "autocast": Tri.NO, "dtype": "f32", "device": CPU, "grad_assumed": False,
    "caught": frozenset(), "cuda": Tri.UNKNOWN,
}  # fmt: skip
"""The modes in which torch starts, and state that the analysis keeps for each path; every mode always has a value."""


def path_state(name: str, default: Mode) -> str:
    """Declares state of a check that belongs to the running path, and returns its key in `State.modes`.

    Where paths meet it is joined by `join.join_marks`.
    """
    if name in MODES:
        raise ValueError(f"{name} is declared already")
    MODES[name] = default
    return name


Key = Any  # of a scope or the modes a name, of the heap (ref, name)
Entry = Any  # a Value, a mode, what the interpreter keeps of an object: whatever the owner of the key has put there
Store = dict[Key, Entry]
"""A dict whose changes the journal records: the names of a scope, the heap, or the modes."""

Delta = dict[tuple[int, Key], tuple[Store, Key, Entry]]
"""By (identity of the dict, key), the dict, the key and the new value."""


class Names(tuple[str, ...]):
    """Names of an object's attributes, in the order in which they were first set."""

    __slots__ = ()


class EqualSizes(tuple[tuple[str, Dim], ...]):
    """Names of symbols, each with the size that a test found it equal to; later ones in terms of earlier ones."""

    __slots__ = ()

    def in_both(self, other: EqualSizes) -> EqualSizes:
        """Returns the pairs that hold on two paths."""
        return EqualSizes(pair for pair in self if pair in other)


class Scope:
    """The names of one function call, class body or module.  `kind` is module, function, class or comprehension."""

    __slots__ = ("variables", "parent", "kind", "module", "globals", "nonlocals")

    def __init__(self, kind: str, parent: Scope | None, module: ModuleInfo | None) -> None:
        self.variables: dict[str, Value] = {}
        self.parent = parent
        self.kind = kind
        self.module: ModuleInfo = module  # type: ignore[assignment]  # None until the file's own scope has its record
        self.globals: set[str] | None = None
        self.nonlocals: set[str] | None = None


class State:
    """The store of a run.  All changes of its dicts go through `set` and `delete`, which write the journal."""

    __slots__ = ("heap", "modes", "journal")

    def __init__(self) -> None:
        self.heap: dict[tuple[str, str], Entry] = {}
        self.modes: dict[str, Mode] = dict(MODES)
        self.journal: list[tuple[Store, Key, Entry]] = []

    def set(self, store: Store, key: Key, value: Entry) -> None:
        """Sets an entry."""
        self.journal.append((store, key, store.get(key, MISSING)))
        store[key] = value

    def delete(self, store: Store, key: Key) -> None:
        """Deletes an entry, if it is there."""
        if key in store:
            self.journal.append((store, key, store.pop(key)))

    def mark(self) -> int:
        """Returns the position in the journal, from which changes can be read or undone later."""
        return len(self.journal)

    def changes(self, mark: int, without: Store | None = None) -> Delta:
        """Returns the entries changed since the mark, with their present values, those of `without` left out."""
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

    def existed(self, mark: int) -> AbstractSet[tuple[int, Key]]:
        """Returns the entries changed since the mark that existed at the mark."""
        first: dict[tuple[int, Key], Entry] = {}
        for store, key, old in self.journal[mark:]:
            first.setdefault((id(store), key), old)
        return {identity for identity, old in first.items() if old is not MISSING}

    def changes_outside(
        self, mark: int, managers: list[tuple[str, Mode]], without: Store | None = None
    ) -> Delta:
        """Returns the changes since the mark as they are once the managers entered since then are left, innermost last."""
        changed = self.changes(mark, without)
        for mode, outside in reversed(managers):
            changed[(id(self.modes), mode)] = (self.modes, mode, outside)
        return changed

    def take(self, mark: int) -> Delta:
        """Undoes the changes since the mark, and returns them."""
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

    def forget(self, mark: int, store: Store) -> None:
        """Drops the journal entries of a scope that is gone."""
        if mark < len(self.journal):
            self.journal[mark:] = [entry for entry in self.journal[mark:] if entry[0] is not store]

    def apply(self, delta: Delta) -> None:
        """Makes changes that were taken from the store again."""
        for store, key, value in delta.values():
            if value is MISSING:
                self.delete(store, key)
            elif store.get(key, MISSING) is not value:
                self.set(store, key, value)
