"""Reads parts of unknown values that may be one of some objects: the objects that the part may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.model import heap_access, heap_values, module_tree, store_entries
from torchlsp.interp.model.heap_access import Items
from torchlsp.interp.store import join
from torchlsp.interp.store.heap_keys import RESIZED
from torchlsp.interp.store.possible_objects import blocks_of, objects_of, one_of
from torchlsp.interp.store.state import MISSING

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


_OBJECTS_PER_STEP = 50
"""How many objects are looked at in the time of a step or two."""


def items_in(it: Evaluator, value: Value) -> v.Unknown:
    """Returns what an item of an unknown value may be: an item of an object, or the object, if the value is a part of a list."""
    found: list[object] = []
    it.steps += len(objects_of(value)) // _OBJECTS_PER_STEP
    for owner in objects_of(value):
        found.append(owner)
        found.extend(it.state.heap.get(key, MISSING) for key in _content_keys(owner))
    return one_of(*found)


def held_by(it: Evaluator, value: Value, depth: int = 0) -> Value:
    """Returns the items of a list, or of one of several lists, as far as they are known; other values as they are.

    A tuple where each item is known, a `Repeated` of one that stands for all, lists in it included.
    """
    contents: list[Items | None] = []
    if isinstance(value, v.ListRef):
        contents = [heap_access.items_at(it, value.ref)]
    elif type(value) is v.OneOf and value.is_list:
        contents = [heap_access.items_at(it, one.ref) for one in value.objects if isinstance(one, v.ListRef)]
    if not contents or depth > _DEPTH:
        return value
    items: list[Value] = []
    lengths: set[int | None] = set()
    for content in contents:
        if not isinstance(content, tuple | v.Repeated) or content == () and len(contents) > 1:
            return value  # a list without items has no items of the others' kind
        items += content if isinstance(content, tuple) else (content.element,)
        lengths.add(len(content) if isinstance(content, tuple) else None)
    if len(contents) == 1 and isinstance(contents[0], tuple):
        return v.TupleValue(contents[0])
    if not items:
        return value
    name = f"held.{contents and getattr(value, 'ref', len(contents))}"
    if len(lengths) == 1 and (count := lengths.pop()) is not None:
        columns = (items[place::count] for place in range(count))
        return v.TupleValue(
            tuple(join.join_series(column, f"{name}.{i}") for i, column in enumerate(columns))
        )
    length = contents[0].length if len(contents) == 1 and isinstance(contents[0], v.Repeated) else None
    return v.Repeated(held_by(it, join.join_series(items, name), depth + 1), length)


_DEPTH = 4
"""How deep lists in lists are looked into."""


def items_of_either(it: Evaluator, value: Value) -> Value:
    """Returns the items of a list, or of one of several lists, as `held_by`; lists among them stay lists, which may change."""
    return held_by(it, value, _DEPTH)


def attribute_of(it: Evaluator, value: Value, name: str) -> v.Unknown:
    """Returns what an attribute of an unknown value may be; the object itself for a method."""
    found: list[object] = []
    it.steps += len(objects_of(value)) // _OBJECTS_PER_STEP
    for owner in objects_of(value):
        held = it.state.heap.get((getattr(owner, "ref", ""), name), MISSING)
        found.append(owner if held is MISSING else held)
    return one_of(*found)


def attribute_of_parameter(it: Evaluator, value: v.Parameter, name: str) -> v.Parameter:
    """Returns an attribute of a parameter whose argument is unknown."""
    parts = attribute_of(it, value, name) if value.objects else value
    return v.Parameter(
        f"{value.name}.{name}", f"{value.label}.{name}", passed=value.passed, objects=objects_of(parts)
    )


def item_of_parameter(it: Evaluator, value: v.Parameter, index: Value) -> Value:
    """Returns an item of a parameter whose argument is unknown; for a constant index it is a parameter itself."""
    parts = items_in(it, value)
    if isinstance(index, v.Scalar) and isinstance(index.value, (str, int)) and index.kind != "bool":
        name, label = f"{value.name}[{index.value}]", f"{value.label}[{index.value!r}]"
        return v.Parameter(name, label, objects=objects_of(parts))
    return parts


def set_attribute(it: Evaluator, target: Value, name: str, value: Value) -> None:
    """Sets an attribute of an unknown value: that of each object which it may be is then unknown."""
    if name in ("requires_grad", "grad", "data", "shape"):
        store_entries.forget_tensors(it, target, name in ("requires_grad", "grad"), name == "data")
    if name == "requires_grad":
        forget_frozen(it, target)
    for owner in objects_of(target):
        if isinstance(owner, v.InstanceValue | v.LayerValue):
            before = it.state.heap.get((owner.ref, name), MISSING)
            heap_values.put_attribute(it, owner.ref, name, one_of(before, value))
            if isinstance(owner, v.LayerValue):
                it.state.set(it.state.heap, (owner.ref, RESIZED), True)


def forget_written(it: Evaluator, value: Value, method: str, keeps_sizes: bool) -> None:
    """Forgets what a method of an unknown value changes in place of the tensors that it may be."""
    if not method.endswith("_") or method.endswith("__"):
        return
    written = keeps_sizes and ops.operator(f"Tensor.{method}") is not None
    store_entries.forget_tensors(it, value, written, replaced=method in ("set_", "resize_"))
    if method == "requires_grad_":
        forget_frozen(it, value)


def forget_frozen(it: Evaluator, value: Value) -> None:
    """Forgets `requires_grad` of the modules of which an unknown value may be a parameter."""
    blocks = blocks_of(value)
    if blocks:
        module_tree.freeze_some(it, None if "" in blocks else blocks, Tri.UNKNOWN)


def _content_keys(owner: Value) -> tuple[tuple[str, str], ...]:
    ref = getattr(owner, "ref", "")
    return (ref, "[]"), (ref, "{}")
