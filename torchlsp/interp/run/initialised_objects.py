"""Forgets what is no longer known of an object once its `__init__` has run and other code may have used it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.model import classes, heap_values, later_changes
from torchlsp.interp.store.heap_keys import ATTRIBUTES

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter


def forget_what_may_change(it: Interpreter, instance: v.InstanceValue, cls: v.ClassValue) -> None:
    """Forgets attributes that other methods change or fill, and devices to which the object may have been moved."""
    changed = later_changes.attributes_changed_later(it, cls)
    module_placement.forget_unless_moved(it, instance)
    for name in it.state.heap.get((instance.ref, ATTRIBUTES), ()):
        module_placement.forget_unless_moved(it, it.state.heap.get((instance.ref, name), UNKNOWN_VALUE))
    classes.forget(it, instance, changed)
    _forget_changed_inside(it, instance, {instance.ref})
    _forget_filled_later(it, instance)
    _forget_placeholders(it, instance, {instance.ref})


def _forget_changed_inside(it: Interpreter, instance: v.InstanceValue, seen: set[str]) -> None:
    """Forgets attributes of an object's parts that their methods, which may have run since, change."""
    heap = it.state.heap
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        part = heap.get((instance.ref, name))
        if type(part) is not v.InstanceValue or part.ref in seen or classes.is_module(part.cls):
            continue
        seen.add(part.ref)
        for changed in sorted(later_changes.attributes_changed_later(it, part.cls)):
            if (part.ref, changed) in heap:
                it.state.set(heap, (part.ref, changed), UNKNOWN_VALUE)
        _forget_changed_inside(it, part, seen)


def _forget_filled_later(it: Interpreter, instance: v.InstanceValue) -> None:
    """Forgets containers that `__init__` leaves empty or that code of the file adds to: they are filled before methods run."""
    heap = it.state.heap
    filled = it.main.ir.changed_attributes
    if heap.get((instance.ref, "[]")) == ():
        it.state.set(heap, (instance.ref, "[]"), UNKNOWN_VALUE)
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        held = heap.get((instance.ref, name))
        if isinstance(held, (v.ListRef, v.DictRef)):
            key = heap_values.content_key(held)
            if key in heap and (name in filled or heap[key] in ((), {})):
                it.state.set(heap, key, UNKNOWN_VALUE)


def _forget_placeholders(it: Interpreter, instance: v.InstanceValue, seen: set[str]) -> None:
    """Forgets tensors without elements in an object and its parts: they are replaced before a method runs."""
    heap = it.state.heap
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        held = heap.get((instance.ref, name))
        if type(held) is TensorFact and held.shape is not None and 0 in held.shape:
            it.state.set(heap, (instance.ref, name), UNKNOWN_VALUE)
        elif type(held) is v.InstanceValue and held.ref not in seen:
            seen.add(held.ref)
            _forget_placeholders(it, held, seen)
