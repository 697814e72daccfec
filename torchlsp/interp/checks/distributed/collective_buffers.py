"""Reports wrong arguments of collectives: lists without an item for each rank, tensors of different dtypes or sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.model.trace_flow import place
from torchlsp.interp.store.state import path_state
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
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_LISTS = {
    "all_gather": ("tensor_list", "tensor"),
    "all_gather_object": ("object_list", ""),
    "gather": ("gather_list", "tensor"),
    "gather_object": ("object_gather_list", ""),
    "scatter": ("scatter_list", "tensor"),
    "scatter_object_list": ("scatter_object_input_list", ""),
    "reduce_scatter": ("input_list", "output"),
    "all_to_all": ("output_tensor_list", ""),
}
"""The list with an item for each rank, and the tensor that its items are like."""
_JOINED = {
    "all_gather_into_tensor": ("output_tensor", "input_tensor"),
    "_all_gather_base": ("output_tensor", "input_tensor"),
    "reduce_scatter_tensor": ("input", "output"),
    "_reduce_scatter_base": ("input", "output"),
}
"""The tensor that holds the parts of all ranks, and the one that is a part."""
_TENSORS = {
    "all_reduce": ("tensor",), "reduce": ("tensor",), "broadcast": ("tensor",), "all_gather": ("tensor",), "gather": ("tensor",),
    "scatter": ("tensor",), "reduce_scatter": ("output",),
    **{name: pair for name, pair in _JOINED.items() if not name.startswith("_")},
}  # fmt: skip
_Data = tuple[tuple[str, object], ...]

ON_ONE_RANK = frozenset({"gather", "gather_object", "scatter", "scatter_object_list"})
"""Collectives with a list that one rank must pass and the others must not."""


BACKEND = path_state("backend", None)
"""The backend of the default process group; None if it is not known."""


WORLD_SIZE = path_state("world", None)
"""The number of ranks of the default process group; None if it is not known."""


def report_wrong_arguments(
    it: Evaluator, short: str, bound: dict[str, Value], arguments: Arguments, node: ir.Node
) -> None:
    """Reports the first wrong argument of a collective of all ranks, but for code that tests what torch supports."""
    if any(frame.guards for frame in it.frames):
        return
    found = next(_problems(it, short, bound), None)
    if found is not None:
        from torchlsp.interp.model.call_records import with_call

        name = f"torch.distributed.{short}"
        fault = Fault(FaultKind.BUFFERS, node.start, node.end, name, found, path=it.frame.module.path)
        it.report(with_call(it, [fault], name, arguments))


def list_presence(it: Evaluator, short: str, bound: dict[str, Value]) -> str:
    """Returns whether a call passes the list that only one rank may pass: "given", "absent", or "" if it is
    not known."""
    if short not in ON_ONE_RANK:
        return ""
    value = bound.get(_LISTS[short][0])
    if value == v.NONE:
        return "absent"
    count = _count(it, value)
    if count == 0:
        return "absent"
    if short == "scatter_object_list":
        return ""  # the lists of the other ranks are ignored
    return "given" if count is not None or isinstance(value, v.ListRef | v.Repeated | v.TupleValue) else ""


def _problems(it: Evaluator, short: str, bound: dict[str, Value]) -> Iterator[_Data]:
    for name in _TENSORS.get(short, ()):
        value = bound.get(name)
        if isinstance(value, v.Scalar) and value.kind in ("int", "float", "bool"):
            yield _data("no tensor", name, got=value.kind)
        elif isinstance(value, v.ListRef | v.TupleValue):
            yield _data("no tensor", name, got="list" if isinstance(value, v.ListRef) else "tuple")
        elif it.state.modes[BACKEND] == "nccl" and isinstance(value, TensorFact) and _is_on_cpu(value):
            yield _data("device", name, input=value)
    if short in _LISTS:
        yield from _list_problems(it, short, bound)
    if short in _JOINED:
        whole, part = (bound.get(name) for name in _JOINED[short])
        if isinstance(whole, TensorFact) and isinstance(part, TensorFact):
            yield from _joined_problems(it, whole, part, *_JOINED[short])


def _list_problems(it: Evaluator, short: str, bound: dict[str, Value]) -> Iterator[_Data]:
    name, like = _LISTS[short]
    value, tensor = bound.get(name), bound.get(like)
    if like and isinstance(value, TensorFact):
        yield _data("no list", name)
        return
    items, count, world = _items(it, value), _count(it, value), it.state.modes[WORLD_SIZE]
    if like and items and any(item == v.NONE for item in items):
        yield _data("items", name)
    if count is not None and not (count == 0 and short in ON_ONE_RANK):
        enough = short == "all_gather_object"  # it may have more
        if isinstance(world, int) and (count < world if enough else count != world):
            yield _data("count", name, got=count, expected=world)
        elif not isinstance(world, int) and count < 2:
            yield _data("count", name, got=count, expected=None)
    for item in items or ():
        if isinstance(item, TensorFact) and isinstance(tensor, TensorFact):
            if item.dtype is not None and tensor.dtype is not None and item.dtype != tensor.dtype:
                yield _data("dtype", name, left=item, right=tensor, other=like)
            if short != "scatter" and _sizes(item, tensor) is Tri.NO:
                yield _data("sizes", name, left=item, right=tensor, other=like)


def _joined_problems(
    it: Evaluator, whole: TensorFact, part: TensorFact, name: str, other: str
) -> Iterator[_Data]:
    a, b = shapes.numel(whole.shape), shapes.numel(part.shape)
    world = it.state.modes[WORLD_SIZE]
    if a is not None and b is not None and b != 0:
        wrong = dims.equal(a, b * world) is Tri.NO if isinstance(world, int) else dims.equal(a, b) is Tri.YES
        uneven = isinstance(a, int) and isinstance(b, int) and a % b != 0
        if (wrong or uneven) and world != 1:
            yield _data("whole", name, left=whole, right=part, other=other, expected=world)
    if whole.dtype is not None and part.dtype is not None and whole.dtype != part.dtype:
        yield _data("dtype", name, left=whole, right=part, other=other)


def _data(reason: str, what: str, **more: object) -> _Data:
    return (("reason", reason), ("what", what), *more.items())


def _items(it: Evaluator, value: Value | None) -> tuple[Value, ...] | None:
    """Returns the items of a list, or one item that is like all of them."""
    items = it.elements(value) if value is not None else None
    if items is not None:
        return items
    content = it.state.heap.get((value.ref, "[]")) if isinstance(value, v.ListRef) else value
    return (content.element,) if isinstance(content, v.Repeated) else None


def _count(it: Evaluator, value: Value | None) -> int | None:
    """Returns the number of items of a list, if it is known."""
    items = it.elements(value) if value is not None else None
    if items is not None:
        return len(items)
    content = it.state.heap.get((value.ref, "[]")) if isinstance(value, v.ListRef) else value
    return content.length if isinstance(content, v.Repeated) and isinstance(content.length, int) else None


def _sizes(left: TensorFact, right: TensorFact) -> Tri:
    a, b = shapes.numel(left.shape), shapes.numel(right.shape)
    return Tri.UNKNOWN if a is None or b is None else dims.equal(a, b)


def _is_on_cpu(tensor: TensorFact) -> bool:
    return tensor.device is not None and tensor.device.kind == "cpu" and not tensor.device.relative


# ---- lists that only one rank may pass ---------------------------------------------------------------------------------


def find_wrong_lists(analysis: Analysis) -> Iterator[Fault]:
    """Yields the collectives with a list for one rank that all ranks pass, or none does."""
    found: dict[tuple[str | None, int, int], tuple[Event, tuple[CallItem, ...]]] = {}
    left_out: set[str] = set()
    passed: dict[str, set[str]] = {}
    for root in analysis.roots:
        for event, calls, ranked in _uses(root.trace, (), False):
            passed.setdefault(event.name, set()).add(event.other)
            if ranked:
                left_out.add(event.name)
            found.setdefault(place(event), (event, calls))
    for event, calls in found.values():
        # Where the ranks run different calls, these may well be the right ones.
        if event.name in left_out or passed[event.name] not in ({"given"}, {"absent"}):
            continue
        reason = "everywhere" if event.other == "given" else "nowhere"
        chain = tuple((call.path, call.start, call.end, call.name) for call in calls)
        yield Fault(
            FaultKind.BUFFERS, event.start, event.end, f"torch.distributed.{event.name}",
            _data(reason, _LISTS[event.name][0]), path=event.path, call_chain=chain,
        )  # fmt: skip


def _uses(
    items: tuple[Item, ...], calls: tuple[CallItem, ...], ranked: bool
) -> Iterator[tuple[Event, tuple[CallItem, ...], bool]]:
    """Yields the collectives with such a list, the calls that lead to them, and whether a test of ranks may."""
    for item in items:
        match item:
            case Event(kind=EventKind.COLLECTIVE, name=name) if name in ON_ONE_RANK:
                yield item, calls, ranked or item.group is not None
            case BranchItem(condition=condition, body=body, orelse=orelse):
                about_ranks = condition is not None and condition.kind == "rank"
                yield from _uses(body, calls, ranked or about_ranks)
                yield from _uses(orelse, calls, ranked or about_ranks)
                if about_ranks and any(isinstance(one, Exit) for one in (*body, *orelse)):
                    ranked = True
            case LoopItem(body=body) | IterationItem(body=body):
                yield from _uses(body, calls, ranked)
            case CallItem(body=body):
                yield from _uses(body, (*calls, item), ranked)
