"""Reports weights that only some ranks change after DistributedDataParallel has made them equal on all ranks.

The wrapper sends rank 0's weights to all ranks when it is built; later it averages gradients, never weights, so a later
change stays on its rank.  Changes are reported before training, or if all ranks use the weights.  Weights that rank 0 loads
after training, to evaluate them, are harmless.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.core.records import dataclass, field
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
_WEIGHT_CHANGES = (EventKind.WRITE, EventKind.LOADED)
_SENDS_NO_WEIGHTS = frozenset(
    {"barrier", "forward", "backward", "destroy_process_group", "init_process_group"}
)
"""Collectives that do not send weights; destroying the group ends them all."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """An event, the ranks that may reach it, the tests of ranks before it, and the calls that lead to it."""

    event: Event
    ranks: frozenset[str]
    tests: tuple[BranchItem, ...]
    calls: tuple[CallItem, ...]


@dataclass(slots=True)
class _TwoRankWalk:
    """Follows one rank and another through a trace; loops are followed once."""

    mine: Rank
    theirs: Rank
    visits: list[_Visit] = field(default_factory=list)
    tests: list[BranchItem] = field(default_factory=list)
    calls: list[CallItem] = field(default_factory=list)

    def follow(self, items: tuple[Item, ...], ranks: frozenset[str]) -> frozenset[str]:
        """Follows the items in order, and returns the ranks that may reach their end."""
        tests_before = len(self.tests)
        for item in items:
            if not ranks:
                break
            match item:
                case Event():
                    self.visits.append(_Visit(item, ranks, tuple(self.tests), tuple(self.calls)))
                case Exit():
                    ranks = frozenset()
                case BranchItem(condition=condition) if condition is not None and condition.kind == "rank":
                    ranks = self.follow_rank_test(item, condition, ranks)
                case BranchItem(body=body, orelse=orelse):
                    ranks = self.follow(body, ranks) | self.follow(orelse, ranks)
                case LoopItem(body=body) | IterationItem(body=body):
                    self.follow(body, ranks)
                case CallItem(body=body):
                    self.calls.append(item)
                    self.follow(body, ranks)
                    self.calls.pop()
        del self.tests[tests_before:]
        return ranks

    def follow_rank_test(
        self, item: BranchItem, condition: Condition, ranks: frozenset[str]
    ) -> frozenset[str]:
        """Follows both branches of a test of ranks, and returns the ranks that may reach its end.

        The test stays in `tests` if only some of the ranks reach its end.
        """
        holds = {_MINE: holds_on(condition, self.mine), _THEIRS: holds_on(condition, self.theirs)}
        self.tests.append(item)
        body = self.follow(item.body, frozenset(rank for rank in ranks if holds[rank] is not False))
        orelse = self.follow(item.orelse, frozenset(rank for rank in ranks if holds[rank] is not True))
        at_end = body | orelse
        if at_end == ranks:
            self.tests.pop()
        return at_end


def find_rank_local_writes(analysis: Analysis) -> Iterator[Fault]:
    """Yields a fault for each write on some ranks to weights that are not made equal again."""
    if not analysis.replicated:
        return
    faults: dict[tuple[str | None, int, int], Fault] = {}
    for root in analysis.roots:
        if not any(event.kind in _WEIGHT_CHANGES and event.label for event in events(root.trace)):
            continue
        numbers = tested_ranks(root.trace)
        if numbers is None:
            continue
        other = Rank(next(number for number in range(len(numbers) + 2) if number not in numbers), False)
        for number in sorted(numbers or {-1})[:MAX_RANKS]:
            walk = _TwoRankWalk(Rank(number, True), other)
            at_end = walk.follow(root.trace, _BOTH)
            is_whole_run = root.name == "<module>" and _THEIRS in at_end
            for index, visit in enumerate(walk.visits):
                if _is_fault(analysis, walk.visits, index, is_whole_run):
                    faults.setdefault(place(visit.event), _fault(analysis, visit, root.trace))
    yield from faults.values()


def _is_fault(analysis: Analysis, visits: list[_Visit], index: int, is_whole_run: bool) -> bool:
    """Returns whether an event is a write to weights on one rank that harms the training."""
    visit = visits[index]
    event = visit.event
    if event.kind not in _WEIGHT_CHANGES or not event.label or visit.ranks != {_MINE} or not visit.tests:
        return False
    refs = event.subjects
    wrapped = _wrapping_index(analysis, visits, refs)
    if wrapped is None or any(_is_training(other.event) for other in visits[:index]):
        return False
    trained = next(
        (i for i in range(index, len(visits)) if _is_training(visits[i].event) and visits[i].ranks == _BOTH),
        None,
    )
    if trained is None and (not is_whole_run or event.kind is EventKind.LOADED):
        return False
    for position, other in enumerate(visits):
        if _may_synchronise(other.event, refs, position, wrapped, index, trained):
            return False
        if index < position < (len(visits) if trained is None else trained) and _is_unknown_call(other):
            return False
        if other.event.kind in _WEIGHT_CHANGES and _may_compensate(event, other, position > index):
            return False
    return True


def _wrapping_index(analysis: Analysis, visits: list[_Visit], refs: frozenset[str]) -> int | None:
    """Returns the index of the event that wraps the module.

    It is -1 if the module was wrapped before the trace, and None if several calls wrap it.
    """
    indices = [
        index
        for index, visit in enumerate(visits)
        if visit.event.kind is EventKind.COLLECTIVE
        and analysis.replicated.get(place(visit.event), frozenset()) & refs
    ]
    if not indices:
        return -1
    return indices[0] if len({place(visits[i].event) for i in indices}) == 1 else None


def _is_training(event: Event) -> bool:
    return event.kind in (EventKind.BACKWARD, EventKind.STEP, EventKind.UNSEEN_STEP)


def _is_unknown_call(visit: _Visit) -> bool:
    """Returns whether an event is an unknown call that the other ranks run too: it may send weights."""
    return visit.event.kind is EventKind.UNKNOWN_CALL and _THEIRS in visit.ranks


def _may_synchronise(
    event: Event, refs: frozenset[str], position: int, wrapped: int, changed: int, trained: int | None
) -> bool:
    """Returns whether the event number `position` may make the weights equal on all ranks.

    `wrapped`, `changed` and `trained` are the numbers of the events that wrap, change and train the module.
    """
    match event.kind:
        case EventKind.UNKNOWN_CALL:
            return bool(event.subjects & refs)
        case EventKind.EXCHANGE:
            return position > wrapped
        case EventKind.COLLECTIVE if event.name == "destroy_process_group":
            return position < changed
        case EventKind.COLLECTIVE if "gather" in event.name and trained is not None and position > trained:
            return False  # the weights are compared
        case EventKind.COLLECTIVE:
            return position > wrapped and event.name not in _SENDS_NO_WEIGHTS
    return False


def _may_compensate(event: Event, other: _Visit, is_later: bool) -> bool:
    """Returns whether the change `other` runs on the other ranks too, or may restore the weights."""
    if not other.event.subjects & event.subjects or place(other.event) == place(event):
        return False
    if _THEIRS in other.ranks and (other.event.label or other.event.kind is EventKind.WRITE):
        return True
    if event.kind is EventKind.LOADED:
        return other.event.kind is EventKind.LOADED
    return is_later and other.event.kind is EventKind.LOADED or other.event.name == event.name


def _fault(analysis: Analysis, visit: _Visit, trace: tuple[Item, ...]) -> Fault:
    event, test = visit.event, visit.tests[-1]
    condition = test.condition
    assumptions = frozenset({"convention"} if condition is not None and condition.convention else ())
    # A write has a label only if its module was wrapped, and is then among the replicated.
    path, start, end = next(call for call, refs in analysis.replicated.items() if refs & event.subjects)
    data = (
        ("call", event), ("condition", condition), ("test", Origin(test.start, test.end, "if", (), test.path)),
        ("wrapped", Origin(start, end, "wrapped", (), path)), ("trace", trace),
    )  # fmt: skip
    chain = tuple((call.path, call.start, call.end, call.name) for call in visit.calls)
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
