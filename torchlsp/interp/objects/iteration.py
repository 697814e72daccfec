"""Returns the items that iterating over a value yields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.device import Device
from torchlsp.facts.tensor import Storage, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.distributed import varying_values
from torchlsp.interp.checks.modules.parameter_names import ParameterNames
from torchlsp.interp.model import heap_access, heap_values, listed_models, possible_parts
from torchlsp.interp.objects import data_loading
from torchlsp.interp.store import join
from torchlsp.interp.store.heap_keys import DEVICE
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

UNROLLED = 12
"""Loops over this many known items are run item by item."""


def known_items(it: Evaluator, value: Value) -> tuple[Value, ...] | None:
    """Returns all items of a sequence or a container of modules; None if they are not known one by one."""
    items = it.elements(value)
    if items is not None:
        return items
    if (
        isinstance(value, v.Repeated)
        and isinstance(value.length, int)
        and isinstance(value.element, v.TupleValue)
    ):
        return None
    return heap_values.children_in_order(it, value)


def elements_at_once(it: Evaluator, iterables: Sequence[Value], node: ir.Node) -> tuple[Value, ...]:
    """Returns one item of each of several values that a node goes through together; their sizes are not the same symbols."""
    return tuple(element_of(it, one, node, f"/{i}") for i, one in enumerate(iterables))


def element_of(it: Evaluator, iterable: Value, node: ir.Node, part: str = "") -> Value:
    """Returns one item that stands for all that iterating over a value yields; `part` is part of the names of fresh sizes."""
    match iterable:
        case v.Repeated(element=element):
            return heap_values.one_more(element)
        case v.LoaderValue():
            batch = data_loading.batch_of(it, iterable, node)
            varying_values.record_batch(it, iterable, batch, node)
            return batch
        case v.ListRef(ref=ref):
            content = heap_access.items_at(it, ref)
            if isinstance(content, v.Repeated):
                return heap_values.one_more(content.element)
            if isinstance(content, tuple) and content:
                return _joined(content, node, part)
            if isinstance(content, v.OneOf):
                return content
        case v.DictRef(ref=ref):
            entries = heap_access.entries_at(it, ref)
            if isinstance(entries, dict) and entries:
                return _joined(tuple(v.Scalar(type(key).__name__, key) for key in entries), node, part)
        case v.TupleValue(items=items) if items:
            return _joined(items, node, part)
        case TensorFact(shape=shape) if shape:
            from torchlsp.ops import operator
            from torchlsp.ops.signature import Arguments

            row = operator("Tensor.__getitem__")
            if row is not None:
                result, _ = row.apply(
                    "Tensor.__getitem__", Arguments((iterable, v.Scalar("int"))), it.context(node)
                )
                return result
        case v.ParametersOf():
            return _one_parameter(it, iterable, node)
        case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref) if (ref, "[]") in it.state.heap:
            content = heap_access.items_at(it, ref)
            if isinstance(content, v.Repeated):
                return heap_values.one_more(content.element)
            if isinstance(content, tuple) and content:
                return _joined(content, node, part)
        case v.LayerValue():
            listed_models.note_inner_access(it, iterable)
        case v.InstanceValue():
            return data_loading.item_of_instance(it, iterable, node, in_loop=True)
        case v.DatasetValue(element=element):
            return element
        case v.OneOf() | v.Parameter(objects=(_, *_)):
            held = possible_parts.items_of_either(it, iterable)
            if isinstance(held, v.TupleValue | v.Repeated):
                return element_of(it, held, node, part)
            return possible_parts.items_in(it, iterable)
    return UNKNOWN_VALUE


def _one_parameter(it: Evaluator, parameters: v.ParametersOf, node: ir.Node) -> Value:
    """Returns one item of `module.parameters()` or `module.named_parameters()`."""
    one = TensorFact(
        provenance="parameter", storage=Storage(parameters.owns), device=_common_device(it, parameters)
    )
    name = (
        v.NameOf("str", ref=parameters.ref)
        if parameters.ref in it.states[ParameterNames].named
        else v.Scalar("str")
    )
    return v.TupleValue((name, one)) if parameters.named else one


def _common_device(it: Evaluator, parameters: v.ParametersOf) -> Device | None:
    """Returns the device to which all modules with these parameters were moved; None if one was not, or elsewhere."""
    moved = {it.state.heap.get((ref, DEVICE)) for ref in parameters.owns or ()}
    device = moved.pop() if len(moved) == 1 else None
    return device if isinstance(device, Device) else None


def _joined(items: tuple[Value, ...], node: ir.Node, part: str) -> Value:
    result = items[0]
    for i, item in enumerate(items[1:]):
        result = join.join(result, item, f"{node.start}{part}.{i}")
    return result
