"""Detects clipping without effect: before the backward pass, or after the step that uses the gradients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from torchlsp.facts.fault import Fault, FaultKind
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

    flow: Flow = field(init=False)
    unknown: tuple[Event, frozenset[_State]] | None = None
    """The last call of something unknown, and the states before it."""
    calls: dict[Place, tuple[Event, Chain]] = field(default_factory=dict)
    """Each clipping call, and the calls around it."""
    innocent: set[Place] = field(default_factory=set)
    found: dict[Place, Fault] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flow = Flow(self.after)

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        match event.kind:
            case EventKind.ZERO_GRAD:
                self._report(states, _LATE, "late", event)
                return frozenset({_NONE})
            case EventKind.BACKWARD:
                return frozenset(
                    (_MADE, state[1]) if isinstance(state, tuple) and state[0] == _EARLY else _FULL
                    for state in states
                )
            case EventKind.STEP | EventKind.UNSEEN_STEP:
                return self._stepped(event, states)
            case EventKind.SCALER if event.name.startswith("step"):
                return self._stepped(event, states)
            case EventKind.CLIP:
                return self._clipped(event, states)
            case EventKind.UNKNOWN_CALL:
                self.unknown = event, states
                # Whatever the call does, a clipping call that has clipped nothing stays one.
                return frozenset(
                    state if isinstance(state, tuple) and state[0] != _LATE else _MAYBE for state in states
                )
        return states

    def _stepped(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        self._report(states, _MADE, "early", event)
        return frozenset(_MAYBE if state in (_MAYBE, _NONE) else _USED for state in states)

    def _clipped(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        key = place(event)
        self.calls.setdefault(key, (event, self.flow.chain))
        if self.unknown is not None and event.start <= self.unknown[0].start < event.end:
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


def ineffective_clips(analysis: Analysis) -> Iterator[Fault]:
    """Yields the clipping calls that clip nothing on any path to them, in code with one optimizer."""
    found: dict[Place, Fault] = {}
    innocent: set[Place] = set()
    for root in analysis.roots:
        if _clips(root.trace):
            walk = _ClippingWalk()
            left, exits = walk.flow.run(root.trace, frozenset({_MAYBE}))
            walk.ended(left | exits.get("return", frozenset()), root.trace)
            innocent |= walk.innocent
            for key, fault in walk.found.items():
                found.setdefault(key, fault)
    yield from (fault for key, fault in found.items() if key not in innocent)


def _clips(trace: tuple[Item, ...]) -> bool:
    """Returns whether a trace clips gradients and has one optimizer at most. Events do not say whose
    gradients are clipped."""
    kinds: set[EventKind] = set()
    optimizers: set[str] = set()
    for event in events(trace):
        kinds.add(event.kind)
        if event.kind in (EventKind.STEP, EventKind.UNSEEN_STEP, EventKind.ZERO_GRAD):
            optimizers |= {ref for ref in event.subjects if "optimizer" in ref} or event.subjects
    return EventKind.CLIP in kinds and len(optimizers) <= 1
