"""Reports loops with different numbers of collectives on each rank: by a count or a break that depends on the rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Condition, Value
from torchlsp.interp.checks.distributed import varying_values
from torchlsp.interp.checks.distributed.collective_divergence import exit_of, whole_traces
from torchlsp.interp.model import ddp_modules, heap_access
from torchlsp.interp.model.trace_flow import events, place
from torchlsp.interp.store.lifetimes import per_root, running_state
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
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The comparison that is left when both sides are exchanged."""
_COMPARED = frozenset({"==", "!=", *FLIPPED})
OF_RANK = (v.RankValue, v.OfRank)
COUNTED_BY_RANK = dims.symbol("?as many as the rank says")
"""The number of iterations of a loop if it differs from rank to rank."""
_Uneven = tuple[Event, dict[str, object], tuple[CallItem, ...]]
"""A collective, the data of its fault, and the calls that lead to it."""

_LEAVING = frozenset({"break", "continue", "return"})
_MAX_DEPTH = 6


@running_state
class RankLoops:
    """Loops whose number of iterations depends on the rank, by the identity of the node."""

    counted_by_rank: set[int] = per_root(set)


def combine_with_rank(op: str, left: Value, right: Value) -> Value:
    """Evaluates `rank + 1`, `2 * rank`: a number that certainly differs from rank to rank, or unknown."""
    if isinstance(left, OF_RANK):
        rank, other = left, right
    elif isinstance(right, OF_RANK):
        rank, other = right, left
    else:
        return UNKNOWN_VALUE
    number = v.as_int(other)
    if number is None or op not in ("+", "-", "*") or op == "*" and number == 0:
        return UNKNOWN_VALUE
    scale, offset = (1, 0) if isinstance(rank, v.RankValue) else (rank.scale, rank.offset)
    if op == "*":
        scale, offset = scale * number, offset * number
    elif op == "+":
        offset += number
    else:
        scale, offset = (scale, offset - number) if rank is left else (-scale, number - offset)
    return v.OfRank(rank.convention, rank.scope, scale, offset if scale else 0)


def asked_of_rank(op: str, left: Value, right: Value) -> tuple[str, v.RankValue, Value] | None:
    """Returns the comparison of the rank that `2 * rank + 1 > 4` is, here `rank > 1`; None of other comparisons."""
    if isinstance(right, v.OfRank):
        left, right, op = right, left, FLIPPED.get(op, op)
    number = v.as_int(right)
    if not isinstance(left, v.OfRank) or number is None or not left.scale or op not in _COMPARED:
        return None
    scale, distance = left.scale, number - left.offset
    if scale < 0:
        scale, distance, op = -scale, -distance, FLIPPED.get(op, op)
    if op in ("==", "!=") and distance % scale:
        return None  # no rank is there, or all are
    bound = -(-distance // scale) if op in ("<", ">=") else distance // scale
    return op, v.RankValue(left.scope, left.convention), v.integer(bound)


def number_by_rank(condition: Condition, left: Value, right: Value) -> Value | None:
    """Returns the value of `left if rank == 0 else right` of two different numbers; None of others."""
    numbers = [v.as_int(value) for value in (left, right)]
    if None in numbers or numbers[0] == numbers[1] or condition.mixed is not None:
        return None
    return v.OfRank(condition.convention)


def range_length(arguments: tuple[Value, ...]) -> dims.Poly | None:
    """Returns the length of a `range` that begins or ends at such a number; None for any other.

    Of `range(rank, 15, 2)` the first rank has one number more than the second.
    """
    by_rank = [value for value in arguments if isinstance(value, OF_RANK)]
    if len(by_rank) != 1 or by_rank[0].convention:
        return None
    if len(arguments) == 3:
        stop, step = v.as_int(arguments[1]), v.as_int(arguments[2])
        if not isinstance(arguments[0], v.RankValue) or stop is None or step is None:
            return None
        return COUNTED_BY_RANK if step > 1 and stop > 0 and stop % step == 1 else None
    return COUNTED_BY_RANK


def is_counted_by_rank(it: Evaluator, iterable: Value) -> bool:
    """Returns whether the number of items of such a `range`, or of a list of it, differs from rank to rank."""
    content = heap_access.items_at(it, iterable.ref) if isinstance(iterable, v.ListRef) else iterable
    return isinstance(content, v.Repeated) and content.length == COUNTED_BY_RANK


def own_loss(it: Evaluator, node: ir.Node, *values: Value) -> Condition | None:
    """Returns the condition of a test that reads a loss or a batch of the rank, where a wrapped model is trained.

    Or of what differs between ranks anyhow.
    """
    condition = varying_values.condition_of(it, node, *values)
    if condition is not None:
        return condition
    if not ddp_modules.replicated_refs(it):
        return None
    for value in (*values, *(it.lookup(name) for name in _read_off(node))):
        if isinstance(value, v.Scalar) and value.cut is not None:
            return Condition("own", source=value.cut)
        if isinstance(value, TensorFact) and _is_of_graph(value, 0):
            return Condition("own", source=value.origin)
    tested = next((value for value in values if isinstance(value, TensorFact)), None)
    if tested is not None and any(_is_batch(it.lookup(name)) for name in _loop_targets(it) & _names(node)):
        return Condition("own", source=tested.origin)
    return None


def _is_batch(value: Value) -> bool:
    return isinstance(value, TensorFact) and value.shape != ()


def _loop_targets(it: Evaluator) -> set[str]:
    """Returns the names that the innermost loop binds in each iteration."""
    loop = it.frame.loops[-1].node if it.frame.loops else None
    return _names(loop.target) if isinstance(loop, ir.For) else set()


def asks_for_turn(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a test compares the number of a running loop's iteration with constants: `step > 0`."""
    turns = {
        name
        for loop in it.frame.loops
        if isinstance(loop.node, ir.For)
        for name in _names(loop.node.target)
        if isinstance(value := it.lookup(name), v.Scalar) and value.kind == "int"
    }
    names = _names(node)
    return isinstance(node, ir.Compare) and bool(names) and names <= turns


def _names(node: ir.Node) -> set[str]:
    return {part.id for part in walk((node,)) if isinstance(part, ir.Name)}


def _read_off(node: ir.Node) -> Iterator[str]:
    """Yields the names of tensors whose number a test reads: `loss.item() < 0.1`, `isnan(float(loss))`."""
    match node:
        case ir.Call(function=ir.Attribute(object=ir.Name(id=name), name="item"), args=()):
            yield name
        case ir.Call(function=ir.Name(id="float"), args=(ir.Name(id=name),)):
            yield name
        case ir.Call(args=args):
            for arg in args:
                yield from _read_off(arg)
        case ir.Compare(left=left, rights=rights):
            for one in (left, *rights):
                yield from _read_off(one)


def _is_of_graph(tensor: TensorFact, depth: int) -> bool:
    """Returns whether a tensor is computed from others that require grad, perhaps detached, and not from weights only."""
    if tensor.grad.requires is Tri.YES:
        return tensor.grad.leaf is Tri.NO and not _is_of_weights(tensor, 0)
    origin = tensor.origin
    return (
        origin is not None
        and depth < _MAX_DEPTH
        and any(_is_of_graph(parent, depth + 1) for parent in origin.parents)
    )


def _is_of_weights(tensor: TensorFact, depth: int) -> bool:
    """Returns whether a tensor is a leaf that requires grad, or a norm or the like of one: all ranks have the same."""
    if tensor.grad.leaf is Tri.YES:
        return tensor.grad.requires is Tri.YES
    origin = tensor.origin
    if origin is None or not origin.parents or depth == _MAX_DEPTH:
        return False
    is_measure = origin.op.rpartition(".")[2] in _MEASURES
    return is_measure and all(_is_of_weights(one, depth + 1) for one in origin.parents)


_MEASURES = frozenset(
    "norm vector_norm matrix_norm sum mean abs max min amax amin square pow sqrt std var add stack item detach".split()
)
"""Operators of one operand, or of operands that are all known: one of a product may be a batch of which nothing is known."""


def find_uneven_collectives(analysis: Analysis) -> Iterator[Fault]:
    """Yields a collective for each such loop or test."""
    if analysis.module is None or not _may_be_uneven(analysis):
        return
    if any(map(_joins, module_nodes(analysis.module))):
        return
    seen: set[tuple[str | None, int, int]] = set()
    for trace in whole_traces(analysis):
        for at, data, calls in (*_found(trace, ()), *_Guarded().found(trace)):
            if place(at) not in seen:
                seen.add(place(at))
                chain = tuple((call.path, call.start, call.end, call.name) for call in calls)
                yield Fault(
                    FaultKind.UNEVEN,
                    at.start,
                    at.end,
                    at.name,
                    tuple(data.items()),
                    path=at.path,
                    call_chain=chain,
                )


def _may_be_uneven(analysis: Analysis) -> bool:
    return any(_has_loop(root.trace) for root in analysis.roots)


def _has_loop(items: tuple[Item, ...]) -> bool:
    for item in items:
        match item:
            case LoopItem(body=body, by_rank=by_rank):
                if by_rank or _has_loop(body):
                    return True
            case BranchItem(condition=condition, body=body, orelse=orelse):
                decides = condition is not None and condition.kind in ("own", "rank")
                if decides or item.tried != (0, 0) or _has_loop(body) or _has_loop(orelse):
                    return True
            case CallItem(body=body) | IterationItem(body=body):
                if _has_loop(body):
                    return True
    return False


def _joins(node: ir.Node) -> bool:
    """Recognizes `model.join()` and `Join(...)`, which let finished ranks take part in the collectives of others."""
    if not isinstance(node, ir.Call):
        return False
    function = node.function
    if isinstance(function, ir.Attribute) and function.name == "join":
        return not node.args
    return word(function) == "Join"


def _found(items: tuple[Item, ...], calls: tuple[CallItem, ...]) -> Iterator[_Uneven]:
    """Yields the uneven collectives of a trace."""
    for item in items:
        match item:
            case LoopItem(body=body, by_rank=True):
                first = next(filter(_is_collective, events(body)), None)
                if first is not None:
                    yield first, {"collective": first, "loop": item, "test": None, "by": "count"}, calls
            case LoopItem(body=body):
                yield from _left_alone(item, body, calls)
                yield from _left_by_some(item, body, calls)
                yield from _left_by_error(item, body, calls)
                yield from _found(body, calls)
            case BranchItem(body=body, orelse=orelse):
                yield from _found(body, calls)
                yield from _found(orelse, calls)
            case IterationItem(body=body):
                yield from _found(body, calls)
            case CallItem(body=body):
                yield from _found(body, (*calls, item))


def _left_alone(loop: LoopItem, body: tuple[Item, ...], calls: tuple[CallItem, ...]) -> Iterator[_Uneven]:
    """Yields the collectives that a rank misses when a test of its own loss ends the iteration or the loop."""
    exchanged = False
    for index, item in enumerate(body):
        if any(map(_exchanges, events((item,)))):
            exchanged = True  # their losses, perhaps
            continue
        if not isinstance(item, BranchItem) or item.condition is None or item.condition.kind != "own":
            continue
        if exchanged and not _is_never_exchanged(item.condition):
            continue
        left = next(
            (one for one in (*item.body, *item.orelse) if isinstance(one, Exit) and one.kind in _LEAVING),
            None,
        )
        if left is None:
            continue
        missed = body[index + 1 :] if left.kind == "continue" else body
        collective = next(filter(_is_collective, events(missed)), None)
        if collective is not None:
            test = Origin(item.start, item.end, "if", (), item.path)
            data = {"collective": collective, "loop": loop, "test": test, "left": left.kind}
            yield collective, data | _because(item.condition), calls


def _left_by_error(loop: LoopItem, body: tuple[Item, ...], calls: tuple[CallItem, ...]) -> Iterator[_Uneven]:
    """Yields the synchronized backward that a rank misses when a handler of its own error ends the iteration."""
    for index, item in enumerate(body):
        if not isinstance(item, BranchItem) or item.tried == (0, 0) or _may_tell(item):
            continue
        left = next(_continues(item.body), None)
        tried = (one for one in body[:index] if item.tried[0] <= one.start < item.tried[1])
        missed = next((one for one in events(tuple(tried)) if _is_collective(one) and one.hidden), None)
        if left is not None and missed is not None:
            test = Origin(item.start, item.end, "except", (), item.path)
            data = {"collective": missed, "loop": loop, "test": test, "left": left.kind, "by": "caught"}
            yield missed, data, calls


def _continues(items: tuple[Item, ...]) -> Iterator[Exit]:
    """Yields the exits with which a handler ends the iteration or the loop around it, perhaps under a test of the error."""
    for item in items:
        match item:
            case Exit(kind="continue" | "break"):
                yield item
            case BranchItem(condition=None, body=body, orelse=orelse):
                yield from _continues(body)
                yield from _continues(orelse)


def _may_tell(handler: BranchItem) -> bool:
    """Returns whether a handler may let the other ranks know, or take part in their collective."""
    return any(event.kind in _REACHING for event in events((handler,)))


_REACHING = frozenset({EventKind.COLLECTIVE, EventKind.EXCHANGE, EventKind.UNFOLLOWED, EventKind.HANDED})


def _because(condition: Condition) -> dict[str, object]:
    """Returns what the fault keeps of the source of a value that may differ: its kind as `by`, its place as `source`."""
    source = condition.source
    if source is None or source.op not in varying_values.SOURCES:
        return {"by": "loss", "source": None}
    return {"by": source.op, "source": source}


def _is_never_exchanged(condition: Condition) -> bool:
    """Returns whether a test is of a number of Python that this rank has read, which no collective can change."""
    return condition.source is not None and condition.source.op in (
        varying_values.CLOCK,
        varying_values.RANDOM,
    )


_TELLS_NOTHING = frozenset(
    "barrier monitored_barrier reduce gather gather_object new_group init_process_group destroy_process_group".split()
)
"""Collectives after which the other ranks know no more of one rank's values, unless they are its destination."""


def _exchanges(event: Event) -> bool:
    """Returns whether the ranks may know of each other's values after an event."""
    if event.kind is EventKind.COLLECTIVE:
        return not event.hidden and event.name not in _TELLS_NOTHING
    return event.kind in (EventKind.EXCHANGE, EventKind.UNFOLLOWED, EventKind.HANDED)


class _Guarded:
    """Looks for collectives that a rank runs only if its own values say so."""

    def __init__(self) -> None:
        self.calls: list[CallItem] = []
        self.exchanged = False

    def found(self, items: tuple[Item, ...]) -> Iterator[_Uneven]:
        """Yields the first collective that only one path of such a test runs, in order."""
        for item in items:
            match item:
                case Event():
                    self.exchanged = self.exchanged or _exchanges(item)
                case BranchItem(condition=Condition(kind="rank")):
                    self.exchanged = self.exchanged or any(map(_exchanges, events((item,))))
                case BranchItem(condition=Condition(kind="own") as condition, body=body, orelse=orelse):
                    known = self.exchanged and not _is_never_exchanged(condition)
                    collective = None if known else _more_on_one_path(body, orelse)
                    if collective is not None:
                        test = Origin(item.start, item.end, "if", (), item.path)
                        data = {"collective": collective, "loop": None, "test": test, "left": None}
                        yield collective, data | _because(condition), tuple(self.calls)
                    self.exchanged = self.exchanged or any(map(_exchanges, events((item,))))
                case BranchItem(body=body, orelse=orelse):
                    before = self.exchanged
                    yield from self.found(body)
                    after, self.exchanged = self.exchanged, before
                    yield from self.found(orelse)
                    self.exchanged = self.exchanged or after
                case LoopItem(body=body) | IterationItem(body=body):
                    yield from self.found(body)
                case CallItem(body=body):
                    self.calls.append(item)
                    yield from self.found(body)
                    self.calls.pop()


def _more_on_one_path(body: tuple[Item, ...], orelse: tuple[Item, ...]) -> Event | None:
    """Returns the first collective that one path runs beyond those of the other; None if both may run the same."""
    first, second = (list(filter(_is_collective, events(path))) for path in (body, orelse))
    if bool(first) == bool(second) or _ends_run(body) or _ends_run(orelse):
        return None
    return (first or second)[0]


def _ends_run(items: tuple[Item, ...]) -> bool:
    left = exit_of(items)
    return left is not None and left.kind == "raise"


def _left_by_some(loop: LoopItem, body: tuple[Item, ...], calls: tuple[CallItem, ...]) -> Iterator[_Uneven]:
    """Yields a collective of a loop that a rank leaves by a test of ranks and another one, and that others go on with."""
    exits = list(_exits(body))
    if not exits:
        return
    for branch in _rank_branches(body):
        condition, inside = branch.condition, [list(_exits(path)) for path in (branch.body, branch.orelse)]
        left = inside[0] or inside[1]
        if condition is None or condition.mixed == "or" or not left or all(inside) or len(left) < len(exits):
            continue  # the others may leave as well
        is_certain = (
            condition.mixed is None and exit_of(branch.body if inside[0] else branch.orelse) is not None
        )
        if is_certain or any(event.kind is EventKind.COLLECTIVE for event in events((branch,))):
            continue
        collective = next(filter(_is_collective, events(body)), None)
        if collective is not None:
            test = Origin(branch.start, branch.end, "if", (), branch.path)
            data = {"collective": collective, "loop": loop, "test": test, "left": left[0].kind, "by": "rank"}
            yield collective, data, calls


def _exits(items: tuple[Item, ...], in_loop: bool = False) -> Iterator[Exit]:
    """Yields the statements that leave a loop: `break` and `return`, not those of loops and functions in it."""
    for item in items:
        match item:
            case Exit(kind=kind) if kind == "return" or kind == "break" and not in_loop:
                yield item
            case BranchItem(body=body, orelse=orelse):
                yield from _exits(body, in_loop)
                yield from _exits(orelse, in_loop)
            case LoopItem(body=body) | IterationItem(body=body):
                yield from _exits(body, True)


def _rank_branches(items: tuple[Item, ...]) -> Iterator[BranchItem]:
    """Yields the outermost tests of ranks among the statements of a loop."""
    for item in items:
        if isinstance(item, BranchItem):
            if item.condition is not None and item.condition.kind == "rank":
                yield item
            else:
                yield from _rank_branches(item.body)
                yield from _rank_branches(item.orelse)


def _is_collective(event: Event) -> bool:
    return (
        event.kind is EventKind.COLLECTIVE
        and event.group is None
        and event.name not in ("init_process_group", "destroy_process_group")
    )
