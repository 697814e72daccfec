"""Checks that training loops clear gradients between one step and the next, and not before a step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts.values import OptimizerValue
from torchlsp.interp.checks.training import manual_optimization
from torchlsp.interp.model.trace_flow import Place, events, text_order
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

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


class GradientOwner(Protocol):
    """What steps on gradients that are followed: an optimizer, known or not, or a manual update."""

    @property
    def ref(self) -> str:
        """The subject of its steps."""

    @property
    def label(self) -> str:
        """What the user calls it."""

    def may_touch(self, event: Event) -> bool:
        """Returns whether an unknown call, or the naming of a `.grad`, may change these gradients."""

    def clears(self, event: Event) -> bool:
        """Returns whether a clearing call may clear any of these gradients."""

    def clears_all(self, event: Event) -> bool:
        """Returns whether a clearing call certainly clears all of these gradients."""

    def makes(self, event: Event) -> bool:
        """Returns whether an event creates the owner, or modules whose gradients these are."""


@dataclass(frozen=True, slots=True)
class MissingClear:
    """An optimizer that steps in a loop in which nothing clears its gradients.

    `plain`: no backward, step or clearing call stands under a test, so the clearing call can go first in its body.
    `chain`: the calls through which backward is reached.
    """

    optimizer_label: str
    optimizer_ref: str
    backward: Event
    step: Event
    loop: LoopItem
    plain: bool
    assumptions: frozenset[str] = frozenset()
    chain: tuple[CallItem, ...] = ()
    watched: GradientOwner | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class EarlyClear:
    """Gradients that are cleared after backward and before the step that should use them, in `trace`."""

    clear: Event
    backward: Event
    step: Event
    optimizer_label: str
    watched: GradientOwner | None = field(default=None, compare=False)
    trace: tuple[Item, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class FollowedOptimizer:
    """A known optimizer whose gradients are followed.

    `escaped`: it is passed to something unknown somewhere.  `covering`: other optimizers that own all that it owns.
    `perhaps`: others that may, because what they own is not known.
    """

    ref: str
    optimizer: OptimizerValue
    escaped: bool
    covering: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        return self.optimizer.label

    def may_touch(self, event: Event) -> bool:
        """Returns whether an unknown call may change these gradients, by the optimizer or modules that it is
        passed."""
        if event.kind is EventKind.GRADIENT:
            return False  # mostly gradients are only read, clipped or added to
        if self.escaped or self.ref in event.subjects:
            return True
        owned = self.optimizer.owns
        return bool(event.subjects) if owned is None else bool(owned & event.subjects)

    def clears(self, event: Event) -> bool:
        """Returns whether this may clear the optimizer's gradients, as zero_grad of a module may that owns
        any."""
        if not event.subjects or self.ref in event.subjects:
            return True
        if event.name == "optimizer.zero_grad":
            return bool((self.covering | self.perhaps) & event.subjects)
        return self.optimizer.owns is None or bool(self.optimizer.owns & event.subjects)

    def clears_all(self, event: Event) -> bool:
        """Returns whether this certainly clears all of the optimizer's gradients."""
        owned = self.optimizer.owns
        return bool((self.covering | {self.ref}) & event.subjects) or (
            owned is not None and bool(event.subjects) and owned <= event.subjects
        )

    def makes(self, event: Event) -> bool:
        """Returns whether this creates the optimizer, or modules that it owns."""
        return self.ref in event.subjects or bool((self.optimizer.owns or frozenset()) & event.subjects)


def missing_clears(analysis: Analysis) -> list[MissingClear]:
    """Returns loops in which no path from one step of an optimizer to its next clears added gradients."""
    by_clear: dict[tuple[str | None, int, str], MissingClear] = {}
    for loop, watched in stepping_loops(analysis):
        miss = missing_clear(loop, watched)
        if miss is not None:
            key = (miss.backward.path, miss.backward.start, miss.optimizer_label)
            shortest = by_clear.get(key)
            if shortest is None or len(miss.chain) < len(shortest.chain):
                by_clear[key] = miss
    return list(by_clear.values())


def stepping_loops(analysis: Analysis) -> Iterator[tuple[LoopItem, FollowedOptimizer]]:
    """Yields each known optimizer that steps, with the innermost loop around the step that has a backward."""
    for root in analysis.roots:
        escaped: frozenset[str] | None = None
        for loop, ref in steps_in_loops((*root.trace, *manual_optimization.iterations(analysis, root))):
            if ref in analysis.optimizers:
                if escaped is None:
                    escaped = _passed_to_unknown(root.trace)
                yield loop, _watched(analysis, ref, escaped)


def steps_in_loops(trace: tuple[Item, ...]) -> Iterator[tuple[LoopItem, str]]:
    """Yields the subject of each step, with the innermost loop around it that has a backward."""
    for loop in _loops(trace):
        for ref in _stepped(loop):
            yield loop, ref


def _passed_to_unknown(trace: tuple[Item, ...]) -> frozenset[str]:
    """Returns what is passed to something unknown anywhere in a trace: any later unknown call may clear its gradients."""
    return frozenset(
        ref for event in events(trace) if event.kind is EventKind.UNKNOWN_CALL for ref in event.subjects
    )


def _watched(analysis: Analysis, ref: str, escaped: frozenset[str]) -> FollowedOptimizer:
    optimizer = analysis.optimizers[ref]
    covering = {
        other
        for other, one in analysis.optimizers.items()
        if other != ref and optimizer.owns and one.owns and optimizer.owns <= one.owns
    }
    perhaps = {
        other
        for other, one in analysis.optimizers.items()
        if other != ref and optimizer.owns is None is one.owns and not _differ(optimizer, one)
    }
    return FollowedOptimizer(ref, optimizer, ref in escaped, frozenset(covering), frozenset(perhaps))


def _differ(optimizer: OptimizerValue, other: OptimizerValue) -> bool:
    """Returns whether two optimizers own parameters of two different arguments."""
    return bool(optimizer.unseen and other.unseen) and optimizer.unseen != other.unseen


def _loops(items: tuple[Item, ...]) -> Iterator[LoopItem]:
    """Yields every loop of a trace, outer ones first."""
    for item in items:
        match item:
            case LoopItem(body=body):
                yield item
                yield from _loops(body)
            case BranchItem(body=body, orelse=orelse):
                yield from _loops(body)
                yield from _loops(orelse)
            case CallItem(body=body) | IterationItem(body=body):
                yield from _loops(body)


def _stepped(loop: LoopItem) -> list[str]:
    """Returns the subjects of the steps whose innermost loop with a backward this is."""
    refs: dict[str, None] = {}

    def visit(items: tuple[Item, ...]) -> None:
        for item in items:
            match item:
                case Event(kind=EventKind.STEP | EventKind.UNSEEN_STEP, subjects=subjects):
                    refs.update(dict.fromkeys(sorted(subjects)))
                case BranchItem(body=body, orelse=orelse):
                    visit(body)
                    visit(orelse)
                case CallItem(body=body) | IterationItem(body=body):
                    visit(body)
                case LoopItem(body=body) if not any(
                    event.kind is EventKind.BACKWARD for event in events(body)
                ):
                    visit(body)  # `for optimizer in optimizers: optimizer.step()`

    visit(loop.body)
    return list(refs)


# What may be true of an optimizer's gradients at one point of a loop.
_START, _STEPPED, _ADDED, _CLEARED, _MAYBE = "start", "stepped", "added", "cleared", "maybe"


@dataclass(slots=True)
class _UnclearedWalk:
    """Follows the gradients of one owner through a loop's body, to find steps on gradients that were not cleared."""

    watched: GradientOwner
    uncleared: list[tuple[Event, Event]] = field(default_factory=list)
    """(backward, step) pairs where gradients from before the previous step were still there."""
    cleared: bool = False
    backward: Event | None = None
    chain: tuple[CallItem, ...] = ()
    calls: list[CallItem] = field(default_factory=list)
    special: bool = False
    steps: int = 0

    def run(
        self, items: tuple[Item, ...], states: frozenset[str]
    ) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
        """Returns the states at the end of the items, and at the exits out of them."""
        exits: dict[str, frozenset[str]] = {}
        for item in items:
            if not states:
                break
            match item:
                case Event():
                    states = frozenset(self.after(item, state) for state in states)
                case Exit(kind=kind):
                    exits[kind] = exits.get(kind, frozenset()) | states
                    states = frozenset()
                case BranchItem(body=body, orelse=orelse):
                    first, left = self.run(body, states)
                    second, right = self.run(orelse, states)
                    states = first | second
                    for part in (left, right):
                        for kind, reached in part.items():
                            exits[kind] = exits.get(kind, frozenset()) | reached
                case LoopItem(body=body):
                    once, inner = self.run(body, states)
                    again, more = self.run(body, once | inner.get("continue", frozenset()) | states)
                    states = states | once | again
                    for part in (inner, more):
                        for kind, reached in part.items():
                            if kind in ("break", "continue"):
                                states |= reached
                            else:
                                exits[kind] = exits.get(kind, frozenset()) | reached
                case IterationItem(body=body):
                    states, inner = self.run(body, states)
                    states |= inner.pop("continue", frozenset())
                    for kind, reached in inner.items():
                        exits[kind] = exits.get(kind, frozenset()) | reached
                case CallItem(body=body):
                    self.calls.append(item)
                    states, inner = self.run(body, states)
                    states |= inner.get("return", frozenset())
                    if "raise" in inner:
                        exits["raise"] = exits.get("raise", frozenset()) | inner["raise"]
                    self.calls.pop()
        return states, exits

    def after(self, event: Event, state: str) -> str:
        """Returns the state after an event."""
        match event.kind:
            case EventKind.BACKWARD:
                if event.name == "inputs":
                    self.special = True
                    return _MAYBE
                self.backward, self.chain = event, tuple(self.calls)
                return _ADDED if state in (_STEPPED, _ADDED) else state
            case EventKind.STEP | EventKind.UNSEEN_STEP if self.watched.ref in event.subjects:
                self.steps += 1
                self.special = self.special or event.name == "closure"
                if state == _ADDED and self.backward is not None:
                    self.uncleared.append((self.backward, event))
                elif state in (_CLEARED, _MAYBE):
                    self.cleared = True
                return _STEPPED
            case EventKind.ZERO_GRAD:
                if self.watched.clears(event):
                    return _CLEARED if event.subjects else _MAYBE
            case EventKind.MADE if self.watched.makes(event):
                return _CLEARED
            case EventKind.UNKNOWN_CALL | EventKind.GRADIENT if self.watched.may_touch(event):
                return _MAYBE
        return state


def missing_clear(loop: LoopItem, watched: GradientOwner) -> MissingClear | None:
    """Returns the missing clear of one loop for one owner of gradients, if there is one."""
    walk = _UnclearedWalk(watched)
    states = frozenset({_START})
    for _ in range(3):
        end, exits = walk.run(loop.body, states)
        states = states | end | exits.get("return" if loop.called else "continue", frozenset())
    if not walk.uncleared or walk.cleared:
        return None
    backward, step = walk.uncleared[0]
    plain = (
        not walk.special
        and walk.steps > 0
        and not any(isinstance(item, BranchItem) and _trains(item) for item in loop.body)
    )
    label = step.label or watched.label
    return MissingClear(label, watched.ref, backward, step, loop, plain, frozenset(), walk.chain, watched)


def _trains(branch: BranchItem) -> bool:
    """Returns whether something that adds gradients, steps on them or clears them stands under a test."""
    kinds = (EventKind.BACKWARD, EventKind.STEP, EventKind.UNSEEN_STEP, EventKind.ZERO_GRAD)
    return any(event.kind in kinds for event in events((branch,)))


# ---- zero_grad between backward and step ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Gradients:
    """The state of the gradients: `clear` is set if it has cleared what `backward` added and nothing was added since.

    `maybe`: they may be in another state.
    """

    backward: Event | None = None
    clear: Event | None = None
    maybe: bool = False


def clears_before_step(analysis: Analysis) -> list[EarlyClear]:
    """Returns the steps before which, on every path, the gradients are cleared after the last backward."""
    found: dict[Place, EarlyClear] = {}
    innocent: set[Place] = set()
    for root in analysis.roots:
        stepped = dict.fromkeys(
            ref
            for event in events(root.trace)
            if event.kind is EventKind.STEP
            for ref in sorted(event.subjects)
        )
        # Of a long trace, most is nothing to any optimizer.
        followed: dict[bool, tuple[Item, ...]] = {}
        escaped = _passed_to_unknown(root.trace) if stepped else frozenset[str]()
        for ref in stepped:
            if ref not in analysis.optimizers:
                continue
            watched = _watched(analysis, ref, escaped)
            if watched.escaped not in followed:
                followed[watched.escaped] = _followed(root.trace, watched.escaped)
            walk = _EarlyClearWalk(watched, root.trace)
            walk.run(followed[watched.escaped], frozenset({_Gradients()}))
            innocent |= walk.innocent
            for key, early in walk.found.items():
                found.setdefault(key, early)
    return [early for key, early in found.items() if key not in innocent]


_FOLLOWED = frozenset({EventKind.BACKWARD, EventKind.STEP, EventKind.ZERO_GRAD, EventKind.UNKNOWN_CALL})


def _followed(items: tuple[Item, ...], escaped: bool) -> tuple[Item, ...]:
    """Returns the items of a trace that may matter to the gradients of an optimizer, and those that leave the path.

    An unknown call that is passed nothing matters only to an optimizer that has `escaped`; of unknown calls with the same
    subjects in a row the first says all.
    """
    kept: list[Item] = []
    last: frozenset[str] | None = None
    for item in items:
        match item:
            case Event(kind=EventKind.UNKNOWN_CALL, subjects=subjects):
                if escaped or subjects:
                    if last is None or not escaped and subjects != last:
                        kept.append(item)
                    last = subjects
                continue
            case Event(kind=kind):
                if kind not in _FOLLOWED:
                    continue
                kept.append(item)
            case Exit():
                kept.append(item)
            case BranchItem(body=body, orelse=orelse):
                body, orelse = _followed(body, escaped), _followed(orelse, escaped)
                if not body and not orelse:
                    continue
                kept.append(replace(item, body=body, orelse=orelse))
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                body = _followed(body, escaped)
                if not body:
                    continue
                kept.append(replace(item, body=body))
        last = None
    return tuple(kept)


@dataclass(slots=True)
class _EarlyClearWalk:
    """Follows the gradients of one optimizer through a trace, to find steps on gradients that have just been cleared."""

    watched: FollowedOptimizer
    trace: tuple[Item, ...]
    found: dict[Place, EarlyClear] = field(default_factory=dict)
    innocent: set[Place] = field(default_factory=set)

    def run(
        self, items: tuple[Item, ...], states: frozenset[_Gradients]
    ) -> tuple[frozenset[_Gradients], dict[str, frozenset[_Gradients]]]:
        """Returns the states at the end of the items, and at the exits out of them."""
        exits: dict[str, frozenset[_Gradients]] = {}
        for item in items:
            if not states:
                break
            match item:
                case Event():
                    states = self.after(item, states)
                case Exit(kind=kind):
                    exits[kind] = exits.get(kind, frozenset()) | states
                    states = frozenset()
                case BranchItem(body=body, orelse=orelse):
                    first, left = self.run(body, states)
                    second, right = self.run(orelse, states)
                    states = first | second
                    for part in (left, right):
                        for kind, reached in part.items():
                            exits[kind] = exits.get(kind, frozenset()) | reached
                case LoopItem(body=body):
                    for _ in range(2):
                        before = states
                        end, inner = self.run(body, states)
                        states = states | end
                        for kind, reached in inner.items():
                            if kind in ("break", "continue"):
                                states = states | reached
                            else:
                                exits[kind] = exits.get(kind, frozenset()) | reached
                        if states == before:
                            break
                case IterationItem(body=body):
                    states, inner = self.run(body, states)
                    states = states | inner.get("continue", frozenset())
                case CallItem(body=body):
                    states, inner = self.run(body, states)
                    states = states | inner.get("return", frozenset())
        return states, exits

    def after(self, event: Event, states: frozenset[_Gradients]) -> frozenset[_Gradients]:
        """Returns the states after an event."""
        match event.kind:
            case EventKind.BACKWARD:
                return frozenset({_Gradients(event)})
            case EventKind.STEP if self.watched.ref in event.subjects:
                key = (event.path, event.start, event.end)
                if any(
                    state.backward is not None and state.clear is None and not state.maybe for state in states
                ):
                    self.innocent.add(key)
                    return frozenset({_Gradients()})
                cleared = [
                    (state.clear, state.backward)
                    for state in states
                    if state.clear is not None and state.backward is not None and not state.maybe
                ]
                if len(cleared) == len(states):
                    clear, backward = min(
                        cleared, key=lambda pair: (text_order(pair[0]), text_order(pair[1]))
                    )
                    label = event.label or self.watched.optimizer.label
                    early = EarlyClear(clear, backward, event, label, self.watched, self.trace)
                    self.found.setdefault(key, early)
                return frozenset({_Gradients()})
            case EventKind.ZERO_GRAD if self.watched.clears(event):
                certain = self.watched.clears_all(event)
                return frozenset(
                    _Gradients(
                        state.backward,
                        event if state.backward and certain else None,
                        not certain or state.maybe,
                    )
                    for state in states
                )
            case EventKind.UNKNOWN_CALL if self.watched.may_touch(event):
                # a function that gets hold of the model or the optimizer may run backward
                return frozenset(_Gradients(state.backward, state.clear, True) for state in states)
        return states
