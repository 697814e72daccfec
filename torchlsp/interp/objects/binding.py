"""Assigns values to targets: names, attributes, items and unpacked sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim, symbol
from torchlsp.facts.tensor import ONLY_SHAPED, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.layout import unpack_count
from torchlsp.interp.checks.training import stale_parameters
from torchlsp.interp.model import assumed_tensors, given_functions, heap_values
from torchlsp.interp.objects import assignment
from torchlsp.interp.objects.iteration import element_of
from torchlsp.ops.first_sizes import first_size
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def assign(it: Evaluator, target: ir.Node, value: Value, source: ir.Node | None = None) -> bool | None:
    """Binds a target to a value; a target of several names takes the value's items. Returns False where Python raises."""
    if type(target) is ir.Name:
        if it.analysis.optimizers:
            stale_parameters.record_rebinding(it, target, value, source)
        it.bind(target.id, value)
        it.record(target, value)
    elif type(target) is ir.Display:
        _unpack(it, target, value, source)
    elif type(target) is ir.Attribute:
        given_functions.forget_changed_by_stored(it, (value,))
        owner = it.eval(target.object)
        if assignment.is_read_only(owner, target.name):
            return False
        assignment.set_attribute(it, owner, target, value)
        it.record(target, value)
    elif type(target) is ir.Subscript:
        given_functions.forget_changed_by_stored(it, (value,))
        assignment.set_item(it, target, value)
    elif type(target) is ir.Starred:
        assign(it, target.value, UNKNOWN_VALUE)
    return None


def _unpack(it: Evaluator, target: ir.Display, value: Value, source: ir.Node | None) -> None:
    """Binds each name of `a, *b = value`."""
    names = target.items
    starred, rest_target = next(
        ((i, item.value) for i, item in enumerate(names) if type(item) is ir.Starred), (None, None)
    )
    items = unpacked_items(it, value, len(names) if starred is None else None, source, target)
    if items is None:
        for item in names:
            assign(it, item, _element(it, value))
        return
    if starred is None or rest_target is None:
        if len(items) != len(names):
            unpack_count.report_unpacking(it, source, target, value, items)
            for item in names:
                assign(it, item, UNKNOWN_VALUE)
            return
        for item, part in zip(names, items):
            assign(it, item, part)
        return
    after = len(names) - starred - 1
    if len(items) < len(names) - 1:
        for item in names:
            assign(it, item, UNKNOWN_VALUE)
        return
    for item, part in zip(names[:starred], items):
        assign(it, item, part)
    rest = tuple(items[starred : len(items) - after])
    assign(it, rest_target, heap_values.new_list(it, names[starred], rest))
    for item, part in zip(names[starred + 1 :], items[len(items) - after :]):
        assign(it, item, part)


def _element(it: Evaluator, value: Value) -> Value:
    return heap_values.one_more(value.element) if isinstance(value, v.Repeated) else UNKNOWN_VALUE


def unpacked_items(
    it: Evaluator, value: Value, count: int | None, source: ir.Node | None, target: ir.Display
) -> tuple[Value, ...] | None:
    """Returns the items that unpacking yields.

    Unpacking the shape of a tensor of unknown rank reveals the rank.
    """
    items = it.elements(value)
    if items is not None:
        return items
    if isinstance(value, v.ShapeOf) and count is not None:
        return reveal_rank(it, value, count, target)
    if isinstance(value, TensorFact) and count is not None and value.shape:
        if value.shape[0] != count:
            # Python raises here, or the size is not known to be the number of targets.
            unpack_count.report_unpacked_tensor(it, source, target, value)
            return (UNKNOWN_VALUE,) * count
        return tuple(element_of(it, value, target) for _ in range(count))
    if isinstance(value, v.Repeated) and count is not None:
        return tuple(heap_values.one_more(value.element) for _ in range(count))
    if isinstance(value, v.DictValue):
        return tuple(
            v.Scalar("str", key) if isinstance(key, str) else UNKNOWN_VALUE for key, _ in value.entries
        )
    return None


def reveal_rank(it: Evaluator, shape: v.ShapeOf, rank: int, target: ir.Display) -> tuple[Value, ...]:
    """Returns sizes named after the targets of the unpacking.

    The tensor gets its rank wherever it is bound.
    """
    names = [
        item.id if type(item) is ir.Name and item.id != "_" else f"d{i}"
        for i, item in enumerate(target.items)
    ]
    site = f"{it.frame.site}:{target.start}".lstrip(":").replace("@", "")
    sizes: tuple[Dim, ...] = tuple(symbol(f"{name}@{_digits(site)}") for name in names)
    tensor = shape.tensor
    if isinstance(tensor, TensorFact):
        if sizes and (first := first_size(tensor)) is not None:
            sizes = (first, *sizes[1:])
        it.replace(tensor, tensor.but(shape=sizes))
    elif not tensor.is_other:
        fact = assumed_tensors.assumed_tensor(tensor)
        it.replace(tensor, fact.but(shape=sizes, assumed=fact.assumed | {ONLY_SHAPED}))
    return tuple(v.integer(size) for size in sizes)


def _digits(site: str) -> str:
    return "".join(char for char in site if char.isdigit())
