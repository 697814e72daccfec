"""Knows the modules inside which a program looks by computed names, and forgets them when it puts something in there."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import heap_values, module_tree
from torchlsp.interp.store.heap_keys import RESIZED
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.interp.store.possible_objects import objects_of, one_of
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


@running_state
class Searched:
    """Modules whose children the program has asked for by `get_submodule`, `named_modules`, `getattr(model, name)`, by ref."""

    modules: dict[str, Value] = per_root(dict)


def record(it: Evaluator, value: Value) -> None:
    """Records that an unknown value may be a part of this module."""
    if isinstance(value, v.Wrapped):
        value = value.module
    if isinstance(value, v.LayerValue | v.InstanceValue):
        it.states[Searched].modules[value.ref] = value


def submodule(it: Evaluator, value: Value, path: str | None) -> Value:
    """Returns the module inside another one at a dotted path, or what it may be."""
    heap, found = it.state.heap, value
    for name in (path or "?").split("."):
        ref = getattr(found, "ref", "")
        items, position = heap.get((ref, "[]")), int(name) if name.isdecimal() else -1
        held = (
            items[position]
            if isinstance(items, tuple) and 0 <= position < len(items)
            else heap.get((ref, name))
        )
        if not isinstance(held, v.LayerValue | v.InstanceValue | v.Wrapped):
            return one_of(*module_tree.submodules(it, value))
        found = held
    return found


_READ_AT_CALL = module_tree.BEHAVIOUR | module_tree.SIZED_BEHAVIOUR | {"kernel_size", "forward"}


def forget_changed(it: Evaluator, target: Value, name: str | None, value: Value, is_computed: bool) -> None:
    """Forgets what the modules do of which an unknown value may be a part, when a module or a parameter is put into it, or an
    argument of its layers is changed.

    `is_computed`: under a name that is computed, so that an unknown value may be a module as well.
    """
    if not isinstance(target, v.Unknown | v.Parameter):
        return
    is_part = (
        name in _READ_AT_CALL
        or isinstance(value, v.LayerValue | v.InstanceValue | v.Wrapped)
        or (isinstance(value, TensorFact) and value.provenance == "parameter")
    )
    if not is_part and not (is_computed and isinstance(value, v.Unknown | v.Parameter)):
        return
    searched = it.states[Searched].modules
    changed = (*searched.values(), *objects_of(target))
    if any(
        part.ref == getattr(value, "ref", "")
        for module in changed
        for part in module_tree.submodules(it, module)
    ):
        return  # what is inside already is only kept elsewhere
    for module in changed:
        forget(it, module)
    searched.clear()


def forget(it: Evaluator, module: Value) -> None:
    """Forgets what a module and all modules in it do when they are called."""
    for part in module_tree.submodules(it, module):
        if isinstance(part, v.LayerValue | v.InstanceValue):
            heap_values.put_attribute(it, part.ref, "forward", UNKNOWN_VALUE)


def try_out(
    it: Evaluator, function: v.FunctionValue, layers: tuple[v.LayerValue, ...], node: ir.Node
) -> dict[str, frozenset[str]]:
    """Runs a function on each of several layers for its faults; the store and the trace do not change.

    Returns the attributes that it sets, by the class of the layer.
    """
    changed: dict[str, frozenset[str]] = {}
    for layer in layers:
        mark = it.state.mark()
        it.recorder.open()
        try:
            it.invoke(function, Arguments((layer,)), node)
        finally:
            it.recorder.close()
            keys = [name for store, name, _ in it.state.take(mark).values() if store is it.state.heap]
            changed[layer.qualname] = frozenset(key[1] for key in keys if key[0] == layer.ref)
    return changed


def forget_applied(
    it: Evaluator, module: Value, function: ir.Function, changed: Mapping[str, Set[str]]
) -> None:
    """Forgets what a function changes that is applied to a module and all modules in it.

    `changed`: the attributes that it sets, by the class of the layer.
    """
    for node in scope_nodes(function.body):
        match node:
            case ir.Call(function=called) if word(called) in _PUT_MODULES:
                return forget(it, module)
            case ir.Assign(targets=targets) if any(map(_may_put_module, targets)):
                return forget(it, module)
    for layer in module_tree.submodules(it, module):
        names = changed.get(layer.qualname, frozenset()) if isinstance(layer, v.LayerValue) else frozenset()
        if not names.isdisjoint(_PARAMETERS):
            it.state.set(it.state.heap, (layer.ref, RESIZED), True)
        for name in sorted(names & _READ_AT_CALL):
            heap_values.put_attribute(it, layer.ref, name, UNKNOWN_VALUE)
    return None


_PUT_MODULES = frozenset({"setattr", "add_module", "register_module", "register_parameter"})
_PARAMETERS = frozenset({"weight", "bias"})


def _may_put_module(target: ir.Node) -> bool:
    """Returns whether an assignment may put a module into another one, or change what one does, as far as its text shows."""
    if type(target) is ir.Attribute:
        return target.name == "forward"
    if type(target) is not ir.Subscript or type(target.object) is not ir.Attribute:
        return False
    return target.object.name not in (*_PARAMETERS, "data", "grad")
