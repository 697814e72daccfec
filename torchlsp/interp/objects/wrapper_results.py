"""Evaluates what parallel wrappers make of their module's results: those, or copies that were gathered from replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes
from torchlsp.interp.store.heap_keys import COPIES
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_DATA_PARALLEL = "torch.nn.DataParallel"


def record_copies(it: Evaluator, wrapper: v.Wrapped, arguments: Arguments) -> None:
    """Records that a new wrapper may return copies of what its module returns.

    DataParallel gathers the results of its replicas, unless it has one device; DistributedDataParallel copies the results
    where it looks for unused parameters.
    """
    given = dict(arguments.keywords)
    if wrapper.qualname == _DATA_PARALLEL:
        ids = arguments.positional[1] if len(arguments.positional) > 1 else given.get("device_ids", v.NONE)
        items = it.elements(ids)
        if items is not None and len(items) == 1:
            return
    elif wrapper.qualname != "torch.nn.parallel.DistributedDataParallel":
        return
    elif not arguments.is_open and all(
        given.get(name, v.FALSE) == v.FALSE for name in ("find_unused_parameters", "static_graph")
    ):
        return
    it.state.set(it.state.heap, (wrapper.ref, COPIES), True)


def perhaps_copied(
    it: Evaluator, wrapped: v.Wrapped, arguments: Arguments, result: Value, mark: int, node: ir.Node
) -> Value:
    """Returns what a call of a wrapper gives; `mark` is the store before its module was called."""
    if it.state.heap.get((wrapped.ref, COPIES)) is None:
        return result
    if wrapped.qualname != _DATA_PARALLEL:
        return _perhaps_copied(it, result, node)
    _forget_set_on_replicas(it, mark)
    batches = [
        value.shape[0]
        for value in (*arguments.positional, *(value for _, value in arguments.keywords))
        if type(value) is TensorFact and value.shape
    ]
    return _perhaps_copied(it, result, node, batches)


def _forget_set_on_replicas(it: Evaluator, mark: int) -> None:
    """Forgets the attributes of modules set since the mark: they may have been set on replicas, which are dropped."""
    for store, key, _ in it.state.changes(mark).values():
        if store is it.state.heap and key[0] in it.classes and str(key[1]).isidentifier():
            if classes.is_module(it.classes[key[0]]):
                it.state.set(store, key, UNKNOWN_VALUE)


def _perhaps_copied(
    it: Evaluator, result: Value, node: ir.Node, batches: list[Dim] | None = None, path: str = ""
) -> Value:
    """Returns what a wrapper returns for its module's result: that, or a copy of it.

    With `batches`, the first sizes of the arguments, it may be gathered from replicas: other first sizes are not known, and a
    number may have become several.
    """
    match result:
        case v.TupleValue(items=items):
            parts = (_perhaps_copied(it, item, node, batches, f"{path}.{i}") for i, item in enumerate(items))
            return replace(result, items=tuple(parts))
        case TensorFact(shape=shape, layout=layout, grad=grad, storage=storage):
            if storage.ids is not None:
                copy = f"copied@{it.frame.site}:{node.start}{path}"
                storage = replace(storage, ids=storage.ids | {copy})
            if batches is None:
                return result.but(storage=storage)
            if not shape:
                shape = None
            elif not any(dims.equal(shape[0], size) is Tri.YES for size in batches):
                shape = (dims.symbol(f"?gathered@{it.frame.site}:{node.start}{path}"), *shape[1:])
            leaf = grad.leaf if grad.requires is Tri.YES and grad.leaf is Tri.NO else Tri.UNKNOWN
            return result.but(
                shape=shape,
                layout=ROW_MAJOR if layout is ROW_MAJOR else None,
                grad=replace(grad, leaf=leaf),
                storage=storage,
                provenance=None if result.provenance in ("parameter", "buffer") else result.provenance,
                content=None,
            )
        case v.Unknown() | v.Parameter() | v.Scalar(kind="none"):
            return result
    return UNKNOWN_VALUE
