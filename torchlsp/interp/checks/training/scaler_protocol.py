"""Checks the protocol of gradient scalers: scale, backward, unscale once, clip, step once, update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tri import Tri
from torchlsp.interp.model.trace_flow import Flow, events, place, text_order
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import Event, EventKind, Item

_NEVER, _MAYBE, _DONE = "never", "maybe", "done"
_OUTSIDE, _MIXED = "outside", "mixed"
_Key = tuple[FaultKind, str | None, int, int]
"""A kind of fault and its place."""


@dataclass(frozen=True, slots=True)
class _State:
    """The state of one scaler and of the gradients.

    `scale`: whether the scaler has scaled anything since its creation.  `stages`: what its optimizers have been through since
    the last update, by ref, with the event.  `grads`: the backward of a scaled loss when all gradients are from such
    backwards; `outside` before the trace computes any, and `mixed` when more may have been done to them.
    `plain`: the last backward of a loss that the scaler has not scaled."""

    scale: str = _MAYBE
    stages: frozenset[tuple[str, str, Event]] = frozenset()
    grads: Event | str | None = _OUTSIDE
    plain: Event | None = None

    def stage(self, optimizer: str) -> tuple[str, Event] | None:
        """Returns the stage of an optimizer and the event that led to it."""
        return next(((stage, event) for ref, stage, event in self.stages if ref == optimizer), None)

    def at(self, optimizer: str, stage: str, event: Event) -> _State:
        """Returns the state in which an optimizer is at a stage."""
        others = frozenset(one for one in self.stages if one[0] != optimizer)
        return replace(self, stages=others | {(optimizer, stage, event)})


def _all_scaled(states: frozenset[_State]) -> list[Event]:
    """The backwards that the gradients are from, where all of them are from backwards of scaled losses; else none."""
    found = [state.grads for state in states if isinstance(state.grads, Event)]
    return found if len(found) == len(states) else []


@dataclass(slots=True)
class _ScalerWalk:
    """Follows one scaler through a trace; `innocent` are calls that are right in some run."""

    ref: str
    trace: tuple[Item, ...]
    assumptions: frozenset[str]
    flow: Flow = field(init=False)
    found: dict[_Key, Fault] = field(default_factory=dict)
    innocent: set[_Key] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.flow = Flow(self.after)

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        match event.kind:
            case EventKind.MADE:
                return self._made(event, states)
            case EventKind.BACKWARD:
                return frozenset(self._backward(event, state) for state in states)
            case EventKind.ZERO_GRAD:
                return frozenset(replace(state, grads=None) for state in states)
            case EventKind.SCALER if self.ref in event.subjects:
                return self._call(event, states)
            case EventKind.CLIP:
                self._on_scaled(FaultKind.CLIP_SCALED, event, states)
            case EventKind.STEP if event.name == "":
                self._on_scaled(FaultKind.STEP_SCALED, event, states)
                return frozenset(replace(state, grads=None) for state in states)
            case EventKind.STEP if event.name == "closure":
                return frozenset(replace(state, grads=_MIXED) for state in states)
            case EventKind.UNKNOWN_CALL if self.ref in event.subjects:
                return frozenset({_State(grads=_MIXED)})
            case EventKind.UNKNOWN_CALL if event.subjects:
                return frozenset(replace(state, grads=_MIXED) for state in states)
        return states

    def _made(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        if self.ref in event.subjects:
            return frozenset({_State(_NEVER, grads=None)})
        if any(stage[0] in event.subjects for state in states for stage in state.stages):
            return frozenset(
                replace(
                    state, stages=frozenset(stage for stage in state.stages if stage[0] not in event.subjects)
                )
                for state in states
            )
        return states

    def _backward(self, event: Event, state: _State) -> _State:
        if event.other != self.ref:
            return replace(state, grads=_MIXED, plain=event)
        return replace(state, grads=_MIXED if state.grads == _MIXED else event)

    def _call(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        name, _, half = event.name.partition(" ")
        match name:
            case "scale":
                return frozenset(replace(state, scale=_DONE) for state in states)
            case "unscale_" | "step":
                self._in_turn(name, event, states)
                backwards = _all_scaled(states)
                if half and backwards:
                    self._report(FaultKind.SCALER_HALF, event, ("backward", min(backwards, key=text_order)))
                stage, grads = ("stepped", None) if name == "step" else ("unscaled", _MIXED)
                return frozenset(
                    replace(state.at(event.other, stage, event), scale=_DONE, grads=grads)
                    if event.other
                    else replace(state, scale=_DONE, grads=grads)
                    for state in states
                )
            case "update":
                self._never_scaled(event, states)
                return frozenset(replace(state, scale=_DONE, stages=frozenset()) for state in states)
            case "get_scale":
                return frozenset(replace(state, grads=_MIXED) for state in states)
        return frozenset({_State(grads=_MIXED)})

    def _in_turn(self, name: str, event: Event, states: frozenset[_State]) -> None:
        if self._never_scaled(event, states) or not event.other:
            return
        refused = ("stepped",) if name == "step" else ("stepped", "unscaled")
        stages = [reached for state in states if (reached := state.stage(event.other)) is not None]
        if len(stages) == len(states) and all(stage in refused for stage, _ in stages):
            stage, before = min(stages, key=lambda one: (one[0], text_order(one[1])))
            self._report(FaultKind.SCALER_STAGE, event, ("before", before), ("stage", stage))

    def _never_scaled(self, event: Event, states: frozenset[_State]) -> bool:
        if any(state.scale != _NEVER for state in states):
            return False
        plain = (state.plain for state in states if state.plain is not None)
        backward = min(plain, key=text_order, default=None)
        self._report(FaultKind.SCALER_UNSCALED, event, ("backward", backward))
        return True

    def _on_scaled(self, kind: FaultKind, event: Event, states: frozenset[_State]) -> None:
        backwards = _all_scaled(states)
        if not backwards:
            if any(state.grads != _OUTSIDE for state in states):
                self.innocent.add((kind, *place(event)))
            return
        backward = min(backwards, key=text_order)
        step = next((other for other in events(self.trace) if self._steps(other, event)), None)
        updates = any(
            other.kind is EventKind.SCALER and other.name == "update" and self.ref in other.subjects
            for other in events(self.trace)
        )
        self._report(kind, event, ("backward", backward), ("step", step), ("updates", updates))

    def _steps(self, event: Event, clip: Event) -> bool:
        """Returns whether an event is a step of the scaler that comes after the clipping."""
        is_step = (
            event.kind is EventKind.SCALER and event.name.startswith("step") and self.ref in event.subjects
        )
        return is_step and (event.path != clip.path or event.start > clip.start)

    def _report(self, kind: FaultKind, event: Event, *data: tuple[str, object]) -> None:
        known = (("call", event), *data, ("scaler", self.ref), ("trace", self.trace))
        self.found.setdefault((kind, *place(event)), Fault(
            kind, event.start, event.end, event.name.partition(" ")[0], known, self.assumptions, path=event.path,
            call_chain=self.flow.chain,
        ))  # fmt: skip


def _faults(analysis: Analysis, kind: FaultKind) -> Iterator[Fault]:
    """Yields the faults of one kind, of all scalers that may be enabled."""
    found: dict[_Key, Fault] = {}
    innocent: set[_Key] = set()
    for root in analysis.roots if analysis.scalers else ():
        used = {
            ref for event in events(root.trace) if event.kind is EventKind.SCALER for ref in event.subjects
        }
        for ref in sorted(used):
            enabled, cuda = analysis.scalers.get(ref, (Tri.UNKNOWN, False))
            if enabled is Tri.NO:
                continue
            assumptions = {"scaler"} if enabled is Tri.UNKNOWN else {"cuda"} if cuda else set()
            walk = _ScalerWalk(ref, root.trace, frozenset(assumptions))
            walk.flow.run(root.trace, frozenset({_State()}))
            innocent |= walk.innocent
            for key, fault in walk.found.items():
                found.setdefault(key, fault)
    yield from (fault for key, fault in found.items() if key[0] is kind and key not in innocent)


def clips_of_scaled_gradients(analysis: Analysis) -> Iterator[Fault]:
    """Yields the clipping of gradients that are, on every path, still multiplied by the scale."""
    return _faults(analysis, FaultKind.CLIP_SCALED)


def steps_on_scaled_gradients(analysis: Analysis) -> Iterator[Fault]:
    """Yields the steps of optimizers without the scaler on gradients that are multiplied by the scale."""
    return _faults(analysis, FaultKind.STEP_SCALED)


def calls_without_scaling(analysis: Analysis) -> Iterator[Fault]:
    """Yields the calls of a scaler that has, on every path, scaled nothing since its creation."""
    return _faults(analysis, FaultKind.SCALER_UNSCALED)


def calls_at_wrong_stage(analysis: Analysis) -> Iterator[Fault]:
    """Yields the calls of `step` and `unscale_` that the scaler refuses before its next update."""
    return _faults(analysis, FaultKind.SCALER_STAGE)


def half_precision_gradients(analysis: Analysis) -> Iterator[Fault]:
    """Yields the calls in which a scaler has to unscale gradients of half precision."""
    return _faults(analysis, FaultKind.SCALER_HALF)
