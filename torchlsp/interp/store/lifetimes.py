"""Declares how long each piece of the interpreter's state lives, and how the entries of roots are merged.

A *root* is a function, method or module body that is analysed on its own. A class whose fields are declared with `of_run`, `suspended`, `per_root`, `gathered` and `nested` is a *holder*. A check declares its
state as a holder with `@running_state` and reaches it by `it.states[Timers]`; the interpreter and `Analysis` are holders too. Roots
are kept apart by walking these declarations (`run.root_isolation`), which knows no field by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from itertools import compress, repeat
from operator import is_not
from typing import TYPE_CHECKING, Any, TypeVar

Kind = TypeVar("Kind", bound=type)
State = TypeVar("State")
Result = TypeVar("Result")
Key = TypeVar("Key")
FieldValue = Any  # of some holder: each field has a type of its own
NewEntries = dict[Any, FieldValue]  # by the name of a field or, in StatesByClass, by a class
Merge = Callable[[State, State], "State | None"]
"""Merges the new entries of a root into the total of the roots before it, in place; returns the total if it is immutable."""


class Lifetime(Enum):
    """How long the value of a field lives, and which roots share it."""

    OF_RUN = "shared by everything that runs"
    SUSPENDED = "of the running root, and set aside while code runs for all roots"
    PER_ROOT = "begins for each root with what the module's body has left, and ends with the root"
    GATHERED = "as PER_ROOT, and the new entries of all roots are merged"
    NESTED = "another holder"


class Declaration:
    """A field of a holder: its lifetime, how its first value is created, and how the values of roots are merged."""

    __slots__ = ("name", "lifetime", "make", "merge")

    def __init__(
        self, lifetime: Lifetime, make: Callable[[], object], merge: Merge[FieldValue] | None = None
    ) -> None:
        self.name = ""
        self.lifetime, self.make, self.merge = lifetime, make, merge

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


def of_run(make: Callable[[], State]) -> State:
    """Declares a field that everything shares, other files and all roots included."""
    return Declaration(Lifetime.OF_RUN, make)  # type: ignore[return-value]  # `holder` takes it out


def suspended(make: Callable[[], State]) -> State:
    """Declares a field of the running root that is set aside while code runs for all roots."""
    return Declaration(Lifetime.SUSPENDED, make)  # type: ignore[return-value]  # `holder` takes it out


def per_root(make: Callable[[], State]) -> State:
    """Declares a field of which each root has its own copy."""
    return Declaration(Lifetime.PER_ROOT, make)  # type: ignore[return-value]  # `holder` takes it out


def gathered(make: Callable[[], State], merge: Merge[State]) -> State:
    """Declares a field of which each root has its own copy, and whose new entries are merged in the order of the roots."""
    return Declaration(Lifetime.GATHERED, make, merge)  # type: ignore[return-value]  # `holder` takes it out


def nested(make: Callable[[], State]) -> State:
    """Declares a field that is a holder itself."""
    return Declaration(Lifetime.NESTED, make)  # type: ignore[return-value]  # `holder` takes it out


def holder(kind: Kind) -> Kind:
    """Makes a class a holder, and `create_fields` its `__init__` if it has none.

    Not a dataclass: generating the code of thirty of them would take longer than checking a small file. Raises TypeError for
    an annotated field without a lifetime; what is set by an `__init__` of its own needs no annotation in the class.
    """
    declared = {name: field for name, field in vars(kind).items() if isinstance(field, Declaration)}
    undeclared = [name for name in kind.__dict__.get("__annotations__", {}) if name not in declared]
    if undeclared:
        raise TypeError(f"{kind.__name__}: no lifetime is declared for {', '.join(undeclared)}")
    for name in declared:
        delattr(kind, name)  # so that a field that was never set is missed
    kind.declared = tuple(declared.values())  # type: ignore[attr-defined]  # read by `declarations`
    if "__init__" not in vars(kind):
        kind.__init__ = create_fields  # type: ignore[misc]  # the same for all holders
    return kind


def create_fields(self: object) -> None:
    """Sets every declared field of a holder to its first value."""
    for declaration in declarations(type(self)):
        setattr(self, declaration.name, declaration.make())


def declarations(kind: type) -> tuple[Declaration, ...]:
    """Returns the declared fields of a holder."""
    return kind.declared  # type: ignore[attr-defined]  # set by `holder`


def _cached(compute: Callable[[type], Result]) -> Callable[[type], Result]:
    """Caches a function of a class (for mypy `type[object]` is not hashable, so `cache` itself does not accept it)."""
    return cache(compute)


@_cached
def _isolated(kind: type) -> tuple[Declaration, ...]:
    """Returns the fields of a holder of which each root has its own copy."""
    copied_lifetimes = (Lifetime.PER_ROOT, Lifetime.GATHERED, Lifetime.NESTED)
    return tuple(field for field in declarations(kind) if field.lifetime in copied_lifetimes)


# ---- merging ------------------------------------------------------------------------------------------------------------


def union(total: set[Key], new: set[Key]) -> None:
    """Merges sets."""
    total |= new


def extend(total: list[State], new: list[State]) -> None:
    """Merges lists, in the order of the roots."""
    total += new


def add(total: int, new: int) -> int:
    """Merges counts."""
    return total + new


def last_wins(total: dict[Key, State], new: dict[Key, State]) -> None:
    """Merges dicts; the last root's entry for a key counts."""
    total.update(new)


def first_wins(total: dict[Key, State], new: dict[Key, State]) -> None:
    """Merges dicts; the first root's entry for a key counts."""
    for key, value in new.items():
        total.setdefault(key, value)


def merge_by(join: Callable[[State, State], State]) -> Merge[dict[Key, State]]:
    """Returns a function that merges dicts, and joins two entries for a key by `join`."""

    def merge(total: dict[Key, State], new: dict[Key, State]) -> None:
        for key, value in new.items():
            total[key] = join(total[key], value) if key in total else value

    return merge


# ---- the state of checks ------------------------------------------------------------------------------------------------

STATE_CLASSES: list[type] = []
"""All classes declared with `running_state` in the modules that are loaded."""


def running_state(kind: Kind) -> Kind:
    """Declares a class as the state that one check or one kind of object keeps while a program runs.

    The state is reached by `it.states[kind]` and created when it is first asked for.
    """
    STATE_CLASSES.append(kind)
    return holder(kind)


class StatesByClass(dict[type, FieldValue]):
    """The states of checks, by their class; a missing one is created."""

    if TYPE_CHECKING:

        def __getitem__(self, kind: type[State]) -> State: ...

    def __missing__(self, kind: type[State]) -> State:
        state = self[kind] = kind()
        return state


# ---- walking the declarations -------------------------------------------------------------------------------------------


def _copied(value: FieldValue) -> FieldValue:
    """Copies a container, to the second level where a dict holds sets or lists."""
    kind = type(value)
    if kind is dict:
        if not value:
            return {}
        inner = type(next(iter(value.values())))
        if inner is set or inner is list:
            return {key: inner(container) for key, container in value.items()}
        return dict(value)
    if kind is set or kind is list:
        return kind(value)
    return value


def copied_field(declaration: Declaration, value: FieldValue) -> FieldValue:
    """Returns the copy of a declared field that a root gets."""
    return copied(value) if declaration.lifetime is Lifetime.NESTED else _copied(value)


def copied(original: State) -> State:
    """Returns a copy of a holder whose isolated fields are copies and whose other fields are shared."""
    kind = type(original)
    copy = kind.__new__(kind)
    if isinstance(original, StatesByClass) and isinstance(copy, StatesByClass):
        copy.update((state_class, copied(state)) for state_class, state in original.items())
        return copy
    vars(copy).update(vars(original))
    for declaration in _isolated(kind):
        setattr(copy, declaration.name, copied_field(declaration, getattr(original, declaration.name)))
    return copy


def isolated(instance: object) -> dict[str, FieldValue]:
    """Returns, by name, the fields of a holder of which each root has its own copy."""
    return {field.name: getattr(instance, field.name) for field in _isolated(type(instance))}


def _added(own: FieldValue, before: FieldValue) -> FieldValue:
    """Returns the entries of a container that it did not have before."""
    kind = type(own)
    if kind is dict:
        if not before:
            return own
        # All entries are compared for each root: a file of thousands of functions has thousands of roots.
        return dict(compress(own.items(), map(is_not, own.values(), map(before.get, own, repeat(own)))))
    if kind is set or kind is int:
        return own - before
    return own[len(before) :]


def count_entries(values: Iterable[FieldValue]) -> int:
    """Returns the number of entries of containers, those of holders among them included."""
    count = 0
    for value in values:
        if isinstance(value, dict | set | list):
            count += len(value)
        if isinstance(value, StatesByClass):
            count += count_entries(value.values())
        elif hasattr(type(value), "declared"):
            count += count_entries(isolated(value).values())
    return count


def new_entries(instance: object, before: FieldValue) -> NewEntries:
    """Returns, by field, the entries of a holder's gathered fields that `before` did not have.

    `before` is a holder of the same kind, or the values of its isolated fields by name. Fields without new entries
    are skipped.
    """
    entries: NewEntries = {}
    if isinstance(instance, StatesByClass):
        for kind, state in instance.items():
            new = new_entries(state, before[kind] if kind in before else kind())
            if new:
                entries[kind] = new
        return entries
    for declaration in _isolated(type(instance)):
        name, lifetime = declaration.name, declaration.lifetime
        if lifetime is Lifetime.PER_ROOT:
            continue
        earlier = before[name] if type(before) is dict else getattr(before, name)
        own = getattr(instance, name)
        new = new_entries(own, earlier) if lifetime is Lifetime.NESTED else _added(own, earlier)
        if new:
            entries[name] = new
    return entries


def merge_entries(total: object, entries: NewEntries) -> None:
    """Merges the new entries of one root into a holder."""
    if isinstance(total, StatesByClass):
        for kind, new in entries.items():
            merge_entries(total[kind], new)
        return
    for declaration in _isolated(type(total)):
        name = declaration.name
        if name not in entries:
            continue
        if declaration.lifetime is Lifetime.NESTED:
            merge_entries(getattr(total, name), entries[name])
        elif declaration.merge is not None:
            merged = declaration.merge(getattr(total, name), entries[name])
            if merged is not None:
                setattr(total, name, merged)


def add_missing(own: object, shared: object) -> None:
    """Adds new entries of the shared holder to the copy of a root."""
    if isinstance(own, StatesByClass) and isinstance(shared, StatesByClass):
        for kind, state in shared.items():
            if kind in own:
                add_missing(own[kind], state)
            else:
                own[kind] = copied(state)
        return
    for declaration in _isolated(type(own)):
        add_missing_to_field(declaration, getattr(own, declaration.name), getattr(shared, declaration.name))


def add_missing_to_field(declaration: Declaration, own: FieldValue, shared: FieldValue) -> None:
    """Adds new entries of a shared field to the copy of a root."""
    if declaration.lifetime is Lifetime.NESTED:
        add_missing(own, shared)
    elif type(own) is dict and type(shared) is dict:
        for key, value in shared.items():
            own.setdefault(key, value)
    elif type(own) is set and type(shared) is set:
        own |= shared
