"""Detects modules that predict or are exported in training mode, or are trained in evaluation mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks.modules.training_mode import TrainingModes
from torchlsp.interp.model.trace_flow import Chain, Flow, Place, events, place, text_order
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem

_MAX_WITNESSES = 3
_UNKNOWN, _FRESH, _TRAIN, _TRAINED, _LOADED, _EVAL = "unknown", "fresh", "train", "trained", "loaded", "eval"
_UNDONE = "undone"
"""The mode of a layer: not known; training since its creation; set to training; training, and the model has been trained, or its
weights loaded, since; evaluation; set to training after an eval() in which nothing ran."""
_TRAINING = frozenset({_FRESH, _TRAIN, _TRAINED, _LOADED, _UNDONE})
_State = tuple[str, Event | None]


@dataclass(slots=True)
class _Visit:
    """A call of a module in one iteration: `turns` are the iterations of the loops around it, counted from 0."""

    event: Event
    states: frozenset[_State]
    turns: tuple[int, ...]
    loops: tuple[LoopItem, ...]
    chain: Chain


@dataclass(slots=True)
class _LayerModeWalk:
    """Follows one layer's mode through a trace; `owners` are the modules that run it."""

    layer: str
    owners: frozenset[str]
    flow: Flow = field(init=False)
    visits: list[_Visit] = field(default_factory=list)
    used: set[Place] = field(default_factory=set)
    """The calls of eval() after which the layer ran in evaluation mode."""
    switches: dict[tuple[Place, int], dict[int, frozenset[_State]]] = field(default_factory=dict)
    """The states before each call of eval(), by its place and the loop around it, and by the iteration."""

    def __post_init__(self) -> None:
        self.flow = Flow(self.after, counts=True)

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        match event.kind:
            case EventKind.FORWARD if self.layer in event.subjects:
                self.used |= {place(one) for mode, one in states if mode == _EVAL and one is not None}
                self.visits.append(
                    _Visit(event, states, tuple(self.flow.turns), tuple(self.flow.loops), self.flow.chain)
                )
            case EventKind.MADE | EventKind.BUILT if self.layer in event.subjects:
                return frozenset({(_FRESH, None)})
            case EventKind.EVAL | EventKind.TRAIN if not event.subjects or self.layer in event.subjects:
                if event.name or not event.subjects:
                    return frozenset({(_UNKNOWN, None)})
                if event.kind is EventKind.EVAL and self.flow.loops:
                    at = self.switches.setdefault((place(event), id(self.flow.loops[-1])), {})
                    at[self.flow.turns[-1]] = at.get(self.flow.turns[-1], frozenset()) | states
                if event.kind is EventKind.EVAL:
                    return frozenset({(_EVAL, event)})
                return frozenset(
                    (_UNDONE if self._is_undone(event, *state) else _TRAIN, event) for state in states
                )
            case EventKind.UNKNOWN_CALL if self.layer in event.subjects or self.owners & event.subjects:
                return frozenset({(_UNKNOWN, None)})
            case EventKind.STEP:
                return frozenset(
                    (_TRAINED, one) if mode in _TRAINING else (mode, one) for mode, one in states
                )
            case EventKind.LOADED if self.layer in event.subjects:
                return frozenset((_LOADED, one) if mode in _TRAINING else (mode, one) for mode, one in states)
        return states

    def _is_undone(self, event: Event, mode: str, before: Event | None) -> bool:
        """Returns whether a call of train() ends an evaluation mode of the same modules in which nothing ran."""
        if mode == _UNDONE:
            return True
        if mode != _EVAL or before is None or place(before) in self.used:
            return False
        return before.subjects == event.subjects


_Answer = tuple[_Visit, bool, tuple[tuple[str, object], ...]]
"""A call of a module, whether it is a fault, and what the rule needs to know of it."""


def _walks(trace: tuple[Item, ...], calls: list[Event]) -> Iterator[_LayerModeWalk]:
    """Yields a walk for each of a few layers of each module that is called."""
    owners: dict[str, set[str]] = {}
    chosen: dict[str, dict[str, None]] = {}
    for event in calls:
        for layer in sorted(event.subjects):
            owners.setdefault(layer, set()).add(event.other)
            witnesses = chosen.setdefault(event.other, {})
            if len(witnesses) < _MAX_WITNESSES:
                witnesses[layer] = None
    for layer in dict.fromkeys(layer for witnesses in chosen.values() for layer in witnesses):
        walk = _LayerModeWalk(layer, frozenset(owners[layer]))
        walk.flow.run(trace, frozenset({(_UNKNOWN, None)}))
        yield walk


def _faults(
    analysis: Analysis,
    kind: FaultKind,
    wanted: str,
    of_walk: Callable[[_LayerModeWalk], Iterator[_Answer]],
) -> Iterator[Fault]:
    """Yields the calls named `wanted` that are a fault in all runs in which the mode is known."""
    found: dict[Place, Fault] = {}
    innocent: set[Place] = set()
    for root in analysis.roots if analysis.states[TrainingModes].layers else ():
        calls = [event for event in events(root.trace) if event.kind is EventKind.FORWARD]
        if not any(event.name == wanted for event in calls):
            continue
        for walk in _walks(root.trace, calls):
            for visit, guilty, data in of_walk(walk):
                key = place(visit.event)
                if not guilty:
                    if any(mode != _UNKNOWN for mode, _ in visit.states):
                        innocent.add(key)
                    continue
                what = (
                    *data,
                    ("layer", analysis.states[TrainingModes].layers[walk.layer]),
                    ("ref", walk.layer),
                    ("trace", root.trace),
                )
                found.setdefault(key, Fault(
                    kind, visit.event.start, visit.event.end, "forward", (("call", visit.event), *what),
                    path=visit.event.path, call_chain=visit.chain,
                ))  # fmt: skip
    yield from (fault for key, fault in found.items() if key not in innocent)


# ---- predictions in training mode -----------------------------------------------------------------------------------------


def predictions_in_training_mode(analysis: Analysis) -> Iterator[Fault]:
    """Yields predictions, which compute no gradients, of modules in training mode on every path there."""
    return _faults(analysis, FaultKind.EVALUATED_IN_TRAINING, "no_grad", _predictions)


def _predictions(walk: _LayerModeWalk) -> Iterator[_Answer]:
    seen: set[tuple[str, str]] = set()
    for visit in walk.visits:
        if visit.event.name != "no_grad":
            continue
        modes, asked = {mode for mode, _ in visit.states}, (visit.event.other, visit.event.label)
        guilty = modes <= _TRAINING and (
            modes == {_UNDONE}
            or _in_evaluation_loop(visit, modes)
            or _after_training(visit, modes)
            or _asked_twice(visit, modes, seen)
        )
        seen.add(asked)
        again = any(_trains(loop.body) for loop in visit.loops)
        alone = visit.loops and not _trains(visit.loops[-1].body)
        undone = min(
            (one for mode, one in visit.states if mode == _UNDONE and one), key=text_order, default=None
        )
        yield (
            visit,
            guilty,
            (("again", again), ("loop", visit.loops[-1] if alone else None), ("undone", undone)),
        )


def _in_evaluation_loop(visit: _Visit, modes: set[str]) -> bool:
    """Returns whether the call is in a loop over data that trains nothing, without train() called just for
    that."""
    if not visit.loops or modes == {_TRAIN} or visit.event.label.startswith("new"):
        return False
    loop = visit.loops[-1]
    return not loop.counted and not _trains(loop.body)


def _after_training(visit: _Visit, modes: set[str]) -> bool:
    """Returns whether the model is trained or loaded before the call, which is outside of what trains it."""
    if not modes & {_TRAINED, _LOADED} or visit.event.label.startswith("new"):
        return False
    return not visit.loops or not visit.loops[-1].counted and not _trains_directly(visit.loops[-1].body)


def _asked_twice(visit: _Visit, modes: set[str], seen: set[tuple[str, str]]) -> bool:
    """Returns whether the same input is passed for the second time to a module whose mode was never set."""
    known = visit.event.label.removeprefix("new ") != ""
    return modes == {_FRESH} and known and not visit.loops and (visit.event.other, visit.event.label) in seen


def _trains(items: tuple[Item, ...]) -> bool:
    return any(event.kind in (EventKind.BACKWARD, EventKind.STEP) for event in events(items))


def _trains_directly(items: tuple[Item, ...]) -> bool:
    """Returns whether there is a backward or a step that is in no loop of its own."""
    for item in items:
        match item:
            case Event(kind=EventKind.BACKWARD | EventKind.STEP):
                return True
            case BranchItem(body=body, orelse=orelse):
                if _trains_directly(body) or _trains_directly(orelse):
                    return True
            case CallItem(body=body) | IterationItem(body=body):
                if _trains_directly(body):
                    return True
    return False


# ---- exports in training mode --------------------------------------------------------------------------------------------


def exports_in_training_mode(analysis: Analysis) -> Iterator[Fault]:
    """Yields exports of modules whose mode was never set, or that were trained last."""
    return _faults(analysis, FaultKind.EXPORTED_IN_TRAINING, "export", _exports)


def _exports(walk: _LayerModeWalk) -> Iterator[_Answer]:
    for visit in walk.visits:
        if visit.event.name == "export":
            modes = {mode for mode, _ in visit.states}
            # train() right before the export is on purpose
            yield visit, modes <= _TRAINING and modes != {_TRAIN}, ()


# ---- training in evaluation mode ------------------------------------------------------------------------------------------


def training_in_evaluation_mode(analysis: Analysis) -> Iterator[Fault]:
    """Yields calls of modules in training mode in a loop's first iteration, in evaluation mode afterwards."""
    return _faults(analysis, FaultKind.TRAINED_IN_EVALUATION, "grad", _left_in_evaluation)


def _stays_from_the_first(walk: _LayerModeWalk, first: _Visit) -> bool:
    """Returns whether eval() in the first iteration ends what train() before the loop began, and the loop trains on in that mode."""
    loop = first.loops[-1]
    if {mode for mode, _ in first.states} != {_EVAL} or any(first.turns) or not _trains_directly(loop.body):
        return False
    before = [walk.switches.get((place(event), id(loop))) for _, event in first.states if event is not None]
    return bool(before) and all(
        states is not None
        and {mode for mode, _ in states.get(0, ())} == {_TRAIN}
        and {mode for mode, _ in states.get(1, ())} <= {_EVAL}
        for states in before
    )


def _left_in_evaluation(walk: _LayerModeWalk) -> Iterator[_Answer]:
    calls: dict[tuple[Place, Chain], list[_Visit]] = {}
    for visit in walk.visits:
        if visit.loops and visit.event.name == "grad":
            calls.setdefault((place(visit.event), visit.chain), []).append(visit)
    for visits in calls.values():
        first, later = visits[0], [visit for visit in visits if visit.turns[0]]
        if all(mode == _UNKNOWN for mode, _ in first.states):
            continue  # a function that is run as a root: what happened before is not known
        begins = not any(first.turns) and {mode for mode, _ in first.states} <= _TRAINING
        at_once = not begins and _stays_from_the_first(walk, first)
        for visit in later:
            guilty = (begins or at_once) and {mode for mode, _ in visit.states} == {_EVAL}
            switches = (event for mode, event in visit.states if mode == _EVAL and event is not None)
            switched = min(switches, key=text_order, default=None)
            yield visit, guilty, (("eval", switched), ("loop", visit.loops[0]), ("at_once", at_once))
