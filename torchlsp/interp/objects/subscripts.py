"""Evaluates `value[index]` of tensors, containers and other objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact, free_size
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.api import not_a_tensor, not_callable, reduction_pairs
from torchlsp.interp.checks.distributed import collective_results
from torchlsp.interp.checks.layout import rnn_batch_dim, size_names
from torchlsp.interp.model import (
    assumed_tensors,
    classes,
    heap_access,
    heap_values,
    listed_models,
    moved_unknowns,
    possible_parts,
)
from torchlsp.interp.objects import process_groups, rows, tables
from torchlsp.interp.store import join
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.ops.first_sizes import first_size
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def get_item(it: Evaluator, value: Value, index: Value, node: ir.Node) -> Value:
    """Evaluates `value[index]`."""
    match value:
        case TensorFact():
            rnn_batch_dim.check_output_index(it, value, index, node)
            return rows.apply_to_item(it, "Tensor.__getitem__", value, index, node)
        case v.ArrayValue():
            return rows.apply_to_item(it, "ndarray.__getitem__", value, index, node)
        case v.Scalar() if collective_results.is_collective_result(value):
            collective_results.report_result_use(it, value, "item", node)
        case v.ShapeOf(tensor=tensor):
            return size_of(it, tensor, index)
        case v.TupleValue(items=items):
            if type(node) is ir.Subscript and reduction_pairs.is_pair(value):
                reduction_pairs.report_index(it, node, value, index)
            not_a_tensor.check_index(it, value, node)
            size_names.report_missing_dim(it, value, index, node)
            return _sequence_item(it, items, index, node, value.is_size)
        case v.Loaded():
            return value
        case v.Table():
            return tables.item_of_table(it, value, index)
        case v.Fields(entries=fields):
            return dict(fields).get(v.known(index, str) or "", UNKNOWN_VALUE)
        case v.OneOf():
            return _item_of_either(it, value, index, node)
        case v.Moved() if (picked := moved_unknowns.evaluate_item(it, value, index, node)) is not None:
            return picked
        case v.ListRef() | v.LayerValue() | v.InstanceValue() if (value.ref, "[]") in it.state.heap:
            not_a_tensor.check_index(it, value, node)
            content = heap_access.items_at(it, value.ref)
            if isinstance(content, tuple):
                picked = _sequence_item(it, content, index, node)
                if isinstance(index, v.SliceValue) and isinstance(picked, v.TupleValue):
                    if isinstance(value, v.LayerValue):
                        sliced = v.LayerValue(
                            f"{value.ref}[{node.start}]", value.qualname, value.config, value.origin
                        )
                        it.state.set(it.state.heap, (sliced.ref, "[]"), picked.items)
                        return sliced
                    return heap_values.new_list(it, node, picked.items)
                if isinstance(index, v.SliceValue) and type(value) is v.ListRef and _are_numbers(content):
                    return heap_values.new_list(it, node, v.Repeated(join.join_all(list(content), node)))
                return picked
            if isinstance(content, v.Repeated):
                if not isinstance(index, v.SliceValue):
                    return heap_values.one_more(content.element)
                if isinstance(value, v.ListRef):
                    return heap_values.new_list(it, node, _slice_of_many(content, index))
            return one_of(content)
        case v.Repeated(element=element):
            return v.Repeated(element) if isinstance(index, v.SliceValue) else heap_values.one_more(element)
        case v.DictRef(ref=ref):
            held = heap_access.entries_at(it, ref)
            if isinstance(held, v.Repeated):
                return heap_values.one_more(held.element)
            if isinstance(held, dict):
                return heap_values.entry_at(held, index, node)
        case v.DictValue(entries=entries):
            return heap_values.entry_at(dict(entries), index, node)
        case v.BoundExternal():
            not_callable.check_index(it, value, node)
        case v.External(name="os.environ"):
            return process_groups.environment_variable(it, index, node)
        case v.LayerValue(ref=ref):
            children = heap_access.entries_at(it, ref)
            if isinstance(children, dict) and isinstance(index, v.Scalar):
                return children.get(index.value, UNKNOWN_VALUE)
            listed_models.note_inner_access(it, value)
        case v.InstanceValue():
            found = classes.find_method(value.cls, "__getitem__")
            if found is not None:
                owner, function = found
                method = v.FunctionValue(f"{owner.ref}.__getitem__", function, owner.scope, value, owner)
                return it.call_function(method, Arguments((index,)), node)
        case v.DatasetValue(element=element):
            return element
        case v.External(name=name):
            return value if name.startswith("typing.") or name in _GENERIC else UNKNOWN_VALUE
        case v.Unknown() | v.Parameter() if _reverses(index):
            return v.ArrayValue(reversed=True)
        case v.Parameter():
            return possible_parts.item_of_parameter(it, value, index)
    return UNKNOWN_VALUE


def _item_of_either(it: Evaluator, value: v.OneOf, index: Value, node: ir.Node) -> Value:
    """Evaluates `value[index]` of one of several lists."""
    items = possible_parts.items_of_either(it, value)
    if not isinstance(items, v.TupleValue | v.Repeated):
        return possible_parts.items_in(it, value)
    part = get_item(it, items, index, node)
    if isinstance(index, v.SliceValue) and isinstance(part, v.TupleValue | v.Repeated):
        return heap_values.new_list(it, node, part.items if isinstance(part, v.TupleValue) else part)
    return part


_GENERIC = frozenset({"torch.utils.data.Dataset", "torch.utils.data.IterableDataset"})
"""Classes that may be derived from as `Dataset[int]`."""


def _reverses(index: Value) -> bool:
    """Returns whether an index has a negative step, as in `x[:, ::-1]`: only arrays take that."""
    parts = index.items if isinstance(index, v.TupleValue) else ()
    steps = [v.as_int(part.step) for part in parts if isinstance(part, v.SliceValue)]
    return any(step is not None and step < 0 for step in steps)


def _slice_of_many(content: v.Repeated, index: v.SliceValue) -> v.Repeated:
    """Returns the content of a slice of a list of like items; its length, where that of the list and the bounds are known."""
    bounds = [None if part == v.NONE else v.as_int(part) for part in (index.start, index.stop, index.step)]
    are_known = all(
        part == v.NONE or v.as_int(part) is not None for part in (index.start, index.stop, index.step)
    )
    if not are_known or not isinstance(content.length, int) or bounds[2] == 0:
        return v.Repeated(content.element)
    return v.Repeated(content.element, len(range(content.length)[slice(*bounds)]))


def _are_numbers(items: tuple[Value, ...]) -> bool:
    """Returns whether all items are numbers of one kind."""
    kinds = {item.kind if isinstance(item, v.Scalar) else "" for item in items}
    return len(kinds) == 1 and kinds <= {"int", "float"}


def _sequence_item(
    it: Evaluator, items: tuple[Value, ...], index: Value, node: ir.Node, is_size: bool = False
) -> Value:
    """Evaluates an index or a slice of known items."""
    if isinstance(index, v.SliceValue):
        bounds = [
            None if part == v.NONE else v.as_int(part) for part in (index.start, index.stop, index.step)
        ]
        for part, bound in zip((index.start, index.stop, index.step), bounds):
            if part != v.NONE and bound is None:
                return one_of(items)
        try:
            return v.TupleValue(items[slice(*bounds)], is_size=is_size)
        except ValueError:
            return UNKNOWN_VALUE
    position = v.as_int(index)
    if position is not None:
        return items[position] if -len(items) <= position < len(items) else UNKNOWN_VALUE
    if items and len(items) <= 16:
        return join.join_all(list(items), node)
    return one_of(items)


def size_of(it: Evaluator, tensor: TensorFact | v.Parameter, index: Value) -> Value:
    """Returns one size of a tensor of unknown rank: a symbol that is the same each time it is read."""
    position = v.as_int(index)
    if position is None:
        return UNKNOWN_VALUE if isinstance(index, v.SliceValue) else v.Scalar("int")
    if isinstance(tensor, v.Parameter):
        if tensor.is_other:
            return v.Scalar("int")
        tensor = assumed_tensors.assumed_tensor(tensor)
    first = first_size(tensor) if position == 0 else None
    return v.Scalar("int", free_size(tensor, position)) if first is None else v.integer(first)
