"""Records the values of names and expressions, place by place, for editors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field
from torchlsp.facts.fault import Called
from torchlsp.facts.values import ClassValue, LayerValue, Value
from torchlsp.interp.store import join
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, BUFFERS, DELETED, GRAD, RESIZED

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.interp.store.state import State


Span = tuple[int, int]
ANY_MODULE: Span = (-1, -1)
"""Stands for the `forward` of some module of the file, not known which."""
Place = tuple[int, int, bool]
"""Start, end, and whether a name is bound there."""
RootPlace = tuple[int, int, bool]
"""Start, end, and whether the function around it is analysed by itself, and not for a call."""


@dataclass(slots=True)
class Counting:
    """What counts of parameters depend on beside the heap, and those that were made.

    `uncertain` are the names of attributes that are set to modules or parameters on some paths only; `walked` is the number
    of modules that all counts have walked so far.
    """

    uncertain: set[str] = field(default_factory=set)
    walked: int = 0
    registering: set[str] = field(default_factory=set)
    """Refs of modules that were given parameters or submodules by methods, perhaps under names that are not known."""
    is_closed: bool = False
    """Whether code was run that may give any module parameters: no more counts are made."""
    known: dict[str, int | None] = field(default_factory=dict)
    """The counts of modules by their ref, as the heap is now."""
    layers: dict[str, tuple[LayerValue, dict[str, int] | None]] = field(default_factory=dict)
    """By ref of a layer of torch, the layer, and the sizes of its parameters by the memory that they live in."""
    classes: dict[str, tuple[ClassValue, bool]] = field(default_factory=dict)
    """By ref of a class, the class, and whether assignments show all parameters of its objects."""
    read: int = 0
    """The number of entries of the journal that are known not to change a count, and the last of them."""
    last: object = None

    def forget_changed(self, state: State) -> None:
        """Forgets the counts if a module may have changed since they were made."""
        journal, read = state.journal, self.read
        if not self.known or len(journal) < read or read and journal[read - 1] is not self.last:
            self.known.clear()
        else:
            heap = state.heap
            for store, key, _ in journal[read:]:
                if store is heap and (type(key[1]) is not str or key[1][:1] != "@" or key[1] in _OF_MODULES):
                    self.known.clear()
                    break
        self.read = len(journal)
        self.last = journal[-1] if journal else None

    def for_root(self) -> Counting:
        """Returns what holds where a root begins."""
        return Counting(set(self.uncertain), registering=set(self.registering), is_closed=self.is_closed)

    def add(self, other: Counting) -> None:
        """Adds what another part of the module's body has found."""
        self.uncertain |= other.uncertain
        self.registering |= other.registering
        self.is_closed = self.is_closed or other.is_closed

    def register(self, ref: str) -> None:
        """Records that a method may have given a module parameters."""
        self.registering.add(ref)
        self.known.clear()

    def close(self) -> None:
        """Ends all counting."""
        self.is_closed = True
        self.known.clear()

    def add_uncertain(self, name: str) -> None:
        """Records an attribute that is set on some paths only."""
        self.uncertain.add(name)
        self.known.clear()


_OF_MODULES = frozenset({ATTRIBUTES, BASE, BUFFERS, DELETED, GRAD, RESIZED})
"""State of modules beside their attributes on which counts of parameters rest."""


@dataclass(slots=True)
class Part:
    """What one root records of its own places (`names`, `values`) and of the places of the functions that it calls.

    `of_module` is the part of the module's body, None for that part and that of its main program; where these lead to a call,
    other calls of the place do not count.
    """

    of_module: Part | None = None
    names: dict[Span, Value] = field(default_factory=dict)
    values: dict[Span, Value] = field(default_factory=dict)
    called: dict[Place, Value] = field(default_factory=dict)
    """The values that its calls give each place."""
    through: dict[Place, Value] = field(default_factory=dict)
    """The same, of all calls."""
    contents: dict[Place, Value] = field(default_factory=dict)
    """The content of the list or dict at a place, as a TupleValue, Repeated or DictValue."""
    counts: dict[RootPlace, Value] = field(default_factory=dict)
    """The number of parameters of the module at a place; unknown where not all are known."""
    children: dict[RootPlace, Value] = field(default_factory=dict)
    """The modules that the container at a place holds, as a TupleValue or DictValue."""
    created: dict[str, Span] = field(default_factory=dict)
    """The call that has created each module of the user's own, by its ref."""
    counting: Counting = field(default_factory=Counting)
    made: dict[Span, Called] = field(default_factory=dict)
    """The last call of an operator or a layer at each place."""
    missed: set[Span] = field(default_factory=set)
    """The spans of functions that are also called in ways that were not followed."""

    def for_root(self) -> Part:
        """Returns an empty part for a root that begins with what the module's body has left."""
        of_module = self if self.of_module is None else self.of_module
        return Part(of_module, counting=of_module.counting.for_root())

    def add(self, other: Part) -> None:
        """Adds what another part of the module's body records."""
        for name in ("names", "values", "called", "through", "contents", "counts", "children"):
            own = getattr(self, name)
            for place, value in getattr(other, name).items():
                own[place] = joined(own.get(place), value)
        self.made.update(other.made)
        self.created.update(other.created)
        self.missed |= other.missed
        self.counting.add(other.counting)


class Recording:
    """Merges all parts, when it is asked.

    A function that is analysed by itself has the values of that analysis, any other the join of those that its visible
    calls give.
    """

    def __init__(self, of_module: Part, of_roots: Sequence[Part], of_observed: Sequence[Part] = ()) -> None:
        self._parts = (of_module, *of_roots)
        self._observed = tuple(of_observed)

    @cached_property
    def names(self) -> dict[Span, Value]:
        """The value bound at each place that binds a name."""
        found = {place[:2]: value for place, value in self._through.items() if place[2]}
        for part in self._parts:
            found.update(part.names)
        return found

    @cached_property
    def values(self) -> dict[Span, Value]:
        """The value of each expression."""
        found = {place[:2]: value for place, value in self._through.items() if not place[2]}
        for part in self._parts:
            found.update(part.values)
        return found

    @cached_property
    def called(self) -> dict[Place, Value]:
        """The values that visible calls give each place."""
        known: set[Place] = set()
        for part in self._parts:
            if part.of_module is None:
                known.update(part.called)

        def called(part: Part) -> dict[Place, Value]:
            if part.of_module is None or known.isdisjoint(part.called):
                return part.called
            return {place: value for place, value in part.called.items() if place not in known}

        return self._joined(called)

    @cached_property
    def contents(self) -> dict[Place, Value]:
        """The content of the list or dict at a place."""
        return self._joined(lambda part: part.contents)

    @cached_property
    def counts(self) -> dict[RootPlace, Value]:
        """The number of parameters of the module at a place, as an int where all are known."""
        return self._joined(lambda part: part.counts)

    @cached_property
    def children(self) -> dict[RootPlace, Value]:
        """The modules that the container at a place holds."""
        return self._joined(lambda part: part.children)

    @cached_property
    def observed(self) -> dict[Place, Value]:
        """The value of each place in functions that began with what a recorded run has seen."""
        found: dict[Place, Value] = {}
        for part in self._observed:
            found.update({(*place, True): value for place, value in part.names.items()})
            found.update({(*place, False): value for place, value in part.values.items()})
        return found

    @cached_property
    def observed_contents(self) -> dict[Place, Value]:
        """The content of the list or dict at a place in these functions."""
        found: dict[Place, Value] = {}
        for part in self._observed:
            found.update(part.contents)
        return found

    @cached_property
    def made(self) -> dict[Span, Called]:
        """The last call of an operator or a layer at each place."""
        found: dict[Span, Called] = {}
        for part in self._parts:
            found.update(part.made)
        return found

    @cached_property
    def created(self) -> dict[str, Span]:
        """The call that has created each module of the user's own, by its ref."""
        found: dict[str, Span] = {}
        for part in self._parts:
            found.update(part.created)
        return found

    @cached_property
    def missed(self) -> frozenset[Span]:
        """The spans of functions that are also called in ways that were not followed."""
        return frozenset().union(*(part.missed for part in self._parts))

    @cached_property
    def only_by_calls(self) -> frozenset[Span]:
        """The places of which only calls tell a value."""
        found = {place[:2] for place in self._through}
        for part in self._parts:
            found -= part.names.keys()
            found -= part.values.keys()
        return frozenset(found)

    @cached_property
    def _through(self) -> dict[Place, Value]:
        return self._joined(lambda part: part.through)

    def _joined(self, kept: Callable[[Part], dict[Place, Value]]) -> dict[Place, Value]:
        found = dict(kept(self._parts[0]))
        for part in self._parts[1:]:
            new = kept(part)
            for place in new.keys() & found.keys():
                found[place] = joined(found[place], new[place])
            found = new | found
        return found


def joined(before: Value | None, value: Value) -> Value:
    """Returns the join of a new value with an earlier one of the same place."""
    if before is None or before is value or before == value:
        return value
    return join.join(before, value, "calls")
