"""Detects schedulers that step before their optimizer, so that the first learning rate is never used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.model.trace_flow import Chain, Flow, Place, events, place
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import Event, EventKind, Item
from torchlsp.program import ir
from torchlsp.program.walking import nodes

_FRESH, _STEPPED, _DONE, _MAYBE = "fresh", "stepped", "done", "maybe"
_State = str | Place
"""Neither has stepped yet; the optimizer has; both have, the scheduler first; nothing is known; or the scheduler alone has, and
where."""


@dataclass(slots=True)
class _SchedulerWalk:
    """Follows one scheduler and its optimizer through a trace."""

    ref: str
    optimizer: str
    trace: tuple[Item, ...]
    flow: Flow = field(init=False)
    first: dict[_State, tuple[Event, Chain, tuple[Place, ...]]] = field(default_factory=dict)
    """The first steps of the scheduler by their places, with the calls and the loops around them."""
    innocent: set[_State] = field(default_factory=set)
    found: dict[_State, Fault] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flow = Flow(self.after)

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        match event.kind:
            case EventKind.MADE if self.ref in event.subjects:
                return frozenset({_FRESH})
            case EventKind.SCHEDULE if self.ref in event.subjects:
                return self._scheduled(event, states)
            case EventKind.STEP | EventKind.UNSEEN_STEP if self.optimizer in event.subjects:
                return self._stepped(event, states)
            case EventKind.SCALER if event.other == self.optimizer and event.name.startswith("step"):
                return self._stepped(event, states)
            case EventKind.UNKNOWN_CALL if self.ref in event.subjects or self.optimizer in event.subjects:
                return frozenset({_MAYBE})
        return states

    def _scheduled(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        if event.name:
            return frozenset({_MAYBE})
        key = place(event)
        if states & {_STEPPED, _MAYBE}:
            self.innocent.add(key)
        if _FRESH not in states:
            return states
        self.first.setdefault(key, (event, self.flow.chain, tuple(place(loop) for loop in self.flow.loops)))
        return frozenset(key if state is _FRESH else state for state in states)

    def _stepped(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        here = tuple(place(loop) for loop in self.flow.loops)
        for key, (scheduled, chain, loops) in self.first.items():
            if key not in states:
                continue
            # In a loop of its own the scheduler is brought to where an earlier run has left it.
            if here[: len(loops)] == loops and (loops or not here):
                self.found.setdefault(key, _fault(scheduled, event, chain, self.trace))
        return frozenset(
            _STEPPED if state in (_FRESH, _STEPPED) else state if state is _MAYBE else _DONE
            for state in states
        )


def _fault(scheduled: Event, step: Event, chain: Chain, trace: tuple[Item, ...]) -> Fault:
    data = (("step", step), ("schedule", scheduled), ("trace", trace))
    return Fault(
        FaultKind.SCHEDULED_FIRST,
        scheduled.start,
        scheduled.end,
        "step",
        data,
        path=scheduled.path,
        call_chain=chain,
    )


def scheduled_first(analysis: Analysis) -> Iterator[Fault]:
    """Yields the schedulers that, on every path, step before their optimizer's first step in one iteration."""
    found: dict[_State, Fault] = {}
    innocent: set[_State] = set()
    for root in analysis.roots:
        uses = _uses(root.trace)
        for ref, optimizer in analysis.schedulers.items():
            if ref in uses:
                walk = _SchedulerWalk(ref, optimizer, root.trace)
                left, exits = walk.flow.run(root.trace, frozenset({_FRESH}))
                # A function may run again: only one that creates the scheduler starts afresh.
                walk.flow.run(root.trace, left | exits.get("return", frozenset()))
                innocent |= walk.innocent
                for key, fault in walk.found.items():
                    found.setdefault(key, fault)
    if found and analysis.module is not None and _counts_epochs_itself(analysis.module):
        return
    yield from (fault for key, fault in found.items() if key not in innocent)


def _counts_epochs_itself(module: ir.Module) -> bool:
    """Returns whether the file sets `last_epoch` of a scheduler, as to -1, with which the first step gives the first rate."""
    return any(
        type(target) is ir.Attribute and target.name == "last_epoch"
        for node in nodes(module.body)
        if type(node) is ir.Assign
        for target in node.targets
    )


def _uses(trace: tuple[Item, ...]) -> set[str]:
    return {ref for event in events(trace) if event.kind is EventKind.SCHEDULE for ref in event.subjects}
