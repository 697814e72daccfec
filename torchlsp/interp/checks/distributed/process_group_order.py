"""Calls that need the default process group where there is none: before init_process_group, behind destroy_process_group.

A group is made once: a call that needs it and is followed by the call that makes it is wrong wherever it is run from, since
one of the two raises.  That there is none at the beginning is known only of scripts and of the functions that they spawn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

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
"""The label of collectives of torch.distributed that are run in the default group, and not in a `try` for that."""

_NONE, _UP, _GONE = "none", "up", "gone"
_OPEN, _AS_BEFORE = "", "as before"
"""Nothing is known of the group: because something may have made or ended it, or because the way here was not all seen."""
_MAKES = frozenset({"init_process_group", "init_device_mesh"})
_HARMLESS = frozenset(sys.stdlib_module_names) | frozenset(
    "torch torchvision torchaudio numpy tqdm matplotlib PIL cv2 pandas scipy sklearn einops wandb tensorboard yaml".split()
)
"""Packages that make no process group by themselves."""


def without_group(analysis: Analysis) -> Iterator[Fault]:
    """Calls that certainly find no group, one for each way that leads there."""
    if not any(_needs_group(event) for root in analysis.roots for event in events(root.trace)):
        return
    found: dict[tuple, Fault] = {}
    starts = _starts(analysis)
    for root in analysis.roots:
        walk = _Walk(found, root.name != "<module>")
        walk.run(root.trace, starts.get(root.name, _AS_BEFORE))
    yield from found.values()


def _needs_group(event: Event) -> bool:
    return event.kind is EventKind.GROUP or event.label == NEEDS_GROUP


def _starts(analysis: Analysis) -> dict[str, str]:
    """The roots that begin without a group."""
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
class _Walk:
    found: dict[tuple, Fault]
    asks: bool
    """Is it a fault to ask for the rank where no group is seen?  A script without any group may be a module."""
    waiting: list[tuple[Event, tuple[CallItem, ...]]] = field(default_factory=list)
    """Calls on the way here that need a group of which nothing is known yet."""
    calls: list[CallItem] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """What is known of the group at the exits of the running function or loop."""
    ended: Event | None = None

    def run(self, items: tuple[Item, ...], state: str) -> None:
        self.block(items, state)

    def block(self, items: tuple[Item, ...], state: str) -> str | None:
        """What is known of the group behind the items; None where nobody comes there."""
        for index, item in enumerate(items):
            match item:
                case Event():
                    state = self.event(item, state)
                case Exit(kind=kind):
                    if kind != "raise":
                        self.left.append(state)
                    return None
                case BranchItem():
                    ways = self.branch(item, state)
                    if None in ways:
                        # What follows is run on one of the ways only.
                        rest = next((way for way in ways if way is not None), None)
                        return None if rest is None else self.way(items[index + 1 :], rest)
                    state = _joined(*ways)
                case LoopItem(body=body):
                    outer, self.left = self.left, [state]
                    inner = self.way(body, state)
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
        """What is known behind each of two ways."""
        ways = []
        for holds, body in ((True, item.body), (False, item.orelse)):
            known = _told(item.condition, holds)
            ways.append(self.way(body, state if known is None else known, known is None))
        return ways[0], ways[1]

    def way(self, items: tuple[Item, ...], state: str, doubtful: bool = True) -> str | None:
        """Runs what only some runs come to: what is certain before it need not be certain of those."""
        outer, self.waiting = self.waiting, []
        start = _AS_BEFORE if doubtful and state in (_NONE, _GONE) else state
        end = self.block(items, start)
        self.waiting = outer
        return state if end == _AS_BEFORE else end

    def event(self, event: Event, state: str) -> str:
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

    def report(self, use: Event, calls: tuple[CallItem, ...], later=None, gone=None) -> None:
        data = (("name", use.name), ("call", use), ("later", later), ("gone", gone))
        chain = tuple((call.path, call.start, call.end, call.name) for call in calls)
        fault = Fault(FaultKind.NO_GROUP, use.start, use.end, use.name, data, path=use.path, call_chain=chain)
        known = self.found.get(place(use))
        if known is None or known["later"] is None and later is not None:
            self.found[place(use)] = fault


def _told(condition: Condition | None, holds: bool) -> str | None:
    """What a test tells of the group on one of its ways; None where it tells nothing."""
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
