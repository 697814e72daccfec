"""Reproduces tests that only some ranks pass, and the collectives inside and after them."""

from __future__ import annotations

from torchlsp.core.finding import Hangs, ProbeRequest
from torchlsp.facts.values import Condition
from torchlsp.interp.checks.distributed.collective_divergence import Divergence, tested_ranks
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem
from torchlsp.lint.reproducers.outline import MAX_ITEMS, Line, Lines, NotReproducible, Outline, is_longer_than

MAX_RANKS = 8
_ONE = "torch.ones({size})"
_ONE_EACH = f"[{_ONE} for _ in range(dist.get_world_size())]"
COLLECTIVE_CALLS = {
    "all_reduce": f"dist.all_reduce({_ONE}",
    "reduce": f"dist.reduce({_ONE}, 0",
    "broadcast": f"dist.broadcast({_ONE}, 0",
    "broadcast_object_list": "dist.broadcast_object_list([rank], 0",
    "all_gather": f"dist.all_gather({_ONE_EACH}, {_ONE}",
    "all_gather_into_tensor": f"dist.all_gather_into_tensor(torch.ones(dist.get_world_size() * {{size}}), {_ONE}",
    "all_gather_object": "dist.all_gather_object([None] * dist.get_world_size(), rank",
    "gather": f"dist.gather({_ONE}, {_ONE_EACH} if rank == 0 else None, 0",
    "scatter": f"dist.scatter({_ONE}, {_ONE_EACH} if rank == 0 else None, 0",
    "barrier": "dist.barrier(",
    "new_group": "dist.new_group(",
}
"""The call of each collective, without the group that may come last. Tensors of another size make it another
call."""
SIMULATED_AS = {
    "_all_gather_base": "all_gather_into_tensor",
    "all_gather_single": "all_gather_into_tensor",
    "all_reduce_coalesced": "all_reduce",
    "gather_object": "gather",
    "scatter_object_list": "scatter",
    # Gloo, with which a script is run by hand, has none of these.
    "reduce_scatter": "reduce",
    "reduce_scatter_tensor": "reduce",
    "reduce_scatter_single": "reduce",
    "_reduce_scatter_base": "reduce",
    "all_to_all": "all_gather",
    "all_to_all_single": "all_gather",
    "monitored_barrier": "barrier",
    "new_subgroups": "new_group",
    "new_subgroups_by_enumeration": "new_group",
    "init_process_group": "barrier",
    # Wrappers: parameters are compared when one is made, buffers sent before its forward, gradients reduced in its backward.
    "DistributedDataParallel": "all_gather",
    "forward": "broadcast",
    "backward": "all_reduce",
    "wait_for_everyone": "barrier",
    "synchronize": "barrier",
    "allreduce": "all_reduce",
    "allreduce_": "all_reduce",
    "broadcast_": "broadcast",
    "allgather": "all_gather",
}
"""Substitutes for other collectives: the same ranks wait in them, and the simulator supports them."""
_STANDS_FOR_HIDDEN = "all_gather_object"
_STANDS_FOR_OTHERS = "all_reduce"  # which can tell several by their sizes


def divergence(found: Divergence) -> ProbeRequest:
    """Reproduces the trace on all ranks, without the other collectives that the same ranks run alone, to see
    whether they wait at this one."""
    if is_longer_than(found.trace, MAX_ITEMS):
        raise NotReproducible("a shorter trace")
    numbers = tested_ranks(found.trace) or set()
    left_out = {_place(event) for event in found.alongside} - {_place(found.collective)}
    groups: dict[frozenset[int], str] = {}
    names: dict[str, list[str]] = {}

    def of_event(event: Event) -> Lines:
        if event.kind is not EventKind.COLLECTIVE or event.group == "unknown" or _place(event) in left_out:
            return []
        flagged = _place(event) == _place(found.collective)
        if event.name in ("init_process_group", "destroy_process_group") and not flagged:
            return []
        does = SIMULATED_AS.get(event.name, event.name)
        if event.hidden and does not in COLLECTIVE_CALLS:
            first = names.setdefault(_STANDS_FOR_HIDDEN, [event.name])[0]
            does = _STANDS_FOR_HIDDEN if event.name == first else _STANDS_FOR_OTHERS
        if does not in COLLECTIVE_CALLS:
            raise NotReproducible(f"{event.name}, which is not simulated")
        known = names.setdefault(does, [])
        if event.name not in known:
            known.append(event.name)
        if len(known) > 1 and _ONE not in COLLECTIVE_CALLS[does]:
            raise NotReproducible("two calls that one stands for")
        call = COLLECTIVE_CALLS[does].format(size=known.index(event.name) + 1)
        if isinstance(event.group, frozenset):
            group = groups.setdefault(event.group, "_".join(["group", *map(str, sorted(event.group))]))
            call += f"{'' if call.endswith('(') else ', '}group={group}"
        return [Line(call + ")", True, flagged)]

    def of_test(branch: BranchItem) -> str | None:
        condition = branch.condition
        if condition is None or condition.kind != "rank":
            return None
        return rank_test(condition, min(numbers, default=0), outline)

    outline = Outline(of_event, of_test)
    lines = outline.program(found.trace)
    asked = rank_conditions(found.trace)
    outline.guesses = outline.guesses or any(condition.ranks is None for condition in asked)
    outsider = next(number for number in range(len(numbers) + 1) if number not in numbers)
    members = {number for group in groups for number in group}
    world = max(2, *(number + 1 for number in numbers | members | {outsider}))
    if world > MAX_RANKS:
        raise NotReproducible("so many ranks")
    uses_torch = any(
        "torch." in line.text for line in [*lines, *(one for _, body in outline.functions for one in body)]
    )
    head = [
        *(["import torch"] if uses_torch else []),
        "import torch.distributed as dist",
        "",
        "rank = dist.get_rank()",
    ]
    head += [f"{name} = dist.new_group({sorted(group)})" for group, name in groups.items()]
    program, flag = outline.rendered([*head, *outline.head()], lines, [])
    return ProbeRequest(
        program=program,
        expect=Hangs(),
        kind="ranks",
        flag=(flag[0], _last_like(program, flag[1])),
        assignments=outline.assignments(),
        world=world,
        assumes=tuple(sorted(found.assumptions)),
        guesses=outline.guesses,
    )


def _last_like(program: str, row: int) -> int:
    """Returns the last row from this one on with the same call: it meets the next one of the other ranks, and
    so on, and the last of them waits."""
    rows = program.splitlines()
    return max(
        n for n, text in enumerate(rows, 1) if n == row or n > row and text.strip() == rows[row - 1].strip()
    )


def rank_test(condition: Condition, guess: int, outline: Outline) -> str:
    """Returns the condition in Python; an unknown rank is assumed to be `guess`."""
    ranks = [guess] if condition.ranks is None else sorted(condition.ranks)
    negated = condition.negated and condition.mixed is None
    if len(ranks) == 1:
        known = f"rank {'!=' if negated else '=='} {ranks[0]}"
    else:
        known = f"rank {'not in' if negated else 'in'} ({', '.join(map(str, ranks))})"
    if condition.mixed is None:
        return known
    # What all ranks agree on must leave the decision to the rank.
    way = outline.open_test(1 if condition.mixed == "and" else 0)
    mixed = f"{known} {condition.mixed} {way}"
    return f"not ({mixed})" if condition.negated else mixed


def rank_conditions(items: tuple[Item, ...]) -> list[Condition]:
    """Returns the tests about ranks."""
    found: list[Condition] = []
    for item in items:
        match item:
            case BranchItem(condition=condition, body=body, orelse=orelse):
                if condition is not None and condition.kind == "rank":
                    found.append(condition)
                found += rank_conditions(body) + rank_conditions(orelse)
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                found += rank_conditions(body)
    return found


def _place(event: Event) -> tuple:
    return event.path, event.start, event.end, event.name
