"""Reports weights that only some ranks change after DistributedDataParallel has made them equal on all ranks.

The wrapper sends rank 0's weights to all ranks when it is built; later it averages gradients, never weights, so a later
change stays on its rank.  Only changes before training, or of weights that all ranks use, are reported: weights that rank 0
loads after training, to evaluate them, are harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import Condition
from torchlsp.interp.checks.distributed.collective_divergence import MAX_RANKS, Rank, holds_on, tested_ranks
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

_MINE, _THEIRS = "mine", "theirs"
_BOTH = frozenset({_MINE, _THEIRS})
_CHANGES = (EventKind.WRITE, EventKind.LOADED)
_SAME_EVERYWHERE = frozenset(
    {"barrier", "forward", "backward", "destroy_process_group", "init_process_group"}
)
"""Collectives that do not send weights; destroying the group ends them all."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """An event, the ranks that may reach it, the tests of ranks before it, and the calls that lead to it."""

    event: Event
    sides: frozenset[str]
    tests: tuple[BranchItem, ...]
    calls: tuple[CallItem, ...]


@dataclass(slots=True)
class _TwoRankWalk:
    """Follows one rank and another through a trace; loops are followed once."""

    mine: Rank
    theirs: Rank
    seen: list[_Visit] = field(default_factory=list)
    tests: list[BranchItem] = field(default_factory=list)
    calls: list[CallItem] = field(default_factory=list)

    def block(self, items: tuple[Item, ...], sides: frozenset[str]) -> frozenset[str]:
        """Returns the ranks that may reach the end of the items."""
        kept = len(self.tests)
        for item in items:
            if not sides:
                break
            match item:
                case Event():
                    self.seen.append(_Visit(item, sides, tuple(self.tests), tuple(self.calls)))
                case Exit():
                    sides = frozenset()
                case BranchItem(condition=condition) if condition is not None and condition.kind == "rank":
                    sides = self.rank_branch(item, condition, sides)
                case BranchItem(body=body, orelse=orelse):
                    sides = self.block(body, sides) | self.block(orelse, sides)
                case LoopItem(body=body) | IterationItem(body=body):
                    self.block(body, sides)
                case CallItem(body=body):
                    self.calls.append(item)
                    self.block(body, sides)
                    self.calls.pop()
        del self.tests[kept:]
        return sides

    def rank_branch(self, item: BranchItem, condition: Condition, sides: frozenset[str]) -> frozenset[str]:
        """Follows a test of ranks; it stays on the stack if only some of the ranks reach its end."""
        holds = {_MINE: holds_on(condition, self.mine), _THEIRS: holds_on(condition, self.theirs)}
        self.tests.append(item)
        body = self.block(item.body, frozenset(one for one in sides if holds[one] is not False))
        orelse = self.block(item.orelse, frozenset(one for one in sides if holds[one] is not True))
        reached = body | orelse
        if reached == sides:
            self.tests.pop()
        return reached


def find_rank_local_writes(analysis: Analysis) -> Iterator[Fault]:
    """Yields the writes to weights on some ranks that nothing makes equal again."""
    if not analysis.replicated:
        return
    found: dict[tuple[str | None, int, int], Fault] = {}
    for root in analysis.roots:
        if not any(event.kind in _CHANGES and event.label for event in events(root.trace)):
            continue
        numbers = tested_ranks(root.trace)
        if numbers is None:
            continue
        other = Rank(next(i for i in range(len(numbers) + 2) if i not in numbers), False)
        for number in sorted(numbers or {-1})[:MAX_RANKS]:
            walk = _TwoRankWalk(Rank(number, True), other)
            ends = walk.block(root.trace, _BOTH)
            is_whole = root.name == "<module>" and _THEIRS in ends
            for index, one in enumerate(walk.seen):
                if _is_fault(analysis, walk.seen, index, is_whole):
                    found.setdefault(place(one.event), _fault(analysis, one, root.trace))
    yield from found.values()


def _is_fault(analysis: Analysis, seen: list[_Visit], index: int, is_whole: bool) -> bool:
    """Returns whether an event is a write to weights on one rank that harms the training."""
    one = seen[index]
    event = one.event
    if event.kind not in _CHANGES or not event.label or one.sides != {_MINE} or not one.tests:
        return False
    refs = event.subjects
    start = _wrapping(analysis, seen, refs)
    if start is None or any(_is_training(other.event) for other in seen[:index]):
        return False
    harmed = next(
        (i for i in range(index, len(seen)) if _is_training(seen[i].event) and seen[i].sides == _BOTH), None
    )
    if harmed is None and (not is_whole or event.kind is EventKind.LOADED):
        return False
    for position, other in enumerate(seen):
        if _unites(other.event, refs, position, start, index, harmed):
            return False
        if index < position < (len(seen) if harmed is None else harmed) and _is_unknown_call(other):
            return False
        if other.event.kind in _CHANGES and _compensates(event, other, position > index):
            return False
    return True


def _wrapping(analysis: Analysis, seen: list[_Visit], refs: frozenset[str]) -> int | None:
    """Returns where the module is wrapped: -1 if that was before the trace, None if it happens several times."""
    places = [
        index
        for index, one in enumerate(seen)
        if one.event.kind is EventKind.COLLECTIVE
        and analysis.replicated.get(place(one.event), frozenset()) & refs
    ]
    return -1 if not places else places[0] if len({place(seen[i].event) for i in places}) == 1 else None


def _is_training(event: Event) -> bool:
    return event.kind in (EventKind.BACKWARD, EventKind.STEP, EventKind.UNSEEN_STEP)


def _is_unknown_call(one: _Visit) -> bool:
    """Returns whether an event is an unknown call that the other ranks run too: it may send weights."""
    return one.event.kind is EventKind.UNKNOWN_CALL and _THEIRS in one.sides


def _unites(
    event: Event, refs: frozenset[str], position: int, start: int, index: int, harmed: int | None
) -> bool:
    """Returns whether an event may make the weights equal on all ranks."""
    match event.kind:
        case EventKind.UNKNOWN_CALL:
            return bool(event.subjects & refs)
        case EventKind.EXCHANGE:
            return position > start
        case EventKind.COLLECTIVE if event.name == "destroy_process_group":
            return position < index
        case EventKind.COLLECTIVE if "gather" in event.name and harmed is not None and position > harmed:
            return False  # the weights are compared
        case EventKind.COLLECTIVE:
            return position > start and event.name not in _SAME_EVERYWHERE
    return False


def _compensates(event: Event, other: _Visit, is_later: bool) -> bool:
    """Returns whether another change is on the other ranks too, or may restore the weights."""
    if not other.event.subjects & event.subjects or place(other.event) == place(event):
        return False
    if _THEIRS in other.sides and (other.event.label or other.event.kind is EventKind.WRITE):
        return True
    if event.kind is EventKind.LOADED:
        return other.event.kind is EventKind.LOADED
    return is_later and other.event.kind is EventKind.LOADED or other.event.name == event.name


def _fault(analysis: Analysis, one: _Visit, trace: tuple[Item, ...]) -> Fault:
    event, test = one.event, one.tests[-1]
    condition = test.condition
    assumptions = frozenset({"convention"} if condition is not None and condition.convention else ())
    path, start, end = next(key for key, refs in analysis.replicated.items() if refs & event.subjects)
    data = (
        ("call", event), ("condition", condition), ("test", Origin(test.start, test.end, "if", (), test.path)),
        ("wrapped", Origin(start, end, "wrapped", (), path)), ("trace", trace),
    )  # fmt: skip
    chain = tuple((call.path, call.start, call.end, call.name) for call in one.calls)
    return Fault(
        FaultKind.RANK_WRITE,
        event.start,
        event.end,
        event.label,
        data,
        assumptions,
        path=event.path,
        call_chain=chain,
    )
