"""Finds out whether a later iteration of a loop can have faults of the autograd graph that its first one has not.

Only what the program still holds at the head of the loop can be reached by the next backward pass. Where that is no
tensor in a graph, and nothing that the first iteration has left can settle a test in another way, the next iteration builds and
frees a graph of its own just as the first one did.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dim import Poly
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.interp.checks.autograd.global_grad_mode import SWITCHED_OFF
from torchlsp.interp.model.graph_marks import Mark
from torchlsp.interp.store.heap_keys import ATTRIBUTES, FREED
from torchlsp.interp.store.state import MISSING, Delta, Entry, Key, Store
from torchlsp.program import ir
from torchlsp.program.loop_reads import names_read_first
from torchlsp.program.reading import names_of_target

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.interp.store.state import Scope

_NO_TENSOR = frozenset({
    v.Unknown, v.Parameter, v.Block, v.Scalar, v.AnnotatedInt, v.Infinity, v.NameOf, v.Condition, v.RankValue, v.OfRank, v.DTypeValue, v.DeviceValue,
    v.MemoryFormat, v.ShapeOf, v.SliceValue, v.ArrayValue, v.ImageValue, v.Imported, v.WorkspaceModule, v.External, v.ClassValue,
    v.SuperValue, v.ContextValue, v.ParametersOf, v.SamplerValue, v.LoadedKeys, v.GroupValue, v.Saved, v.Loaded, v.PlacedModule,
})  # fmt: skip
"""Values that hold no tensor, themselves or in the heap."""
_REFERENCES = (
    v.ListRef,
    v.DictRef,
    v.InstanceValue,
    v.LayerValue,
    v.OptimizerValue,
    v.Engine,
    v.Work,
    v.Wrapped,
)
_ENTRIES_PER_STEP = 2_000
"""The number of entries of the heap that are looked at in the time of a step."""


def may_differ(it: Evaluator, node: ir.For | ir.While, first: Delta, began: int) -> bool:
    """Returns whether the iteration after the first one may have other faults of the graph; yes where that is not certain.

    The store is that of the loop's head, `first` the changes of the first iteration, which began at the moment `began`.
    """
    frame, state = it.frame, it.state
    if frame.function is None or it.graph.retained >= began:
        return True
    read = names_read_first(node, frame.function)
    own, heap = frame.scope.variables, state.heap
    if read is None or any(_may_matter(it, entry, own, read, began) for entry in first.values()):
        return True
    new = {key[0] for store, key, _ in first.values() if store is heap and not _is_of_head(heap, key)}
    it.rehearsed += len(heap) // _ENTRIES_PER_STEP
    mark = state.mark()
    state.apply(first)
    try:
        if state.modes[SWITCHED_OFF] is not None:
            return True
        targets = names_bound(node)
        held: list[object] = [own[name] for name in own if name in read or name in targets]
        outer: Scope | None = frame.scope.parent
        while outer is not None:
            held += outer.variables.values()
            outer = outer.parent
        for scope in it.scopes:
            held += scope.variables.values()
        return _reaches_graph(it, held, new)
    finally:
        state.take(mark)


def names_bound(node: ir.For | ir.While) -> frozenset[str]:
    """Returns the names that a loop binds to its items."""
    if type(node) is not ir.For:
        return frozenset()
    return frozenset(names_of_target(node.target))


def _is_of_head(heap: Store, key: Key) -> bool:
    """Returns whether the object of a key of the heap is there before the first iteration."""
    return key in heap or (key[0], ATTRIBUTES) in heap


def _may_matter(
    it: Evaluator, entry: tuple[Store, Key, Entry], own: Store, read: frozenset[str], began: int
) -> bool:
    """Returns whether the next iteration may take another path, or reach an older graph, because of a change."""
    store, key, value = entry
    before = store.get(key, MISSING)
    if store is own and key not in read:
        return False
    if store is it.state.modes:
        return before is not value and before != value
    if store is it.state.heap:
        ref, name = key
        if name == FREED and type(value) is Mark:
            moment = ref.removeprefix("node").partition(":")[0].removeprefix("-")
            return not moment.isdigit() or int(moment) <= began
        if name.startswith("@") or not _is_of_head(it.state.heap, key):
            return False
    return _may_settle(before, value)


def _may_settle(before: Entry, after: Entry) -> bool:
    """Returns whether a test may be settled by a value that the first iteration has left, and not as by the one before."""
    if after is before or after == before:
        return False
    kind = type(after)
    if kind is v.Unknown:
        return False
    if kind is v.Scalar:
        return after.is_known and not isinstance(after.value, Poly)
    if kind is TensorFact:
        is_number = type(before) is v.Scalar and before.kind in ("int", "float")
        return not is_number and type(before) is not TensorFact
    return True


# ---- what is held -------------------------------------------------------------------------------------------------------


def _is_in_graph(tensor: TensorFact) -> bool:
    origin = tensor.origin
    if tensor.grad.requires is Tri.NO or tensor.grad.leaf is Tri.YES:
        return False
    return origin is not None and (origin.at != 0 or origin.merged)


def _reaches_graph(it: Evaluator, held: list[object], new: set[str]) -> bool:
    """Returns whether values hold a tensor in a graph, and so does what they refer to of the heap.

    All objects that are there at the head of the loop count as held; `new` are the refs of the others.
    """
    content: dict[str, list[object]] = {}
    for (ref, name), value in it.state.heap.items():
        if name[:1] == "@":
            continue
        if ref in new:
            content.setdefault(ref, []).append(value)
        else:
            held.append(value)
    own = _with_outer(it.frame.scope)
    while held:
        value = held.pop()
        if type(value) in _NO_TENSOR:
            continue
        if isinstance(value, _REFERENCES):
            held += content.pop(value.ref, ())
            if type(value) is v.Wrapped:
                held.append(value.module)
        elif type(value) is TensorFact:
            if _is_in_graph(value):
                return True
        elif type(value) is v.FunctionValue:
            if any(scope.kind == "function" and scope not in own for scope in _with_outer(value.scope)):
                return True
            held.append(value.receiver)
        else:
            parts = _parts(value)
            if parts is None:
                return True
            held += parts
    return False


def _with_outer(scope: Scope | None) -> list[Scope]:
    """Returns a scope with those around it."""
    found = []
    while scope is not None:
        found.append(scope)
        scope = scope.parent
    return found


def _parts(value: object) -> Iterable[object] | None:
    """Returns what a value holds directly; None for one that is not known to this check."""
    match value:
        case None | bool() | int() | float() | str():
            return ()
        case v.TupleValue(items=items):
            return items
        case tuple() | list():
            return value
        case dict():
            return value.values()
        case v.DictValue(entries=entries):
            return [item for _, item in entries]
        case v.Repeated(element=element) | v.LoaderValue(element=element) | v.DatasetValue(element=element):
            return (element,)
        case v.Moved(tensor=tensor):
            return (tensor,)
        case v.OneOf(objects=objects):
            return objects
        case v.BoundExternal(receiver=receiver):
            return (receiver,)
        case v.PartialValue(function=function, args=args, kwargs=kwargs):
            return (function, *args, *(item for _, item in kwargs))
    return None
