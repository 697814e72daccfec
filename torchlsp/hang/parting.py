"""Finds the statement at which two ranks parted: the one that alone can have led them to different collectives."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Literal

from torchlsp.core.records import dataclass
from torchlsp.hang.dumps import Dump, Frame, Record
from torchlsp.hang.flow import BODY, CASE, END, FALSE, RAISE, TRUE, TooLarge
from torchlsp.hang.matching import Difference, waits
from torchlsp.hang.orders import AFTER, CALL, OTHER, RECORDS, SKIP, NoSource, Orders, Running, Stack, State
from torchlsp.hang.ranks import SAME, UNKNOWN, OnRank
from torchlsp.hang.sources import Sources, called_inside, own_frames

_MOST_RANKS = 4
"""Ranks of each side whose stacks say which lines begin a collective."""
_OF_DISTRIBUTED = ("/distributed/c10d_logger.py", "/distributed/distributed_c10d.py")
Sides = tuple[list[int], list[int]]
"""The ranks that went one way, and those that went the other."""
Kind = Literal["if", "while", "for", "try", "match", "assert", "call", "expression", "blocking", "alone"]


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
    sides = _sides(dumps, difference)
    if sides is None:
        return None
    if (
        difference.kind in ("sizes", "dtypes")
        and len({one and one.frames for one in difference.records.values()}) == 1
    ):
        return None
    ranks = (sides[0][0], sides[1][0])
    one, other = dumps[ranks[0]], dumps[ranks[1]]
    found = [_fork(one, other, difference, is_strict) for is_strict in (False, True)]
    forks = [fork for fork in dict.fromkeys(found) if fork is not None]
    if not forks:
        return None
    last = other.records[-1:]
    if forks[0].second is None and last and not last[0].has_ended and last[0] == forks[0].before_second:
        return _nothing(ranks, forks[0], f"rank {ranks[1]} has not come out of {last[0].operation} there")
    nearest = dict.fromkeys((*ranks, *sides[0][:_MOST_RANKS], *sides[1][:_MOST_RANKS]))
    recording = [record for rank in nearest for record in dumps[rank].records]

    def search(fork: Fork) -> tuple[Parting, bool]:
        try:
            return _search(ranks, fork, recording, sources, sides, len(dumps))
        except (NoSource, TooLarge) as problem:
            why = str(problem) or "the functions between the two places are too large"
        except RecursionError:
            why = "the source is nested too deep"
        return _nothing(ranks, fork, why), True

    said, is_closed = search(forks[0])
    if not is_closed and len(forks) > 1:
        said = _both(said, search(forks[1])[0])
    earlier = _irregular(one, other, forks[0])
    if earlier is not None:
        # They were no longer on one way when they met again.
        before, _ = search(earlier)
        if said.branches:
            said = _both(said, before)
        elif said.second is not None and before.branches:
            said = before
    return said


def _nothing(ranks: tuple[int, int], fork: Fork, why_not: str) -> Parting:
    return Parting(ranks, fork.before, fork.first, fork.second, why_not=why_not)


def _both(late: Parting, early: Parting) -> Parting:
    """Returns what may explain the ways of two ranks that may have met again, and may not."""
    if not late.branches:
        return early
    known = {(one.file, one.line) for one in late.branches}
    branches = (*late.branches, *(one for one in early.branches if (one.file, one.line) not in known))
    sure = late.is_sure and len(branches) == 1
    return Parting(late.ranks, late.before, late.first, late.second, branches, sure, "", late.blocking)


def _sides(dumps: dict[int, Dump], difference: Difference) -> Sides | None:
    """Returns the ranks that went one way, the most of those that are there, and those that went another: of those that are not,
    the ones that wait for nothing else."""
    ways: dict[object, list[int]] = {}
    for rank, record in difference.records.items():
        if record is not None:
            ways.setdefault((record.operation, record.inputs, record.frames), []).append(rank)
    there = sorted(ways.values(), key=lambda one: (-len(one), one[0]))
    if difference.absent:
        free = [rank for rank in difference.absent if waits(dumps[rank]) is None]
        return there[0], free or difference.absent
    return (there[0], there[1]) if len(there) > 1 else None


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


def _irregular(one: Dump, other: Dump, late: Fork) -> Fork | None:
    """Returns where two ranks parted first: they have begun neither the same collective nor, in groups of their own, one at the
    same place. None where that was not before the collective that they have begun together last."""
    theirs = {
        (record.group, record.sequence): index
        for index, record in enumerate(other.records)
        if not record.is_point_to_point
    }
    start = next(
        (
            (index, theirs[record.group, record.sequence])
            for index, record in enumerate(one.records)
            if not record.is_point_to_point and (record.group, record.sequence) in theirs
        ),
        None,
    )
    if start is None:
        return None
    before: tuple[Record | None, Record | None] = (None, None)
    for mine, their in zip(one.records[start[0] :], other.records[start[1] :]):
        if late.before is None or mine.number > late.before.number:
            return None
        is_same = (mine.group, mine.sequence, mine.operation) == (
            their.group,
            their.sequence,
            their.operation,
        )
        if not is_same and (mine.frames != their.frames or mine.group == their.group):
            return None if mine.frames == their.frames else Fork(*before, mine, their)
        before = mine, their
    return None


def _search(
    ranks: tuple[int, int],
    fork: Fork,
    recording: Iterable[Record],
    sources: Sources,
    sides: Sides,
    world: int,
) -> tuple[Parting, bool]:
    """Returns what can have led the ranks apart, and whether they must have been on one way until then."""
    mine, theirs = fork.first, fork.second
    if not mine.frames or (theirs is not None and not theirs.frames):
        raise NoSource("the dumps have no stacks there")
    begins = [one for one in (fork.before, fork.before_second) if one is not None]
    own = [_own(record.frames) for record in (mine, theirs or mine, *begins)]
    if theirs is not None and _places(own[0]) == _places(own[1]):
        raise NoSource("both are at the same line of your code, which does something else on each")
    if any(not stack for stack in own):
        raise NoSource("no file of your own is on the stacks there")
    orders = Orders(sources, own, _direct(recording))
    if orders.has_managers:
        raise NoSource(
            "a stack is inside of a context manager, and what that does at its end is not followed"
        )
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
        if state not in common or len(following) < 2:
            continue
        # Whether it decides this time: a loop comes to it again.
        decided_first, decided_second = _leading(after, goals, state), _leading(after, others, state)
        pairs = {
            (left, right)
            for left, one in following
            for right, other in following
            if one != other and one in to_first and other in to_second
            if (one in decided_first and other not in decided_first)
            or (other in decided_second and one not in decided_second)
        }
        if pairs and not orders.is_generator(state):
            branch = _branch(orders, state, pairs)
            key = (branch.file, branch.line, branch.kind)
            if key in branches:
                pairs |= branches[key][2]
            branches[key] = (branch, state, pairs)
    judged = [
        one
        for branch, state, pairs in branches.values()
        if (one := _judged(branch, orders.running[state[0]], state, pairs, sides, world)) is not None
    ]
    if blocking and len(branches) == 1:
        ((_, state, pairs),) = branches.values()
        passed = {one for label, one in after[state] if label in {pair[1] for pair in pairs}}
        if not set(blocking) & _reached(after, starts[1], passed):
            blocking = []
    waiting = dict.fromkeys(_of_statement(orders.running[state[0]], state, "blocking") for state in blocking)
    skipped: list[Branch] = []
    if theirs is not None:
        second = _skipped(orders, after, theirs_after, to_second, mine.operation, OnRank(ranks[1], world))
        first = _skipped(orders, after, mine_after, to_first, theirs.operation, OnRank(ranks[0], world))
        skipped.extend(_of_way(one, "", way) for one, way in second)
        skipped.extend(_of_way(one, way, "") for one, way in first)
    elif not judged:
        skipped.extend(_alone(orders, common, sides, world))
    return _concluded(_nothing(ranks, fork, ""), judged, skipped, tuple(waiting)), is_closed


def _alone(orders: Orders, common: set[State], sides: Sides, world: int) -> Iterator[Branch]:
    """Yields the branches that send only ranks of the second side into some statements: there they may have stopped."""
    for index, node, phase in sorted(common):
        running = orders.running[index]
        statement = running.flow.nodes[node].statement
        if phase != 0 or not isinstance(statement, ast.If):
            continue
        one, other = (
            {OnRank(rank, world).truth(statement.test, running.names) for rank in side} for side in sides
        )
        if one == {False} and other == {True} or one == {True} and other == {False} and statement.orelse:
            yield _of_statement(running, (index, node, phase), "alone")


def _skipped(
    orders: Orders,
    after: dict[State, list[tuple[str, State]]],
    way: set[State],
    leading: set[State],
    operation: str,
    rank: OnRank,
) -> Iterator[tuple[Branch, str]]:
    """Yields the branches at which a rank has gone past another collective with the operation that the other rank waits in, and
    how: as likely the two belong together."""
    others = [state for state in after if state[2] == RECORDS and state not in leading]
    to_other = _leading(after, {state for state in others if orders.begins(state, operation)})
    for state in way:
        for label, one in after[state]:
            if one in leading and label in _TESTED:
                passed = [
                    other
                    for tested, other in after[state]
                    if tested in _TESTED and other != one and other in to_other
                ]
                if any(other not in leading or one not in to_other for other in passed):
                    running = orders.running[state[0]]
                    statement = running.flow.nodes[state[1]].statement
                    test = getattr(statement, "test", None)
                    # Which way a rank goes by its number, or as all do, is meant, and so are rounds that are counted.
                    if isinstance(statement, ast.For):
                        is_meant = rank.value(statement.iter, running.names) is not UNKNOWN
                    else:
                        is_meant = test is not None and rank.truth(test, running.names) is not UNKNOWN
                    if not is_meant and not orders.is_generator(state):
                        yield _branch(orders, state, {(label, label)}), _WAYS.get(label, "")


def _of_way(branch: Branch, first: str, second: str) -> Branch:
    return Branch(branch.file, branch.path, branch.line, branch.kind, branch.text, first, second)


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


def _concluded(
    found: Parting, judged: list[Branch], skipped: list[Branch], waiting: tuple[Branch, ...]
) -> Parting:
    candidates = [one for one in judged if not one.is_same]
    of_rank = [one for one in candidates if one.is_of_rank]
    if len(of_rank) == 1:
        candidates = of_rank
    elif not of_rank and waiting and found.second is None:
        candidates.extend(waiting)
    known = {(one.file, one.line) for one in judged}
    for one in skipped:
        if (one.file, one.line) not in known:
            known.add((one.file, one.line))
            candidates.append(one)
    candidates.sort(key=lambda one: (one.file, one.line))
    # Without a record of what the other rank did, it may as well have stopped on the way.
    is_sure = len(candidates) == 1 and candidates[0] in judged and (found.second is not None or bool(of_rank))
    why = ""
    if not candidates:
        why = "no test between the two places can have led them apart"
        if found.second is None:
            why = f"rank {found.ranks[1]} has stopped on the way, in a call that waits or by an exception"
    return Parting(
        found.ranks, found.before, found.first, found.second, tuple(candidates), is_sure, why, waiting
    )


def _leading(
    after: dict[State, list[tuple[str, State]]], goals: set[State], without: State | None = None
) -> set[State]:
    """Returns the states from which a goal can be reached, without passing one."""
    back: dict[State, list[State]] = {}
    for state, following in after.items():
        for _, one in following:
            back.setdefault(one, []).append(state)
    found, stack = set(goals), list(goals)
    while stack:
        for one in back.get(stack.pop(), ()):
            if one not in found and one != without:
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
    elif labels <= {CALL, OTHER, "return"}:
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


_TESTED = (TRUE, FALSE, BODY, END, CASE)
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
    sides: Sides,
    world: int,
) -> Branch | None:
    """Returns a branch with the ways that the two ranks took; None if its test sends them otherwise."""
    ways = [{_WAYS.get(pair[at], "") for pair in pairs} for at in (0, 1)]
    first_way, second_way = (next(iter(one)) if len(one) == 1 else "" for one in ways)
    branch = Branch(branch.file, branch.path, branch.line, branch.kind, branch.text, first_way, second_way)
    statement = running.flow.nodes[state[1]].statement
    world = max(world, max(*sides[0], *sides[1]) + 1)
    if branch.kind == "for" and isinstance(statement, ast.For):
        return _by_rounds(branch, statement.iter, running, sides, world)
    if branch.kind not in ("if", "while", "assert") or not isinstance(
        statement, ast.If | ast.While | ast.Assert
    ):
        return branch
    return _by_rank(branch, statement.test, running, pairs, sides, world)


def _by_rounds(branch: Branch, iterable: ast.expr, running: Running, sides: Sides, world: int) -> Branch:
    """Judges a loop by what it goes over on each side, where that is known."""
    one, other = ([OnRank(rank, world).value(iterable, running.names) for rank in side] for side in sides)
    known = [*one, *other]
    if UNKNOWN in known:
        return branch
    if all(value == known[0] for value in known):
        return _same(branch)
    sizes = {len(value) if isinstance(value, Sized) else -1 for value in known}
    if len(sizes) == 1 and -1 not in sizes:
        return _same(branch)
    lengths = [{len(value) if isinstance(value, Sized) else -1 for value in side} for side in (one, other)]
    if branch.first_way == "ended":
        lengths.reverse()
    if -1 not in lengths[0] | lengths[1] and min(lengths[0]) > max(lengths[1]):
        return Branch(
            branch.file, branch.path, branch.line, branch.kind, branch.text,
            branch.first_way, branch.second_way, is_of_rank=True,
        )  # fmt: skip
    return branch


def _by_rank(
    branch: Branch,
    test: ast.expr,
    running: Running,
    pairs: set[tuple[str, str]],
    sides: Sides,
    world: int,
) -> Branch | None:
    truths = {rank: OnRank(rank, world).truth(test, running.names) for rank in (*sides[0], *sides[1])}
    values = set(truths.values())
    if len(values) == 1 and UNKNOWN not in values:
        return _same(branch)
    truths = {rank: UNKNOWN if truth is SAME else truth for rank, truth in truths.items()}
    if set(truths.values()) == {UNKNOWN}:
        return branch
    words = {TRUE: True, BODY: True, FALSE: False, END: False}
    first, second = sides
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


def _same(branch: Branch) -> Branch:
    return Branch(
        branch.file, branch.path, branch.line, branch.kind, branch.text, branch.first_way, branch.second_way, is_same=True
    )  # fmt: skip


def _own(frames: Sequence[Frame]) -> Stack:
    return list(zip(own_frames(frames), called_inside(frames)))


def _places(stack: Stack) -> list[Frame]:
    return [frame for frame, _ in stack]


def _direct(records: Iterable[Record]) -> Iterator[tuple[Frame, str]]:
    """Yields the user's own frames that have called a function of torch.distributed themselves, with the function's name."""
    seen: set[tuple[Frame, ...]] = set()
    for record in records:
        own = own_frames(record.frames)
        if record.frames in seen or not own:
            continue
        seen.add(record.frames)
        inside = record.frames[record.frames.index(own[-1]) + 1 :]
        if inside and inside[0].file.replace("\\", "/").endswith(_OF_DISTRIBUTED):
            for frame in inside:
                if frame.file.replace("\\", "/").endswith(_OF_DISTRIBUTED):
                    yield own[-1], frame.function
