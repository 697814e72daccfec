"""Reads entries of the heap under the types that they have.

The heap maps (ref, key) to anything. The keys whose content has a type of its own are read here: the items of a sequence
(`"[]"`), the entries of a mapping (`"{}"`), the layer that an object is by its base class (`"@base"`), and the names of an
object's attributes (`"@attributes"`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from torchlsp.facts import values as v
from torchlsp.facts.values import Value

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

Items = Union[tuple[Value, ...], v.Repeated, v.Unknown]
"""What a list or a container of modules holds: all its items, one item that stands for all of them, or anything."""

Entries = Union[dict[Any, Value], v.Repeated, v.Unknown]
"""What a mapping holds: its entries by the constants of their keys, a value that stands for all of them, or anything."""


def items_at(it: Evaluator, ref: str) -> Items | None:
    """Returns what a list or a container of modules holds; None if the heap has no items under its ref."""
    return it.state.heap.get((ref, "[]"))


def entries_at(it: Evaluator, ref: str) -> Entries | None:
    """Returns what a dict or a ModuleDict holds; None if the heap has no entries under its ref."""
    return it.state.heap.get((ref, "{}"))


def base_layer(it: Evaluator, instance: v.InstanceValue) -> v.LayerValue | None:
    """Returns the layer that an object is by its base class, where that is a layer of torch whose `__init__` has run."""
    return it.state.heap.get((instance.ref, "@base"))


def attribute_names(it: Evaluator, ref: str) -> tuple[str, ...]:
    """Returns the names of the attributes that were set on an object, in the order in which they were first set."""
    return it.state.heap.get((ref, "@attributes"), ())
