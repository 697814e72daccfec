"""Reads entries of the heap under the types that they have.

The heap maps (ref, key) to anything (`store.heap_keys`). The keys whose content has a type of its own are read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Union

from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, DELETED, GRAD
from torchlsp.interp.store.state import MISSING

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

Items = Union[tuple[Value, ...], v.Repeated, v.Unknown]
"""The content of a list or a container: all its items, one item that stands for all, or unknown."""

KnownEntries = dict[Any, Value]  # Any: the keys are Python constants, of any hashable type
Entries = Union[KnownEntries, v.Repeated, v.Unknown]
"""The content of a mapping: entries by constant keys, a value that stands for all, or unknown."""


def items_at(it: Evaluator, ref: str) -> Items | None:
    """Returns what a list or a container of modules holds; None if the heap has no items under its ref."""
    return it.state.heap.get((ref, "[]"))


def entries_at(it: Evaluator, ref: str) -> Entries | None:
    """Returns what a dict or a ModuleDict holds; None if the heap has no entries under its ref."""
    return it.state.heap.get((ref, "{}"))


def base_layer(it: Evaluator, instance: v.InstanceValue) -> v.LayerValue | None:
    """Returns the layer that an object is by its base class, once its `__init__` has run; else None."""
    base = it.state.heap.get((instance.ref, BASE))
    return base if isinstance(base, v.LayerValue) else None


def attribute_names(it: Evaluator, ref: str) -> tuple[str, ...]:
    """Returns the names of the attributes that were set on an object, in the order of their first setting."""
    return it.state.heap.get((ref, ATTRIBUTES), ())


def may_be_changed(it: Evaluator, ref: str) -> bool:
    """Returns whether code that is not seen had a module, perhaps its own constructor, and may have changed it."""
    heap = it.state.heap
    return heap.get((ref, GRAD), Tri.YES) is Tri.UNKNOWN or heap.get((ref, DELETED), MISSING) is not MISSING


def objects_within(it: Evaluator, value: object, depth: int = 0) -> Iterator[v.InstanceValue]:
    """Yields the objects of the workspace that a value is, or that the lists, dicts, tuples and module lists in it hold."""
    inner: object = ()
    match value:
        case v.InstanceValue():
            yield value
        case v.ListRef(ref=ref) | v.LayerValue(ref=ref):
            inner = items_at(it, ref)
        case v.DictRef(ref=ref):
            inner = entries_at(it, ref)
        case v.TupleValue(items=items):
            inner = items
        case v.Repeated():
            inner = value
    if isinstance(inner, v.Repeated):
        inner = (inner.element,)
    elif isinstance(inner, dict):
        inner = tuple(inner.values())
    if isinstance(inner, tuple) and depth < _MAX_DEPTH:
        for one in inner:
            yield from objects_within(it, one, depth + 1)


_MAX_DEPTH = 4
"""How deep containers in containers are searched for objects."""
