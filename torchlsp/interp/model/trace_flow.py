"""What may be true at each event of a trace: sets of states, followed through its branches, loops and calls.

A loop's iterations are followed one after the other, each from what the one before leaves: so a visit of an event tells
what is certain of *that* iteration.  After the loop every number of iterations is possible, none included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from torchlsp.interp.store.trace import BranchItem, CallItem, Event, Exit, Item, IterationItem, LoopItem

Place = tuple[str | None, int, int]
"""Where something is in the program: (path, start, end)."""
Chain = tuple[tuple[str | None, int, int, str], ...]
"""The calls around an event, outermost first, as faults keep them: (path, start, end, name)."""
TURNS = 3
States = frozenset
Exits = dict[str, States]


@dataclass(slots=True)
class Flow:
    """`after(event, states)` gives the states behind an event; `calls` and `loops` are what it is inside of."""

    after: Callable[[Event, States], States]
    calls: list[CallItem] = field(default_factory=list)
    loops: list[LoopItem] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    """Which iteration of each loop runs, from 0."""

    @property
    def chain(self) -> Chain:
        """The calls around the present event, as faults keep them."""
        return tuple((call.path, call.start, call.end, call.name) for call in self.calls)

    def run(self, items: tuple[Item, ...], states: States) -> tuple[States, Exits]:
        """States at the end of the items, and at the exits out of them."""
        exits: Exits = {}
        for item in items:
            if not states:
                break
            match item:
                case Event():
                    states = self.after(item, states)
                case Exit(kind=kind):
                    _add(exits, {kind: states})
                    states = frozenset()
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

    def _loop(self, loop: LoopItem, states: States, exits: Exits) -> States:
        self.loops.append(loop)
        self.turns.append(0)
        unrolled = bool(loop.body) and all(isinstance(item, IterationItem) for item in loop.body)
        reached, behind = states, frozenset() if loop.endless or unrolled else states
        for turn in range(1 if unrolled else TURNS):
            self.turns[-1] = turn
            end, inner = self.run(loop.body, reached)
            reached = end | inner.pop("continue", frozenset())
            behind |= inner.pop("break", frozenset()) | (frozenset() if loop.endless else reached)
            _add(exits, inner)
            if not reached:
                break
        self.loops.pop()
        self.turns.pop()
        return behind


def _add(exits: Exits, more: Exits) -> None:
    for kind, states in more.items():
        exits[kind] = exits.get(kind, frozenset()) | states


def events(items: tuple[Item, ...]) -> Iterator[Event]:
    """All events of a trace, in order."""
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


def place(event: Any) -> Place:
    """Returns where something is in the program: a call that is run several times leaves an event each time."""
    return event.path, event.start, event.end
