"""Finds the statement at which two ranks parted: the one that alone can have led them to different collectives."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Literal

from torchlsp.core.records import dataclass
from torchlsp.hang.dumps import Dump, Frame, Record
from torchlsp.hang.flow import BODY, CASE, END, FALSE, RAISE, TRUE, TooLarge
from torchlsp.hang.matching import Difference
from torchlsp.hang.orders import AFTER, CALL, RECORDS, SKIP, NoSource, Orders, Running, Stack, State
from torchlsp.hang.ranks import SAME, UNKNOWN, OnRank
from torchlsp.hang.sources import Sources, called_inside, own_frames

Kind = Literal["if", "while", "for", "try", "match", "assert", "call", "expression", "blocking"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A statement at which ranks may have parted. `first_way` and `second_way`: how each went on there; empty where both ways lead to it."""

    file: str
    path: str
    line: int
    kind: Kind
    text: str
    first_way: str = ""
    second_way: str = ""
    is_of_rank: bool = False
    """Whether its test is one of the rank, and sends the two ranks as the dumps show."""
    is_same: bool = False
    """Whether its test is known to be the same on all ranks."""


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two ranks parted. `before` is the last collective that both have begun at the same place.

    `branches` are those that can explain it, one if `is_sure`; without any, `why_not` says why. `second` is None where the rank
    has recorded nothing since.
    """

    ranks: tuple[int, int]
    before: Record | None
    first: Record
    second: Record | None
    branches: tuple[Branch, ...] = ()
    is_sure: bool = False
    why_not: str = ""
    blocking: tuple[Branch, ...] = ()
    """Calls that may wait for other ranks, and that the recorder has no record of."""


def part(dumps: dict[int, Dump], difference: Difference, sources: Sources) -> Parting | None:
    """Returns where the ranks of a difference parted; None where they were at the same place."""
    first, second = _two_ranks(difference)
    if first is None or second is None:
        return None
    one, other = dumps[first], dumps[second]
    either = [_fork(one, other, difference, is_strict) for is_strict in (False, True)]
    forks = [fork for fork in dict.fromkeys(either) if fork is not None]
    if not forks:
        return None
    ranks = (first, second)
    recording = [record for dump in dumps.values() for record in dump.records]
    found = _nothing(ranks, forks[0], "")
    for fork in forks:
        try:
            said, is_closed = _search(ranks, fork, recording, sources, difference, len(dumps))
        except (NoSource, TooLarge) as problem:
            return _nothing(ranks, fork, str(problem) or "the functions between the two places are too large")
        except RecursionError:
            return _nothing(ranks, fork, "the source is nested too deep")
        found = _both(found, said) if found.branches else said
        if is_closed:
            break
    return found


def _nothing(ranks: tuple[int, int], fork: Fork, why_not: str) -> Parting:
    return Parting(ranks, fork.before, fork.first, fork.second, why_not=why_not)


def _both(late: Parting, early: Parting) -> Parting:
    """Returns what may explain the ways of two ranks that may have met again, and may not."""
    known = {(one.file, one.line) for one in late.branches}
    branches = (*late.branches, *(one for one in early.branches if (one.file, one.line) not in known))
    sure = late.is_sure and len(branches) == 1
    return Parting(late.ranks, late.before, late.first, late.second, branches, sure, "", late.blocking)


def _two_ranks(difference: Difference) -> tuple[int | None, int | None]:
    """Returns a rank of the larger part, and one of the other."""
    ways: dict[object, list[int]] = {}
    for rank, record in difference.records.items():
        ways.setdefault(
            None if record is None else (record.operation, record.inputs, record.frames), []
        ).append(rank)
    if len(ways) < 2:
        return None, None
    there = sorted(
        (ranks for way, ranks in ways.items() if way is not None), key=lambda one: (-len(one), one[0])
    )
    return there[0][0], difference.absent[0] if difference.absent else there[1][0]


@dataclass(frozen=True, slots=True)
class Fork:
    """The last collective that two ranks have begun together, and what each has begun after it first at another place than the
    other. The second rank's place in the collective may be another one."""

    before: Record | None
    before_second: Record | None
    first: Record
    second: Record | None


def _fork(one: Dump, other: Dump, difference: Difference, is_strict: bool) -> Fork | None:
    """Returns where two ranks parted after the last collective that they have begun together, at the same place if `is_strict`."""
    theirs = {
        (record.group, record.sequence): (index, record)
        for index, record in enumerate(other.records)
        if not record.is_point_to_point
    }
    end = next(
        (
            index
            for index, record in enumerate(one.records)
            if (record.group, record.sequence) == (difference.group, difference.sequence)
            and not record.is_point_to_point
        ),
        len(one.records),
    )
    mine_at, their_at = 0, 0
    before: tuple[Record | None, Record | None] = (None, None)
    for index in range(end - 1, -1, -1):
        record = one.records[index]
        found = None if record.is_point_to_point else theirs.get((record.group, record.sequence))
        if found is not None and found[1].operation == record.operation:
            if found[1].frames == record.frames or not is_strict:
                mine_at, their_at, before = index + 1, found[0] + 1, (record, found[1])
                break
    rest = other.records[their_at:]
    for index, record in enumerate(one.records[mine_at:]):
        if index >= len(rest):
            return Fork(*before, record, None)
        if rest[index].frames != record.frames:
            return Fork(*before, record, rest[index])
        before = record, rest[index]
    return None


def _search(
    ranks: tuple[int, int],
    fork: Fork,
    recording: Iterable[Record],
    sources: Sources,
    difference: Difference,
    world: int,
) -> tuple[Parting, bool]:
    """Returns what can have led the ranks apart, and whether they must have been on one way until then."""
    mine, theirs = fork.first, fork.second
    if not mine.frames or (theirs is not None and not theirs.frames):
        raise NoSource("the dumps have no stacks there")
    begins = [one for one in (fork.before, fork.before_second) if one is not None]
    own = [_own(record.frames) for record in (mine, theirs or mine, *begins)]
    if theirs is not None and _places(own[0]) == _places(own[1]):
        raise NoSource("they are at the same line of your code and at different ones of a library")
    if any(not stack for stack in own):
        raise NoSource("no file of your own is on the stacks there")
    orders = Orders(sources, own, _direct(recording))
    starts = [orders.at(2, AFTER), orders.at(3, AFTER)] if begins else [orders.entries(0), orders.entries(1)]
    after = orders.explore([*starts[0], *starts[1]])
    mine_after, theirs_after = (_reached(after, one) for one in starts)
    goals = set(orders.at(0, RECORDS)) & mine_after
    if not goals:
        raise NoSource("no way through the source leads there: it may be another version")
    blocking: list[State] = []
    if theirs is None:
        blocking = [state for state in after if state in theirs_after and orders.is_unrecorded(state)]
        others = (set(orders.ends) & theirs_after) | set(blocking)
    else:
        others = set(orders.at(1, RECORDS)) & theirs_after
    to_first, to_second = _leading(after, goals), _leading(after, others)
    common = mine_after & theirs_after
    # They may not have met before one of them was there.
    is_closed = starts[0] == starts[1] or not (
        goals & _reached(after, starts[0], common) or others & _reached(after, starts[1], common)
    )
    branches: dict[tuple[str, int, str], tuple[Branch, State, set[tuple[str, str]]]] = {}
    for state, following in after.items():
        pairs = {
            (left, right)
            for left, one in following
            for right, other in following
            if one != other and one in to_first and other in to_second
            if one not in to_second or other not in to_first
        }
        if pairs and state in common:
            branch = _branch(orders, state, pairs)
            key = (branch.file, branch.line, branch.kind)
            if key in branches:
                pairs |= branches[key][2]
            branches[key] = (branch, state, pairs)
    judged = [
        one
        for branch, state, pairs in branches.values()
        if (one := _judged(branch, orders.running[state[0]], state, pairs, difference, world)) is not None
    ]
    waiting = dict.fromkeys(_of_statement(orders.running[state[0]], state, "blocking") for state in blocking)
    return _concluded(_nothing(ranks, fork, ""), judged, tuple(waiting)), is_closed


def _reached(
    after: dict[State, list[tuple[str, State]]], begin: Iterable[State], without: Iterable[State] = ()
) -> set[State]:
    """Returns the states that can be reached, without passing some."""
    found: set[State] = set()
    left = set(without)
    stack = [one for one in begin if one not in left]
    while stack:
        state = stack.pop()
        if state not in found:
            found.add(state)
            stack.extend(one for _, one in after.get(state, ()) if one not in left)
    return found


def _concluded(found: Parting, judged: list[Branch], waiting: tuple[Branch, ...]) -> Parting:
    candidates = [one for one in judged if not one.is_same]
    of_rank = [one for one in candidates if one.is_of_rank]
    if len(of_rank) == 1:
        candidates = of_rank
    elif not of_rank and waiting and found.second is None:
        candidates.extend(waiting)
    candidates.sort(key=lambda one: (one.file, one.line))
    # Without a record of what the other rank did, it may as well have stopped on the way.
    is_sure = len(candidates) == 1 and (found.second is not None or bool(of_rank))
    why = ""
    if not candidates:
        why = "no test between the two places can have led them apart"
        if found.second is None:
            why = f"rank {found.ranks[1]} has stopped on the way, in a call that waits or by an exception"
    return Parting(
        found.ranks, found.before, found.first, found.second, tuple(candidates), is_sure, why, waiting
    )


def _leading(after: dict[State, list[tuple[str, State]]], goals: set[State]) -> set[State]:
    """Returns the states from which a goal can be reached."""
    back: dict[State, list[State]] = {}
    for state, following in after.items():
        for _, one in following:
            back.setdefault(one, []).append(state)
    found, stack = set(goals), list(goals)
    while stack:
        for one in back.get(stack.pop(), ()):
            if one not in found:
                found.add(one)
                stack.append(one)
    return found


def _branch(orders: Orders, state: State, pairs: set[tuple[str, str]]) -> Branch:
    running = orders.running[state[0]]
    if any(RAISE in pair for pair in pairs):
        caught = _catching(orders, state)
        if caught is not None:
            where, line = orders.running[caught[0]], caught[1].lineno
            return Branch(where.file, where.source.path, line, "try", where.source.text(line))
    labels = {label for pair in pairs for label in pair}
    statement = running.flow.nodes[state[1]].statement
    kind: Kind = "if"
    if labels & {SKIP}:
        kind = "expression"
    elif labels <= {CALL, "return"}:
        kind = "call"
    elif isinstance(statement, ast.For | ast.AsyncFor):
        kind = "for"
    elif isinstance(statement, ast.While):
        kind = "while"
    elif isinstance(statement, ast.Assert):
        kind = "assert"
    elif labels & {CASE}:
        kind = "match"
    return _of_statement(running, state, kind)


def _of_statement(running: Running, state: State, kind: Kind) -> Branch:
    line = running.flow.nodes[state[1]].first
    return Branch(running.file, running.source.path, line, kind, running.source.text(line))


def _catching(orders: Orders, state: State) -> tuple[int, ast.stmt] | None:
    """Returns the statement that catches what is raised in a state, and the function that has it."""
    index = state[0]
    nodes: tuple[int, ...] = (state[1],)
    while True:
        running = orders.running[index]
        for node in nodes:
            caught = running.flow.nodes[node].caught_by
            if caught is not None:
                return index, caught
        if running.caller is None:
            return None
        index, nodes = running.caller, running.called_at


_WAYS = {
    TRUE: "true",
    FALSE: "false",
    BODY: "again",
    END: "ended",
    RAISE: "raised",
    CALL: "called",
    SKIP: "skipped",
}


def _judged(
    branch: Branch,
    running: Running,
    state: State,
    pairs: set[tuple[str, str]],
    difference: Difference,
    world: int,
) -> Branch | None:
    """Returns a branch with the ways that the two ranks took; None if its test sends them otherwise."""
    ways = [{_WAYS.get(pair[at], "") for pair in pairs} for at in (0, 1)]
    first_way, second_way = (next(iter(one)) if len(one) == 1 else "" for one in ways)
    branch = Branch(branch.file, branch.path, branch.line, branch.kind, branch.text, first_way, second_way)
    statement = running.flow.nodes[state[1]].statement
    world = max(world, max(difference.records) + 1)
    if branch.kind == "for" and isinstance(statement, ast.For):
        if OnRank(0, world).value(statement.iter, running.names) is not UNKNOWN:
            return _same(branch)
        return branch
    if branch.kind not in ("if", "while", "assert") or not isinstance(
        statement, ast.If | ast.While | ast.Assert
    ):
        return branch
    return _by_rank(branch, statement.test, running, pairs, difference, world)


def _by_rank(
    branch: Branch,
    test: ast.expr,
    running: Running,
    pairs: set[tuple[str, str]],
    difference: Difference,
    world: int,
) -> Branch | None:
    truths = {rank: OnRank(rank, world).truth(test, running.names) for rank in difference.records}
    values = set(truths.values())
    if len(values) == 1 and UNKNOWN not in values:
        return _same(branch)
    truths = {rank: UNKNOWN if truth is SAME else truth for rank, truth in truths.items()}
    if set(truths.values()) == {UNKNOWN}:
        return branch
    words = {TRUE: True, BODY: True, FALSE: False, END: False}
    first, second = _sides(difference)
    for left, right in pairs:
        # Each side goes one way, and no rank is sent the other; at least one side is known.
        one = [truths[rank] for rank in first]
        other = [truths[rank] for rank in second]
        agree = all(truth in (words.get(left), UNKNOWN) for truth in one) and all(
            truth in (words.get(right), UNKNOWN) for truth in other
        )
        is_known = all(truth is not UNKNOWN for truth in one) or all(truth is not UNKNOWN for truth in other)
        if agree and is_known:
            return Branch(
                branch.file, branch.path, branch.line, branch.kind, branch.text,
                _WAYS[left], _WAYS[right], is_of_rank=True,
            )  # fmt: skip
    return None


def _sides(difference: Difference) -> tuple[list[int], list[int]]:
    """Returns the ranks that went as the first of the two, and those that went as the second."""
    first, second = _two_ranks(difference)
    assert first is not None and second is not None

    def way(rank: int) -> object:
        record = difference.records[rank]
        return None if record is None else (record.operation, record.frames)

    return (
        [rank for rank in difference.records if way(rank) == way(first)],
        [rank for rank in difference.records if way(rank) == way(second)],
    )


def _same(branch: Branch) -> Branch:
    return Branch(
        branch.file, branch.path, branch.line, branch.kind, branch.text, branch.first_way, branch.second_way, is_same=True
    )  # fmt: skip


def _own(frames: Sequence[Frame]) -> Stack:
    return list(zip(own_frames(frames), called_inside(frames)))


def _places(stack: Stack) -> list[Frame]:
    return [frame for frame, _ in stack]


def _direct(records: Iterable[Record]) -> Iterable[Frame]:
    """Yields the user's own frames that have called a function of torch.distributed themselves."""
    seen: set[tuple[Frame, ...]] = set()
    for record in records:
        if record.frames in seen:
            continue
        seen.add(record.frames)
        own = own_frames(record.frames)
        if own:
            at = record.frames.index(own[-1])
            inside = record.frames[at + 1 : at + 2]
            if inside and "/distributed/" in inside[0].file.replace("\\", "/"):
                path = inside[0].file.replace("\\", "/")
                if path.endswith(("/c10d_logger.py", "/distributed_c10d.py")):
                    yield own[-1]
