"""Records the values that the calls of one file give the places of other files."""

from __future__ import annotations

from torchlsp.core.records import dataclass, field
from torchlsp.facts import values as v
from torchlsp.facts.notation import value_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.store.frame import Frame
from torchlsp.interp.store.recorded import Counting, Place, Span, joined

_MAX_PLACES = 20_000
"""Of each file: what is beyond is not recorded."""
_KEPT = (
    TensorFact, v.ArrayValue, v.Scalar, v.TupleValue, v.LayerValue, v.BoundExternal, v.DTypeValue, v.DeviceValue,
)  # fmt: skip
"""Kinds of values that calls may make more exact. Objects and functions hold whole files in memory, and are left out."""
_MAX_OUTLINED = 20_000
"""The maximum number of modules in containers that are outlined in one run: some 30 milliseconds."""


@dataclass(slots=True)
class CalledFile:
    """The values of the places of one file, joined over the calls of known sizes that another file makes.

    `differing` are the places that had several values. `calls` are the calls in the other file that lead to a function, by the
    span of the function.
    """

    values: dict[Place, Value] = field(default_factory=dict)
    counts: dict[Place, Value] = field(default_factory=dict)
    """The number of parameters of the module at a place; unknown where not all are known."""
    children: dict[Place, Value] = field(default_factory=dict)
    """The modules that the container at a place holds, each by its class and its arguments; unknown where calls differ."""
    differing: set[Place] = field(default_factory=set)
    calls: dict[Span, dict[Span, None]] = field(default_factory=dict)

    def keep(self, place: Place, value: Value) -> None:
        """Adds the value of a place in one more call."""
        if not isinstance(value, _KEPT):
            value = UNKNOWN_VALUE
        known = self.values.get(place)
        if known is None:
            if len(self.values) < _MAX_PLACES:
                self.values[place] = value
        elif known is not value and known != value:
            self.values[place] = joined(known, value)
            # Other storage alone is no difference that one could read.
            if value_text(known) != value_text(value):
                self.differing.add(place)

    def keep_count(self, place: Place, count: int | None) -> None:
        """Adds the number of parameters of a module in one more call."""
        value = UNKNOWN_VALUE if count is None else v.integer(count)
        if place in self.values:
            self.counts[place] = joined(self.counts.get(place), value)

    def keep_children(self, place: Place, outlined: Value) -> None:
        """Adds what a container holds in one more call."""
        if place in self.values:
            known = self.children.get(place)
            self.children[place] = outlined if known is None or known == outlined else UNKNOWN_VALUE

    def add(self, other: CalledFile) -> None:
        """Adds the values of further calls."""
        for place, value in other.values.items():
            self.keep(place, value)
        self.differing |= other.differing
        self.counts.update(other.counts)
        self.children.update(other.children)
        for function, calls in other.calls.items():
            self.calls.setdefault(function, {}).update(calls)


@dataclass(slots=True)
class Running:
    """A function of another file that is run by a call of known sizes, and where its values are kept."""

    frame: Frame
    into: CalledFile


class CalledFiles:
    """The files, by path, whose places are recorded: those that are `watched`.

    Calls to which the body of the calling file leads are kept apart from those of its functions, which know less about
    their arguments where nothing in sight calls them.
    """

    def __init__(self, watched: frozenset[str]) -> None:
        self.watched = watched
        self.running: Running | None = None
        self.counting = Counting()
        self._outlined = 0
        self._of_body: dict[str, CalledFile] = {}
        self._of_functions: dict[str, CalledFile] = {}

    def clear(self) -> None:
        """Forgets what was recorded, before the file is analysed again."""
        self.running = None
        self.counting = Counting()
        self._outlined = 0
        self._of_body.clear()
        self._of_functions.clear()

    def of(self, path: str, *, is_body: bool) -> CalledFile:
        """Returns where the values of a file are kept."""
        return (self._of_body if is_body else self._of_functions).setdefault(path, CalledFile())

    def outline(self, content: Value) -> Value:
        """Returns the classes and the arguments of the modules that a container holds, without which modules these are."""
        items: tuple[Value, ...]
        match content:
            case v.TupleValue():
                items = content.items
            case v.DictValue():
                items = tuple(item for _, item in content.entries)
            case _:
                return UNKNOWN_VALUE
        self._outlined += len(items)
        if self._outlined > _MAX_OUTLINED:
            return UNKNOWN_VALUE
        outlines = tuple(map(_outline, items))
        if isinstance(content, v.DictValue):
            return v.DictValue(tuple((name, one) for (name, _), one in zip(content.entries, outlines)))
        return v.TupleValue(outlines)

    def found(self) -> dict[str, CalledFile]:
        """Returns the values by file: of each function those that the body's calls give, if it makes any."""
        found = dict(self._of_body)
        for path, kept in self._of_functions.items():
            known = found.get(path)
            if known is None:
                found[path] = kept
                continue
            functions = sorted(kept.calls.keys() - known.calls.keys())
            rest = {
                place: value
                for place, value in kept.values.items()
                if any(start <= place[0] < end for start, end in functions)
                and not any(start <= place[0] < end for start, end in known.calls)
            }
            calls = {one: kept.calls[one] for one in functions}
            counts = {place: count for place, count in kept.counts.items() if place in rest}
            children = {place: held for place, held in kept.children.items() if place in rest}
            known.add(CalledFile(rest, counts, children, kept.differing & rest.keys(), calls))
        return {path: kept for path, kept in found.items() if kept.values}


def _outline(module: Value) -> Value:
    match module:
        case v.LayerValue(qualname=name, config=config):
            return v.LayerValue("", name, config)
        case v.InstanceValue(cls=cls):
            return v.LayerValue("", cls.ir.name)  # a class of the workspace keeps its file in memory
    return UNKNOWN_VALUE
