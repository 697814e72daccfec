"""Compares the collectives of ranks: the trace is projected to one rank and to another, and the projections are compared.

Of a test on which all ranks agree both paths are kept side by side; of a test of ranks each projection takes its own path,
early exits included.  A projection is a tree of steps; two ranks whose trees agree can meet in every collective.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import Condition
from torchlsp.interp.model.trace_flow import events
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


@dataclass(frozen=True, slots=True)
class Divergence:
    """A collective that some ranks run and others do not.

    `kind`: branch (it is in the branch), exit (other ranks have left before it), helper (it is reached through a call
    under the test), hidden (the call runs a collective inside).  `at` is where to report: the collective, or the call under
    the test.  `chain` are the calls between the deciding test and the collective.  `test` is where the condition is tested;
    its own source may be in a helper.  `trace` is the whole trace, and `alongside` are the other collectives in it that the
    same ranks run without the others.
    """

    kind: str
    collective: Event
    condition: Condition
    exit: Exit | None
    chain: tuple[CallItem, ...]
    at: tuple[int, int]
    path: str | None
    assumptions: frozenset[str] = frozenset()
    test: Origin | None = None
    trace: tuple[Item, ...] = field(default=(), compare=False)
    alongside: tuple[Event, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank: its number, and whether tests of unknown ranks hold for it."""

    number: int
    holds: bool


@dataclass(frozen=True, slots=True)
class _Step:
    """A collective that one rank runs, with the deciding tests and the calls that lead to it."""

    event: Event
    deciders: tuple[tuple[BranchItem, int, Exit | None], ...]
    """(test, number of calls entered before it, the exit by which other ranks left)"""
    calls: tuple[CallItem, ...]

    @property
    def key(self) -> tuple[str, frozenset[int] | str | None]:
        return (self.event.name, self.event.group)


@dataclass(frozen=True, slots=True)
class _Either:
    """A test on which all ranks agree, and the steps of both paths."""

    test: tuple[int, int]
    body: _Steps
    orelse: _Steps
    exits: tuple[str | None, str | None] = (None, None)
    """The kinds of exit at the ends of the paths."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop, and the steps of one iteration."""

    body: _Steps
    left: bool
    """Whether this rank leaves the loop early by a test of ranks."""
    endless: bool = False


_Node = Union[_Step, _Either, _Loop]
_Steps = tuple[_Node, ...]


MAX_RANKS = 8
"""The number of ranks named in one function's tests that are compared."""
MAX_PAIRS = 2_500
"""The number of pairs of collectives of two ranks up to which they are aligned."""


def divergences(analysis: Analysis) -> list[Divergence]:
    """Returns the collectives that not all ranks run, in any function or in the module's body."""
    by_place: dict[tuple[str | None, tuple[int, int]], Divergence] = {}
    for root_trace in whole_traces(analysis):
        numbers = tested_ranks(root_trace)
        if numbers is None or _has_partial_group(root_trace) or _has_gaps(root_trace):
            continue
        other = Rank(next(i for i in range(len(numbers) + 2) if i not in numbers), False)
        handed = {event.name for event in events(root_trace) if event.kind is EventKind.HANDED}
        for number in sorted(numbers or {-1})[:MAX_RANKS]:
            for divergence in _compare(root_trace, Rank(number, True), other):
                if any(call.name in handed for call in divergence.chain):
                    continue
                key = (divergence.path, divergence.at)
                shortest = by_place.get(key)
                if shortest is None or len(divergence.chain) < len(shortest.chain):
                    by_place[key] = divergence
    return list(by_place.values())


def whole_traces(analysis: Analysis) -> list[tuple[Item, ...]]:
    """Returns the traces of all roots; those of a context manager's `__enter__` and `__exit__` are one."""
    leaving = {root.name: root.trace for root in analysis.roots if root.name.endswith(".__exit__")}
    traces = [root.trace for root in analysis.roots if not root.name.endswith((".__enter__", ".__exit__"))]
    for root in analysis.roots:
        if root.name.endswith(".__enter__"):
            traces.append(root.trace + leaving.pop(root.name.removesuffix("__enter__") + "__exit__", ()))
    return traces + list(leaving.values())


def tested_ranks(items: tuple[Item, ...]) -> set[int] | None:
    """Returns the numbers of ranks for which tests ask; None if no test is of ranks."""
    numbers: set[int] = set()
    asked = False
    stack: list[Item] = list(items)
    while stack:
        item = stack.pop()
        match item:
            case BranchItem(condition=condition, body=body, orelse=orelse):
                stack.extend((*body, *orelse))
                if condition is not None and condition.kind == "rank":
                    asked = True
                    numbers |= condition.ranks or set()
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                stack.extend(body)
    return numbers if asked else None


def _has_partial_group(items: tuple[Item, ...], under_test: bool = False) -> bool:
    """Returns whether only some ranks create a default group of a given size. Its collectives are theirs
    alone."""
    for item in items:
        match item:
            case Event(name="init_process_group", group="unknown") if under_test:
                return True
            case BranchItem(condition=condition, body=body, orelse=orelse):
                inner = under_test or (condition is not None and condition.kind == "rank")
                if _has_partial_group(body, inner) or _has_partial_group(orelse, inner):
                    return True
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                if _has_partial_group(body, under_test):
                    return True
    return False


def _has_gaps(items: tuple[Item, ...], some_ranks: bool = False) -> bool:
    """Returns whether collectives of single ranks may be missing in the trace.

    What all ranks hand to unknown code is the same for all; `some_ranks` is whether only some of them run these items.
    """
    for item in items:
        match item:
            case Event(kind=EventKind.UNFOLLOWED):
                return True
            case Event(kind=EventKind.HANDED, name="") if some_ranks:
                return True
            case BranchItem(condition=condition, body=body, orelse=orelse):
                of_rank = condition is not None and condition.kind == "rank"
                if any(_has_gaps(path, some_ranks or of_rank) for path in (body, orelse)):
                    return True
                if of_rank and any(isinstance(last, Exit) for path in (body, orelse) for last in path[-1:]):
                    some_ranks = True
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                if _has_gaps(body, some_ranks):
                    return True
    return False


def holds_on(condition: Condition, rank: Rank) -> bool | None:
    """Returns whether the test holds on this rank; None if it depends on what is equal on all ranks."""
    if condition.ranks is None:
        answer: bool | None = rank.holds
    else:
        answer = rank.number in condition.ranks
    if condition.mixed == "and" and answer:
        answer = None
    elif condition.mixed == "or" and not answer:
        answer = None
    return answer if answer is None else answer != condition.negated


class _Projection:
    """Projects a trace to the steps of one rank, while another one runs, too."""

    def __init__(self, rank: Rank, other: Rank) -> None:
        self.rank = rank
        self.other = other
        self.calls: list[CallItem] = []
        self.deciders: list[tuple[BranchItem, int, Exit | None]] = []
        self.assumed: dict[str, bool] = {}
        """The truth values, on the present path, of names on which all ranks agree."""

    def path(self, items: tuple[Item, ...], assumed: dict[str, bool]) -> tuple[_Steps, str | None]:
        """Projects a block under the truth values of its path."""
        before = self.assumed
        self.assumed = before | assumed
        try:
            return self.block(items)
        finally:
            self.assumed = before

    def block(self, items: tuple[Item, ...], end: str | None = None) -> tuple[_Steps, str | None]:
        """Returns the steps of a block, and the kind of exit that this rank certainly takes at its end.

        `end` is the exit that reaching the end amounts to: `return` in a function, `continue` in a loop.
        """
        steps: list[_Node] = []
        deciders = len(self.deciders)
        left: str | None = None
        try:
            for item in items:
                left = self.item(item, steps)
                if left is not None:
                    break
            if end is not None and left in (None, end):
                _join_forks(steps, end)
            return tuple(steps), left
        finally:
            del self.deciders[deciders:]

    def item(self, item: Item, steps: list[_Node]) -> str | None:
        """Appends the steps of an item, and returns the kind of exit that this rank certainly takes in it."""
        match item:
            case Event(kind=EventKind.COLLECTIVE):
                if self.takes_part(item):
                    steps.append(_Step(item, tuple(self.deciders), tuple(self.calls)))
            case Exit(kind=kind):
                return kind
            case BranchItem(condition=condition) if condition is not None and condition.kind == "rank":
                return self.rank_branch(item, condition, steps)
            case BranchItem(names=((name, holds),), joined="", body=body, orelse=orelse) if (
                name in self.assumed
            ):
                inner, left = self.block(body if self.assumed[name] is holds else orelse)
                steps.extend(inner)
                return left
            case BranchItem(start=start, end=end, body=body, orelse=orelse):
                first, left = self.path(body, _agreed(item, True))
                second, right = self.path(orelse, _agreed(item, False))
                if first or second or left or right:
                    if first == second and left == right:
                        steps.extend(first)
                    elif first or second:
                        steps.append(_Either((start, end), first, second, (left, right)))
                return left if left is not None and left == right else None
            case LoopItem(body=body):
                inner, left = self.block(body, "continue")
                if inner:
                    steps.append(_Loop(inner, left in ("break", "return", "raise"), item.endless))
                return left if left in ("return", "raise") and item.endless else None
            case IterationItem(body=body):
                deciders = list(self.deciders)
                inner, left = self.block(body, "continue")
                self.deciders = deciders
                steps.extend(inner)
                return None if left == "continue" else left
            case CallItem(body=body):
                self.calls.append(item)
                deciders = list(self.deciders)
                inner, left = self.block(body, "return")
                self.calls.pop()
                self.deciders = deciders
                steps.extend(inner)
                return "raise" if left == "raise" else None
        return None

    def rank_branch(self, item: BranchItem, condition: Condition, steps: list[_Node]) -> str | None:
        """Takes this rank's path of a test of ranks; an exit of the other rank decides what follows."""
        mine, theirs = holds_on(condition, self.rank), holds_on(condition, self.other)
        self.deciders.append((item, len(self.calls), None))
        if mine is None:
            first, left = self.path(item.body, _agreed(item, True))
            second, right = self.path(item.orelse, _agreed(item, False))
            self.deciders.pop()
            if first or second:
                steps.append(_Either((item.start, item.end), first, second, (left, right)))
            out = left if left is not None and left == right else None
        else:
            inner, out = self.block(item.body if mine else item.orelse)
            self.deciders.pop()
            steps.extend(inner)
        if theirs is not None and mine is not theirs:
            gone = exit_of(item.body if theirs else item.orelse)
            if gone is not None and out is None:
                self.deciders.append((item, len(self.calls), gone))
        return out

    def takes_part(self, event: Event) -> bool:
        """Returns whether both ranks are in the group of a collective. Of an unknown group nothing is known.

        Whether ending a group waits for the others depends on the backend: gloo does not.
        """
        if event.group == "unknown" or event.name == "destroy_process_group":
            return False
        if isinstance(event.group, frozenset):
            return self.rank.number in event.group and self.other.number in event.group
        return True


def _agreed(item: BranchItem, holds: bool) -> dict[str, bool]:
    """Returns the truth values of the names in a test where it holds or does not, on every rank."""
    names = dict(name for name in item.names if name is not None)
    if item.joined == ("or" if holds else "and"):
        # One of two operands decides, and the rank is not the one.
        is_rank = item.condition is not None and item.condition.kind == "rank"
        if not is_rank or len(item.names) != 2 or len(names) != 1:
            return {}
    return {name: truth is holds for name, truth in names.items()}


def exit_of(items: tuple[Item, ...]) -> Exit | None:
    """Returns the exit in which items certainly end."""
    for item in items:
        match item:
            case Exit():
                return item
            case BranchItem(body=body, orelse=orelse):
                first, second = exit_of(body), exit_of(orelse)
                if first is not None and second is not None:
                    return first
    return None


def _compare(trace: tuple[Item, ...], one: Rank, two: Rank) -> Iterator[Divergence]:
    left, _ = _Projection(one, two).block(trace, "return")
    right, _ = _Projection(two, one).block(trace, "return")
    for steps in _unmatched(left, right):
        for step in steps:
            divergence = _divergence(step)
            if divergence is not None:
                others = tuple(one.event for one in steps if one.event is not step.event)
                yield replace(divergence, trace=trace, alongside=others)


def _agree(a: _Node, b: _Node) -> bool:
    """Returns whether two ranks meet in all collectives of two steps."""
    match a, b:
        case _Step(), _Step():
            return a.key == b.key
        case _Either(), _Either():
            # Two tests may well agree: `if rank != 0 and not done: barrier()` and `if rank == 0 and not done: barrier()`.
            # So may a test and its opposite.
            same = _same(a.body, b.body) and _same(a.orelse, b.orelse)
            return same or _same(a.body, b.orelse) and _same(a.orelse, b.body)
        case _Loop(), _Loop():
            return a.left == b.left and _same(a.body, b.body)
    return False


def _same(a: _Steps, b: _Steps) -> bool:
    a, b = _without_idle_tests(a, b), _without_idle_tests(b, a)
    return len(a) == len(b) and all(_agree(x, y) for x, y in zip(a, b))


def _without_idle_tests(steps: _Steps, others: _Steps) -> _Steps:
    """Returns steps with one path of each test whose paths meet the same collectives, if the others lack the test."""
    tests = {other.test for other in others if isinstance(other, _Either)}
    kept: list[_Node] = []
    for step in steps:
        if isinstance(step, _Either) and step.test not in tests and step.exits[0] == step.exits[1]:
            one_way = _without_idle_tests(step.body, others)
            if _same(one_way, step.orelse):
                kept.extend(one_way)
                continue
        kept.append(step)
    return tuple(kept)


def _join_forks(steps: list[_Node], end: str) -> None:
    """Moves what both paths of `if …: barrier(); return` before `barrier()` end with out of the test."""
    for index in reversed(range(len(steps))):
        fork = steps[index]
        if isinstance(fork, _Either) and set(fork.exits) == {None, end}:
            rest = tuple(steps[index + 1 :])
            first, second = (
                (*path, *rest) if left is None else path
                for path, left in zip((fork.body, fork.orelse), fork.exits)
            )
            alike = 0
            while alike < min(len(first), len(second)) and _agree(first[-1 - alike], second[-1 - alike]):
                alike += 1
            if alike:
                own = [path[: len(path) - alike] for path in (first, second)]
                steps[index:] = first[len(first) - alike :]
                if any(own):
                    steps.insert(index, _Either(fork.test, own[0], own[1]))


def _unmatched(left: _Steps, right: _Steps) -> list[list[_Step]]:
    """Returns, for each side, the collectives without a counterpart: those between a common beginning and end."""
    left, right = _without_idle_tests(left, right), _without_idle_tests(right, left)
    start = 0
    while start < len(left) and start < len(right) and _agree(left[start], right[start]):
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and _agree(left[-1 - end], right[-1 - end]):
        end += 1
    a, b = left[start : len(left) - end], right[start : len(right) - end]
    if not a and not b:
        return []
    if len(a) == 1 and len(b) == 1:
        match a[0], b[0]:
            case (_Either() as one, _Either() as other) if one.test == other.test:
                return _unmatched(one.body, other.body) + _unmatched(one.orelse, other.orelse)
            case (_Loop(left=x, body=body), _Loop(left=y, body=others)) if x == y:
                return _unmatched(body, others)
    if _serves(a, b) or _serves(b, a):
        return []
    decided = [[step for step in _steps(side) if step.deciders] for side in (a, b)]
    return decided if any(decided) else _left_over(left, right)


def _left_over(left: _Steps, right: _Steps) -> list[list[_Step]]:
    """Returns the collectives without a counterpart in the best alignment, if all of them are under tests.

    A collective is rather aligned with the same call than with another of its name: of `if rank == 0: all_reduce(a)` and
    a later `all_reduce(b)` the first one is left over.
    """
    if len(left) * len(right) > MAX_PAIRS:
        return []
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, one in reversed(tuple(enumerate(left))):
        for j, other in reversed(tuple(enumerate(right))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + _likeness(one, other))
    alone: tuple[list[_Node], list[_Node]] = ([], [])
    i = j = 0
    while i < len(left) and j < len(right):
        alike = _likeness(left[i], right[j])
        if alike and best[i][j] == best[i + 1][j + 1] + alike:
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            alone[0].append(left[i])
            i += 1
        else:
            alone[1].append(right[j])
            j += 1
    alone[0].extend(left[i:])
    alone[1].extend(right[j:])
    found = [list(_steps(tuple(side))) for side in alone]
    return found if all(step.deciders for side in found for step in side) else []


def _likeness(one: _Node, other: _Node) -> int:
    """Returns the score of aligning two steps: 0 if they do not agree."""
    if not _agree(one, other):
        return 0
    return 3 if _places((one,)) == _places((other,)) else 2


def _places(items: _Steps) -> list[tuple[object, ...]]:
    """Returns the places of the collectives, and of the calls that lead to them."""
    return [
        (step.event.path, step.event.start, *((call.path, call.start) for call in step.calls))
        for step in _steps(items)
    ]


def _serves(a: _Steps, b: _Steps) -> bool:
    """Returns whether one side waits in `while True:` for what the other sends, as often as that does."""
    sent = {step.key for step in _steps(b)}
    return any(isinstance(one, _Loop) and one.endless and next(_steps(one.body)).key in sent for one in a)


def _steps(items: _Steps) -> Iterator[_Step]:
    """Yields all collectives of a tree, in order."""
    for item in items:
        match item:
            case _Step():
                yield item
            case _Either(body=body, orelse=orelse):
                yield from _steps(body)
                yield from _steps(orelse)
            case _Loop(body=body):
                yield from _steps(body)


def _divergence(step: _Step) -> Divergence | None:
    """Returns the divergence that the last deciding test of a step is."""
    branch, depth, gone = step.deciders[-1]
    condition = branch.condition
    if condition is None:
        return None
    chain = step.calls[depth:]
    if step.event.hidden:
        kind = "hidden"
    elif chain:
        kind = "helper"
    else:
        kind = "exit" if gone is not None else "branch"
    place: CallItem | Event = chain[0] if chain else step.event
    assumptions: frozenset[str] = frozenset({"convention"} if condition.convention else ())
    if gone is not None and gone.kind == "raise" and condition.ranks is None:
        return None
    test = Origin(branch.start, branch.end, "if", (), branch.path)
    return Divergence(
        kind, step.event, condition, gone, chain, (place.start, place.end), place.path, assumptions, test
    )
