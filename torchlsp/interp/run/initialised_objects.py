"""Forgets what is no longer known of an object once its `__init__` has run and other code may have used it."""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.model import classes, heap_access, heap_values, later_changes, module_tree
from torchlsp.interp.store.heap_keys import ATTRIBUTES, TRAINING
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter


def forget_what_may_change(it: Interpreter, instance: v.InstanceValue, cls: v.ClassValue) -> None:
    """Forgets attributes that other methods change or fill, and devices to which the object may have been moved."""
    changed = later_changes.attributes_changed_later(it, cls) | later_changes.devices_moved_along(
        it, instance
    )
    module_placement.forget_unless_moved(it, instance)
    for name in it.state.heap.get((instance.ref, ATTRIBUTES), ()):
        module_placement.forget_unless_moved(it, it.state.heap.get((instance.ref, name), UNKNOWN_VALUE))
    for module in module_tree.submodules(it, instance):
        if (module.ref, TRAINING) not in it.state.heap:  # who calls the method may have called `eval` before
            it.state.set(it.state.heap, (module.ref, TRAINING), Tri.UNKNOWN)
    replaced = it.main.ir.replaced_attributes
    classes.forget(
        it, instance, changed | (replaced & set(it.state.heap.get((instance.ref, ATTRIBUTES), ())))
    )
    _forget_zeros(it, instance)
    _forget_changed_inside(it, instance, {instance.ref})
    _forget_filled_later(it, instance)
    _forget_placeholders(it, instance, {instance.ref})


def forget_overridden(it: Interpreter, instance: v.InstanceValue, cls: ir.Class) -> None:
    """Makes unknown what subclasses override, on the object of a class of which the file creates no objects.

    What such a class assigns in its body is a default: subclasses that are elsewhere replace it. In every class a size of 0 is a
    placeholder, and what code of the file assigns on other objects than `self` may be replaced.
    """
    module = it.main.ir
    names = set(later_changes.overridden_in_subclasses(module, cls))
    assigned = later_changes.assigned_in_body(cls)
    names |= {name for name, value in assigned if name in module.replaced_attributes or _is_zero(value)}
    if cls.name not in module.used_classes:
        for base in classes.mro(instance.cls):
            if isinstance(base, v.ClassValue) and base.scope is not None and base.ir is not None:
                defaults = {name for name, _ in later_changes.assigned_in_body(base.ir) if name[:2] != "__"}
                names |= defaults - set(it.state.heap.get((instance.ref, ATTRIBUTES), ()))
                for name in sorted(defaults & base.scope.variables.keys()):
                    it.state.set(base.scope.variables, name, UNKNOWN_VALUE)
    for name in sorted(names):
        heap_values.put_attribute(it, instance.ref, name, UNKNOWN_VALUE)


def forget_changed_by_methods(it: Interpreter, refs: Iterable[str]) -> None:
    """Forgets what methods change of objects at module level: a function may run after any number of their calls."""
    seen: set[str] = set()
    for ref in list(refs):
        if ref not in seen:
            later_changes.forget_changing(it, v.InstanceValue(ref, it.classes[ref]), seen)


def _is_zero(node: ir.Node | None) -> bool:
    return isinstance(node, ir.Constant) and type(node.value) is int and node.value == 0


def _forget_zeros(it: Interpreter, instance: v.InstanceValue) -> None:
    """Forgets ints that are still 0 after `__init__`: as sizes they are placeholders."""
    heap = it.state.heap
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        held = heap.get((instance.ref, name))
        if type(held) is v.Scalar and held.kind == "int" and held.value == 0:
            it.state.set(heap, (instance.ref, name), v.Scalar("int"))


def _forget_changed_inside(it: Interpreter, instance: v.InstanceValue, seen: set[str]) -> None:
    """Forgets attributes of an object's parts that their methods, which may have run since, change."""
    heap = it.state.heap
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        for part in heap_access.objects_within(it, heap.get((instance.ref, name))):
            if part.ref in seen:
                continue
            seen.add(part.ref)
            changed = later_changes.attributes_changed_later(it, part.cls)
            classes.forget(it, part, changed | later_changes.devices_moved_along(it, part))
            _forget_changed_inside(it, part, seen)


def _forget_filled_later(it: Interpreter, instance: v.InstanceValue) -> None:
    """Forgets containers that code of the file adds to: they are filled before methods run."""
    heap = it.state.heap
    filled = it.main.ir.changed_attributes
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        held = heap.get((instance.ref, name))
        if isinstance(held, (v.ListRef, v.DictRef)) and name in filled:
            key = heap_values.content_key(held)
            if key in heap:
                it.state.set(heap, key, UNKNOWN_VALUE)


def _forget_placeholders(it: Interpreter, instance: v.InstanceValue, seen: set[str]) -> None:
    """Forgets containers and tensors without elements, at any depth of an object and its parts: they are filled before methods run."""
    heap = it.state.heap
    if heap.get((instance.ref, "[]")) == ():
        it.state.set(heap, (instance.ref, "[]"), UNKNOWN_VALUE)
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        held = heap.get((instance.ref, name), UNKNOWN_VALUE)
        kept = _without_placeholders(it, held, seen)
        if kept is not held:
            it.state.set(heap, (instance.ref, name), kept)


def _without_placeholders(it: Interpreter, value: v.Value, seen: set[str]) -> v.Value:
    """Returns a value whose parts without elements are unknown; those of lists, dicts and objects are forgotten in the heap."""
    if type(value) is TensorFact:
        return UNKNOWN_VALUE if value.shape is not None and 0 in value.shape else value
    if type(value) is v.TupleValue:
        items = tuple(_without_placeholders(it, item, seen) for item in value.items)
        return value if all(map(is_, items, value.items)) else replace(value, items=items)
    if type(value) is v.Repeated:
        element = _without_placeholders(it, value.element, seen)
        return value if element is value.element else replace(value, element=element)
    if isinstance(value, (v.ListRef, v.DictRef, v.InstanceValue)) and value.ref not in seen:
        seen.add(value.ref)
        if isinstance(value, v.InstanceValue):
            _forget_placeholders(it, value, seen)
        else:
            _forget_placeholders_inside(it, heap_values.content_key(value), seen)
    if type(value) is v.LayerValue:
        heap_values.forget_if_empty(it, value.ref)
    return value


def _forget_placeholders_inside(it: Interpreter, key: tuple[str, str], seen: set[str]) -> None:
    """Forgets the content of a list or a dict in the heap if it is empty, else what is empty among its items."""
    content = it.state.heap.get(key)
    kept: object = content
    if content in ((), {}):
        kept = UNKNOWN_VALUE
    elif isinstance(content, tuple):
        items = tuple(_without_placeholders(it, item, seen) for item in content)
        kept = content if all(map(is_, items, content)) else items
    elif isinstance(content, dict):
        entries = {name: _without_placeholders(it, item, seen) for name, item in content.items()}
        kept = content if all(entries[name] is content[name] for name in content) else entries
    elif type(content) is v.Repeated:
        kept = _without_placeholders(it, content, seen)
    if kept is not content:
        it.state.set(it.state.heap, key, kept)
