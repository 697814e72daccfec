"""Follows sets of possible states through the events, branches, loops and calls of a trace.

The iterations of a loop are followed one after the other, each from the states after the one before, so each visit of an
event has the states of one iteration.  After the loop every number of iterations is possible, zero included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from torchlsp.interp.store.trace import BranchItem, CallItem, Event, Exit, Item, IterationItem, LoopItem

Place = tuple[str | None, int, int]
"""Where something is in the program: (path, start, end)."""
Chain = tuple[tuple[str | None, int, int, str], ...]
"""The calls around an event, outermost first, as faults keep them: (path, start, end, name)."""
TURNS = 3
"""The number of iterations of a loop that are followed."""

State = TypeVar("State")
Exits = dict[str, frozenset[State]]
"""The states at the exits of a body, by their kind: return, break, continue, raise."""


@dataclass(slots=True)
class Flow(Generic[State]):
    """Follows states.  `after(event, states)` returns the states after an event; `calls` and `loops` are those around it."""

    after: Callable[[Event, frozenset[State]], frozenset[State]]
    calls: list[CallItem] = field(default_factory=list)
    loops: list[LoopItem] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    """The number of the running iteration of each loop, from 0."""
    counts: bool = False
    """Of a branch that is taken in the first iteration, only that path is followed there."""

    @property
    def chain(self) -> Chain:
        """The calls around the present event, in the form of `Fault.call_chain`."""
        return tuple((call.path, call.start, call.end, call.name) for call in self.calls)

    def run(self, items: tuple[Item, ...], states: frozenset[State]) -> tuple[frozenset[State], Exits[State]]:
        """Returns the states at the end of the items, and at the exits out of them."""
        exits: Exits[State] = {}
        for item in items:
            if not states:
                break
            match item:
                case Event():
                    states = self.after(item, states)
                case Exit(kind=kind):
                    _add(exits, {kind: states})
                    states = frozenset()
                case BranchItem(body=body, begins=True) if self.counts and self.turns and not self.turns[-1]:
                    states, left = self.run(body, states)
                    _add(exits, left)
                case BranchItem(body=body, orelse=orelse):
                    first, left = self.run(body, states)
                    second, right = self.run(orelse, states)
                    states = first | second
                    _add(exits, left)
                    _add(exits, right)
                case LoopItem():
                    states = self._loop(item, states, exits)
                case IterationItem(body=body):
                    states, inner = self.run(body, states)
                    states |= inner.pop("continue", frozenset())
                    _add(exits, inner)
                    self.turns[-1] += 1
                case CallItem(body=body):
                    self.calls.append(item)
                    states, inner = self.run(body, states)
                    self.calls.pop()
                    states |= inner.get("return", frozenset())
                    _add(exits, {"raise": inner.get("raise", frozenset())})
        return states, exits

    def _loop(self, loop: LoopItem, states: frozenset[State], exits: Exits[State]) -> frozenset[State]:
        self.loops.append(loop)
        self.turns.append(0)
        unrolled = bool(loop.body) and all(isinstance(item, IterationItem) for item in loop.body)
        reached = states
        passed: frozenset[State] = frozenset() if loop.endless or unrolled else states
        for turn in range(1 if unrolled else TURNS):
            self.turns[-1] = turn
            end, inner = self.run(loop.body, reached)
            reached = end | inner.pop("continue", frozenset())
            passed |= inner.pop("break", frozenset()) | (frozenset() if loop.endless else reached)
            _add(exits, inner)
            if not reached:
                break
        self.loops.pop()
        self.turns.pop()
        return passed


def _add(exits: Exits[State], more: Exits[State]) -> None:
    for kind, states in more.items():
        exits[kind] = exits.get(kind, frozenset()) | states


def events(items: tuple[Item, ...]) -> Iterator[Event]:
    """Yields all events of a trace, in order."""
    for item in items:
        match item:
            case Event():
                yield item
            case BranchItem(body=body, orelse=orelse):
                yield from events(body)
                yield from events(orelse)
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                yield from events(body)


def text_order(event: Event) -> tuple:
    """Orders events by their place in the text, and those of one place by what they say; a key for `sorted` and `min`.

    States are kept in sets, which have no order of their own: where several of them say the same, the first in the text
    is the one that is named.
    """
    group = sorted(event.group) if isinstance(event.group, frozenset) else event.group
    return (
        *place_order(place(event)), event.kind.value, event.name, event.label, event.other, sorted(event.subjects),
        sorted(event.handed), str(group), event.node, event.hidden,
    )  # fmt: skip


def place_order(at: Place) -> tuple[str, int, int]:
    """Orders places by file and then as the text goes; the file that has no path comes first."""
    path, start, end = at
    return path or "", start, end


def place(event: Event | LoopItem) -> Place:
    """Returns the place of an event or a loop, which the events of several runs of one call share."""
    return event.path, event.start, event.end
