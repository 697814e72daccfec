"""Declares how long each piece of the interpreter's state lives, and how the findings of roots are merged.

A class whose fields are declared with `of_run`, `suspended`, `per_root`, `gathered` and `nested` is a *holder*. A check declares its
state as a holder with `@running_state` and reaches it by `it.states[Timers]`; the interpreter and `Analysis` are holders too. Roots
are kept apart by walking these declarations (`run.root_isolation`), which knows no field by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

Kind = TypeVar("Kind", bound=type)
State = TypeVar("State")
Result = TypeVar("Result")
Key = TypeVar("Key")
Held = Any  # the value of a field of some holder: each field has a type of its own
Found = dict[Any, Held]  # by the name of a field or, in RunningStates, by a class
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
        self, lifetime: Lifetime, make: Callable[[], object], merge: Merge[Held] | None = None
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
    """Makes a class a holder: `create_fields` sets its declared fields, and is its `__init__` where it has none.

    Not a dataclass: generating the code of thirty of them would take longer than checking a small file. Raises TypeError for
    an annotated field without a lifetime; what is set by an `__init__` of its own needs no annotation in the class.
    """
    declared = {name: one for name, one in vars(kind).items() if isinstance(one, Declaration)}
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
    for one in declarations(type(self)):
        setattr(self, one.name, one.make())


def declarations(kind: type) -> tuple[Declaration, ...]:
    """Returns the declared fields of a holder."""
    return kind.declared  # type: ignore[attr-defined]  # set by `holder`


def _cached(compute: Callable[[type], Result]) -> Callable[[type], Result]:
    """Caches a function of a class (for mypy `type[object]` is not hashable, so `cache` itself does not accept it)."""
    return cache(compute)


@_cached
def _isolated(kind: type) -> tuple[Declaration, ...]:
    """Returns the fields of a holder of which each root has its own copy."""
    apart = (Lifetime.PER_ROOT, Lifetime.GATHERED, Lifetime.NESTED)
    return tuple(one for one in declarations(kind) if one.lifetime in apart)


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
    """Merges dicts; of several entries for a key the one of the last root counts."""
    total.update(new)


def first_wins(total: dict[Key, State], new: dict[Key, State]) -> None:
    """Merges dicts; of several entries for a key the one of the first root counts."""
    for key, value in new.items():
        total.setdefault(key, value)


def merge_by(join: Callable[[State, State], State]) -> Merge[dict[Key, State]]:
    """Merges dicts; two entries for a key are joined."""

    def merge(total: dict[Key, State], new: dict[Key, State]) -> None:
        for key, value in new.items():
            total[key] = join(total[key], value) if key in total else value

    return merge


# ---- the state of checks ------------------------------------------------------------------------------------------------

RUNNING_STATES: list[type] = []
"""All classes declared with `running_state` in the modules that are loaded."""


def running_state(kind: Kind) -> Kind:
    """Declares a class as the state that one check or one kind of object keeps while a program runs.

    The state is reached by `it.states[kind]` and created when it is first asked for.
    """
    RUNNING_STATES.append(kind)
    return holder(kind)


class RunningStates(dict[type, Held]):
    """The states of checks, by their class; a missing one is created."""

    if TYPE_CHECKING:

        def __getitem__(self, kind: type[State]) -> State: ...

    def __missing__(self, kind: type[State]) -> State:
        state = self[kind] = kind()
        return state


# ---- walking the declarations -------------------------------------------------------------------------------------------


def _copied(value: Held) -> Held:
    """Copies a container, to the second level where a dict holds sets or lists."""
    kind = type(value)
    if kind is dict:
        if not value:
            return {}
        some = type(next(iter(value.values())))
        if some is set or some is list:
            return {key: some(held) for key, held in value.items()}
        return dict(value)
    if kind is set or kind is list:
        return kind(value)
    return value


def copied_field(one: Declaration, value: Held) -> Held:
    """Returns the copy of a declared field that a root gets."""
    return copied(value) if one.lifetime is Lifetime.NESTED else _copied(value)


def copied(held: State) -> State:
    """Returns a copy of a holder whose isolated fields are copies and whose other fields are shared."""
    kind = type(held)
    copy = kind.__new__(kind)
    if isinstance(held, RunningStates) and isinstance(copy, RunningStates):
        copy.update((one, copied(state)) for one, state in held.items())
        return copy
    vars(copy).update(vars(held))
    for declaration in _isolated(kind):
        setattr(copy, declaration.name, copied_field(declaration, getattr(held, declaration.name)))
    return copy


def isolated(held: object) -> dict[str, Held]:
    """Returns the values of the fields of a holder of which each root has its own copy, by name."""
    return {one.name: getattr(held, one.name) for one in _isolated(type(held))}


def _new(own: Held, before: Held) -> Held:
    """Returns the entries of a container that it did not hold before."""
    kind = type(own)
    if kind is dict:
        return (
            {key: value for key, value in own.items() if before.get(key, own) is not value} if before else own
        )
    if kind is set or kind is int:
        return own - before
    return own[len(before) :]


def found_since(held: object, before: Held) -> Found:
    """Returns, by name, the entries of a holder's gathered fields that `before` did not have; empty ones are left out.

    `before` is a holder of the same kind, or the values of its isolated fields by name.
    """
    found: Found = {}
    if isinstance(held, RunningStates):
        for one, state in held.items():
            new = found_since(state, before[one] if one in before else one())
            if new:
                found[one] = new
        return found
    for declaration in _isolated(type(held)):
        name, lifetime = declaration.name, declaration.lifetime
        if lifetime is Lifetime.PER_ROOT:
            continue
        earlier = before[name] if type(before) is dict else getattr(before, name)
        own = getattr(held, name)
        new = found_since(own, earlier) if lifetime is Lifetime.NESTED else _new(own, earlier)
        if new:
            found[name] = new
    return found


def merge_found(total: object, found: Found) -> None:
    """Merges the result of `found_since` for one root into a holder."""
    if isinstance(total, RunningStates):
        for one, new in found.items():
            merge_found(total[one], new)
        return
    for declaration in _isolated(type(total)):
        name = declaration.name
        if name not in found:
            continue
        if declaration.lifetime is Lifetime.NESTED:
            merge_found(getattr(total, name), found[name])
        elif declaration.merge is not None:
            merged = declaration.merge(getattr(total, name), found[name])
            if merged is not None:
                setattr(total, name, merged)


def add_missing(own: object, shared: object) -> None:
    """Adds new entries of the shared holder to the copy of a root."""
    if isinstance(own, RunningStates) and isinstance(shared, RunningStates):
        for one, state in shared.items():
            if one in own:
                add_missing(own[one], state)
            else:
                own[one] = copied(state)
        return
    for declaration in _isolated(type(own)):
        add_missing_to_field(declaration, getattr(own, declaration.name), getattr(shared, declaration.name))


def add_missing_to_field(one: Declaration, own: Held, shared: Held) -> None:
    """Adds new entries of a shared field to the copy of a root."""
    if one.lifetime is Lifetime.NESTED:
        add_missing(own, shared)
    elif type(own) is dict and type(shared) is dict:
        for key, value in shared.items():
            own.setdefault(key, value)
    elif type(own) is set and type(shared) is set:
        own |= shared
