"""Detects clipping without effect: before the backward pass, or after the step that uses the gradients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import OptimizerValue
from torchlsp.interp.model.trace_flow import Chain, Flow, Place, events, place, place_order
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import Event, EventKind, Item

_MAYBE, _NONE, _FULL, _USED = "maybe", "none", "full", "used"
_EARLY, _MADE, _LATE = "early", "made", "late"
"""Of a clipping call: it clipped nothing; a backward pass came after it; the step came before it."""
_OF_GRADIENTS = frozenset({
    EventKind.ZERO_GRAD, EventKind.BACKWARD, EventKind.STEP, EventKind.UNSEEN_STEP, EventKind.SCALER, EventKind.CLIP,
})  # fmt: skip
_State = str | tuple[str, Place]
"""What is known of the gradients (nothing, there are none, there are some, a step has used them), or the stage of a clipping call
and its place."""


@dataclass(slots=True)
class _ClippingWalk:
    """Follows the gradients and the clipping calls through a trace."""

    optimizer: OptimizerValue | None = None
    """The optimizer whose gradients are followed, where there are several."""
    schedulers: frozenset[str] = frozenset()
    """Unknown arguments that are stepped and have no gradients."""
    flow: Flow = field(init=False)
    unknown: tuple[Event, frozenset[_State]] | None = None
    """The last call of something unknown, and the states before it."""
    last: Place | None = None
    """The place of the last event."""
    holders: set[str] = field(default_factory=set)
    """The unknown arguments that were stepped or clipped."""
    calls: dict[Place, tuple[Event, Chain]] = field(default_factory=dict)
    """Each clipping call, and the calls around it."""
    innocent: set[Place] = field(default_factory=set)
    found: dict[Place, Fault] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flow = Flow(self.after)

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        states = self._after(event, states)
        self.last = place(event)
        return states

    def _after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        if self.optimizer is not None:
            concerned = _concerns(event, self.optimizer)
            if concerned is not Tri.YES:
                return states if concerned is Tri.NO else frozenset({_MAYBE})
        match event.kind:
            case EventKind.ZERO_GRAD:
                self._report(states, _LATE, "late", event)
                return frozenset({_NONE})
            case EventKind.BACKWARD:
                return frozenset(
                    (_MADE, state[1]) if isinstance(state, tuple) and state[0] == _EARLY else _FULL
                    for state in states
                )
            case EventKind.UNSEEN_STEP if event.subjects <= self.schedulers:
                return states
            case EventKind.STEP | EventKind.UNSEEN_STEP:
                return self._stepped(event, states)
            case EventKind.SCALER if event.name.startswith("step"):
                return self._stepped(event, states)
            case EventKind.CLIP if event.label == "empty":
                data = (("reason", "empty"), ("other", None))
                self.found.setdefault(place(event), Fault(
                    FaultKind.CLIPS_NOTHING, event.start, event.end, event.name, data, path=event.path, call_chain=self.flow.chain,
                ))  # fmt: skip
            case EventKind.CLIP:
                return self._clipped(event, states)
            case EventKind.UNKNOWN_CALL if place(event) == self.last:
                return states  # `step()` of an unknown optimizer, say
            case EventKind.UNKNOWN_CALL:
                self.unknown = event, states
                # Whatever the call does, a clipping call that has clipped nothing stays one.
                kept = (_EARLY, _MADE) if self._may_use_gradients(event) else (_EARLY, _MADE, _LATE)
                reaches = bool(event.subjects or "*" in event.handed)
                return frozenset(
                    state if state[0] in kept or state == _NONE and not reaches else _MAYBE
                    for state in states
                )
        return states

    def _stepped(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        self.holders |= event.subjects
        self._report(states, _MADE, "early", event)
        return frozenset(_MAYBE if state in (_MAYBE, _NONE) else _USED for state in states)

    def _may_use_gradients(self, event: Event) -> bool:
        """Returns whether an unknown call gets an optimizer or a model, or may reach any."""
        handed = {name.removesuffix("()") for name in event.handed}
        return bool(event.subjects or "*" in handed or handed & self.holders)

    def _clipped(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        key = place(event)
        self.calls.setdefault(key, (event, self.flow.chain))
        if self.unknown is not None and event.start <= self.unknown[0].start < event.end:
            self.holders |= {name.removesuffix("()") for name in self.unknown[0].handed}
            states = self.unknown[1]  # the unknown call gave an argument: `model.parameters()`
        if states == {_NONE}:
            return frozenset({(_EARLY, key)})
        if states == {_USED}:
            return frozenset({(_LATE, key)})
        if _FULL in states:
            self.innocent.add(key)
        return frozenset(_MAYBE if isinstance(state, tuple) else state for state in states)

    def ended(self, states: frozenset[_State], trace: tuple[Item, ...]) -> None:
        """Reports what was clipped after the step where the trace ends, if the next run of it begins by clearing."""
        first = next((one for one in events(trace) if one.kind in _OF_GRADIENTS), None)
        if first is not None and first.kind is EventKind.ZERO_GRAD:
            self._report(states, _LATE, "last", first)

    def _report(self, states: frozenset[_State], stage: str, reason: str, other: Event) -> None:
        """Reports the clipping calls that are at a stage, in the order of the text."""
        keys = [state[1] for state in states if isinstance(state, tuple) and state[0] == stage]
        for key in sorted(keys, key=place_order):
            event, chain = self.calls[key]
            data = (("reason", reason), ("other", other))
            fault = Fault(
                FaultKind.CLIPS_NOTHING,
                event.start,
                event.end,
                event.name,
                data,
                path=event.path,
                call_chain=chain,
            )
            self.found.setdefault(key, fault)


def _concerns(event: Event, optimizer: OptimizerValue) -> Tri:
    """Returns whether an event concerns the gradients of all parameters of an optimizer."""
    owns = optimizer.owns or frozenset()
    match event.kind:
        case EventKind.ZERO_GRAD:
            if optimizer.ref in event.subjects or owns <= event.subjects:
                return Tri.YES
            return Tri.NO if event.subjects and owns.isdisjoint(event.subjects) else Tri.UNKNOWN
        case EventKind.STEP:
            return Tri.of(optimizer.ref in event.subjects)
        case EventKind.SCALER if event.other:
            return Tri.of(event.other == optimizer.ref)
        case EventKind.CLIP:
            return Tri.of(bool(event.subjects) and event.subjects <= owns)
        case EventKind.UNSEEN_STEP | EventKind.SCALER:
            return Tri.UNKNOWN
    return Tri.YES


def ineffective_clips(analysis: Analysis) -> Iterator[Fault]:
    """Yields the clipping calls that clip nothing on any path to them."""
    found: dict[Place, Fault] = {}
    innocent: set[Place] = set()
    for root in analysis.roots:
        schedulers = _schedulers(root.trace)
        for optimizer in _clipped_optimizers(analysis, root.trace, schedulers):
            walk = _ClippingWalk(optimizer, schedulers)
            left, exits = walk.flow.run(root.trace, frozenset({_MAYBE}))
            walk.ended(left | exits.get("return", frozenset()), root.trace)
            innocent |= walk.innocent
            for key, fault in walk.found.items():
                found.setdefault(key, fault)
    yield from (fault for key, fault in found.items() if key not in innocent)


def _schedulers(trace: tuple[Item, ...]) -> frozenset[str]:
    """Returns the unknown arguments that are stepped and never cleared, where one other is both."""
    stepped: set[str] = set()
    cleared: set[str] = set()
    for event in events(trace):
        if event.kind in (EventKind.STEP, EventKind.UNSEEN_STEP):
            stepped |= event.subjects
        elif event.kind is EventKind.ZERO_GRAD:
            cleared |= event.subjects | {event.other}
    return frozenset(stepped - cleared) if len(stepped & cleared) == 1 else frozenset()


def _clipped_optimizers(
    analysis: Analysis, trace: tuple[Item, ...], schedulers: frozenset[str]
) -> list[OptimizerValue | None]:
    """Returns the optimizers whose gradients a trace clips; None stands for the only one.

    Of several, those whose parameters are known and in no other one.
    """
    refs: set[str] = set()
    clips: list[Event] = []
    for event in events(trace):
        if event.kind is EventKind.CLIP:
            clips.append(event)
        elif event.kind in (EventKind.STEP, EventKind.UNSEEN_STEP, EventKind.ZERO_GRAD):
            refs |= {ref for ref in event.subjects if "optimizer" in ref} or event.subjects
    if not clips or len(refs - schedulers) <= 1:
        return [None] if clips else []
    optimizers = [analysis.optimizers[ref] for ref in sorted(refs) if ref in analysis.optimizers]
    if len(optimizers) < len(refs) or any(one.owns is None for one in optimizers):
        return []
    counts = Counter(ref for one in optimizers for ref in one.owns or ())
    return [one for one in optimizers if one.owns and all(counts[ref] == 1 for ref in one.owns)]
