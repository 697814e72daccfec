"""Reports calls that need the default process group before init_process_group or after destroy_process_group.

A group is created once: a call that needs it and is followed by the call that creates it is wrong from wherever it is run,
since one of the two raises.  Only scripts, and the functions that they spawn, certainly begin without a group.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Union

from torchlsp.core.records import dataclass, field
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import Condition
from torchlsp.interp.model.top_level_names import spawned_names
from torchlsp.interp.model.trace_flow import events, place
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import (
    BranchItem,
    CallItem,
    Event,
    EventKind,
    Exit,
    Item,
    IterationItem,
    LoopItem,
)
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

NEEDS_GROUP = "group"
"""The label of collectives that run in the default group, and not in a `try` that expects there is none."""

_NONE, _UP, _GONE = "none", "up", "gone"
_OPEN, _AS_BEFORE = "", "as before"
"""Nothing is known of the group: a call may have created or destroyed it, or the path is only one of several."""
_Place = tuple[Union[str, None], int, int]

_MAKES = frozenset({"init_process_group", "init_device_mesh"})
_HARMLESS = frozenset(sys.stdlib_module_names) | frozenset(
    "torch torchvision torchaudio numpy tqdm matplotlib PIL cv2 pandas scipy sklearn einops wandb tensorboard yaml".split()
)
"""Packages that do not create a process group."""


def find_calls_without_group(analysis: Analysis) -> Iterator[Fault]:
    """Yields the calls that certainly run without a group."""
    if not any(_needs_group(event) for root in analysis.roots for event in events(root.trace)):
        return
    found: dict[_Place, Fault] = {}
    starts = _starts(analysis)
    for root in analysis.roots:
        walk = _GroupWalk(found, root.name != "<module>")
        walk.run(root.trace, starts.get(root.name, _AS_BEFORE))
    yield from found.values()


def _needs_group(event: Event) -> bool:
    return event.kind is EventKind.GROUP or event.label == NEEDS_GROUP


def _starts(analysis: Analysis) -> dict[str, str]:
    """Returns the roots that begin without a group."""
    module = analysis.module
    if module is None:
        return {}
    starts = dict.fromkeys(spawned_names(module), _NONE)
    if all(_is_harmless(node) for node in module_nodes(module) if isinstance(node, ir.Import)):
        starts["<module>"] = _NONE
    return starts


def _is_harmless(node: ir.Import) -> bool:
    return all(source.partition(".")[0] in _HARMLESS for _, source, _ in node.names)


@dataclass(slots=True)
class _GroupWalk:
    """Follows the state of the default process group through a trace."""

    found: dict[_Place, Fault]
    asks: bool
    """Whether asking for the rank without a group is a fault: a script without any group may be a module."""
    waiting: list[tuple[Event, tuple[CallItem, ...]]] = field(default_factory=list)
    """Earlier calls on the path that need a group of which nothing was known."""
    calls: list[CallItem] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """The states of the group at the exits of the running function or loop."""
    ended: Event | None = None

    def run(self, items: tuple[Item, ...], state: str) -> None:
        """Follows the trace of a root."""
        self.block(items, state)

    def block(self, items: tuple[Item, ...], state: str) -> str | None:
        """Returns the state of the group after the items; None if no path reaches that."""
        for index, item in enumerate(items):
            match item:
                case Event():
                    state = self.event(item, state)
                case Exit(kind=kind):
                    if kind != "raise":
                        self.left.append(state)
                    return None
                case BranchItem():
                    first, second = self.branch(item, state)
                    if first is None or second is None:
                        # Only one of the paths runs what follows.
                        rest = second if first is None else first
                        return None if rest is None else self.path(items[index + 1 :], rest)
                    state = _joined(first, second)
                case LoopItem(body=body):
                    outer, self.left = self.left, [state]
                    inner = self.path(body, state)
                    state = _joined(*self.left, *(() if inner is None else (inner,)))
                    self.left = outer
                case IterationItem(body=body):
                    inner = self.block(body, state)
                    state = _OPEN if inner is None else inner
                case CallItem(body=body):
                    self.calls.append(item)
                    outer, self.left = self.left, []
                    inner = self.block(body, state)
                    ends = [*self.left, *(() if inner is None else (inner,))]
                    self.left = outer
                    self.calls.pop()
                    if not ends:
                        return None
                    state = _joined(*ends)
        return state

    def branch(self, item: BranchItem, state: str) -> tuple[str | None, str | None]:
        """Returns the states at the ends of two paths."""
        ends: list[str | None] = []
        for holds, body in ((True, item.body), (False, item.orelse)):
            known = _implied(item.condition, holds)
            if known is not None and state in (_NONE, _UP, _GONE) and (known == _UP) != (state == _UP):
                continue  # the test has the other answer
            ends.append(self.path(body, state if known is None else known, known is None))
        return (ends[0], ends[-1]) if ends else (state, state)

    def path(self, items: tuple[Item, ...], state: str, doubtful: bool = True) -> str | None:
        """Follows items that only some runs reach: what is certain before them need not be certain of those runs."""
        outer, self.waiting = self.waiting, []
        start = _AS_BEFORE if doubtful and state in (_NONE, _GONE) else state
        end = self.block(items, start)
        self.waiting = outer
        return state if end == _AS_BEFORE else end

    def event(self, event: Event, state: str) -> str:
        """Returns the state after an event, and reports a call without a group."""
        if event.kind is EventKind.UNKNOWN_CALL:
            return _OPEN if state in (_NONE, _GONE, _AS_BEFORE) else state
        if event.kind is EventKind.COLLECTIVE and event.name in _MAKES:
            for use, calls in self.waiting if event.name == "init_process_group" else ():
                self.report(use, calls, later=event)
            self.waiting = []
            return _UP
        if event.kind is EventKind.COLLECTIVE and event.name == "destroy_process_group":
            if event.group is not None:
                return state
            self.waiting, self.ended = [], event
            return _GONE
        if _needs_group(event):
            if state == _GONE or state == _NONE and (self.asks or event.kind is not EventKind.GROUP):
                self.report(event, tuple(self.calls), gone=self.ended if state == _GONE else None)
                return _UP  # the program ends here
            if state != _UP:
                self.waiting.append((event, tuple(self.calls)))
        return state

    def report(
        self, use: Event, calls: tuple[CallItem, ...], later: Event | None = None, gone: Event | None = None
    ) -> None:
        """Keeps a fault; one whose group is created `later` replaces another of its place."""
        data = (("name", use.name), ("call", use), ("later", later), ("gone", gone))
        chain = tuple((call.path, call.start, call.end, call.name) for call in calls)
        fault = Fault(FaultKind.NO_GROUP, use.start, use.end, use.name, data, path=use.path, call_chain=chain)
        known = self.found.get(place(use))
        if known is None or known["later"] is None and later is not None:
            self.found[place(use)] = fault


def _implied(condition: Condition | None, holds: bool) -> str | None:
    """Returns the state of the group that a test implies on one of its paths; None if it implies nothing."""
    if condition is None or condition.kind != "group":
        return None
    holds = holds != condition.negated
    if holds:
        return None if condition.mixed == "or" else _UP
    return None if condition.mixed == "and" else _NONE


def _joined(*states: str) -> str:
    if all(state == states[0] for state in states):
        return states[0]
    return _GONE if set(states) == {_NONE, _GONE} else _OPEN
