"""Sets and deletes attributes and items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.api.torch_api import PatchedNames
from torchlsp.interp.checks.autograd import detached_writes, gradient_access
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.checks.layout import indexed_copy_writes
from torchlsp.interp.checks.modules import module_use, partial_layer_edits
from torchlsp.interp.checks.training import manual_updates, stale_parameters
from torchlsp.interp.model import (
    classes,
    decorator_names,
    gradient_writes,
    heap_access,
    heap_values,
    inner_modules,
    later_changes,
    listed_models,
    module_tree,
    possible_parts,
    store_entries,
)
from torchlsp.interp.model.heap_access import Items
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.objects import (
    attributes_and_methods,
    process_groups,
    python_library,
    rows,
    unknown_calls,
)
from torchlsp.interp.store import join
from torchlsp.interp.store.heap_keys import ATTRIBUTES, DELETED, GRAD, UNREADY
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.interp.store.state import MISSING, Names
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def is_read_only(owner: Value, name: str) -> bool:
    """Returns whether an attribute is a field of a named tuple, which cannot be set."""
    if type(owner) is v.TupleValue:
        return name in owner.names
    return type(owner) is v.InstanceValue and name in python_library.inherited_fields(owner.cls)


def set_attribute(it: Evaluator, target: Value, node: ir.Attribute, value: Value) -> None:
    """Evaluates `target.name = value`."""
    name = node.name
    if it.analysis.optimizers:
        stale_parameters.record_put_module(it, target, name, value, node)
    if "gr" in name:
        gradient_access.report_assignment(it, target, node, value)
    match target:
        case v.InstanceValue() | v.LayerValue() if name == "__class__":
            heap_values.forget_attributes(it, target)
            heap_values.put_attribute(it, target.ref, "forward", UNKNOWN_VALUE)
        case v.InstanceValue(ref=ref):
            if _set_property(it, target, name, value, node):
                return
            if it.state.heap.get((ref, UNREADY)) is True:
                module_use.report_set_before_init(it, target, name, value, node)
            module_use.report_overwritten_own_parameter(it, target, name, value, node)
            before = it.state.heap.get((ref, name), MISSING)
            heap_values.put_attribute(it, ref, name, value)
            _put_module(it, ref, name, before, value)
            if type(value) is v.ListRef and heap_access.items_at(it, value.ref) == ():
                if name in later_changes.filled_elsewhere(it, target.cls, it.frame.function):
                    it.state.set(it.state.heap, (value.ref, "[]"), UNKNOWN_VALUE)
            if isinstance(value, TensorFact) and value.provenance == "buffer":
                module_placement.register_buffer(it, ref, name)
        case v.LayerValue(ref=ref):
            module_use.report_overwritten_parameter(it, target, name, value, node)
            partial_layer_edits.record_changed_attribute(it, target, name)
            partial_layer_edits.record_new_head(it, target, name, value)
            listed_models.note_inner_access(it, target)
            partial_layer_edits.record_replaced_parameter(it, target, name, value)
            before = it.state.heap.get((ref, name), MISSING)
            heap_values.put_attribute(it, ref, name, value)
            _put_module(it, ref, name, before, value)
            if isinstance(value, TensorFact | v.Unknown):
                module_placement.forget_placement(it, ref)
        case v.WorkspaceModule(info=info):
            it.state.set(info.scope.variables, name, value)
        case v.ClassValue(scope=scope):
            it.state.set(scope.variables, name, value)
        case v.DatasetValue():
            store_entries.forget_samples(it, target)
        case TensorFact():
            it.states[PatchedNames].names.add(name)
            _set_tensor_attribute(it, target, node, value)
            return
        case v.ArrayValue() if name in ("shape", "strides"):
            store_entries.forget_array_sizes(it, target)
        case v.External() | v.BoundExternal() | v.Unknown() | v.Parameter():
            it.states[PatchedNames].names.add(name)
            inner_modules.forget_changed(it, target, name, value, is_computed=False)
            if type(target) is v.External:
                it.states[PatchedNames].names.add(f"{target.name}.{name}")
            possible_parts.set_attribute(it, target, name, value)
    if name == "data" and gradient_writes.is_gradient(node.object):
        _record_cleared_gradients(it, node)
    if name == "grad" and (value == v.NONE or not isinstance(target, v.InstanceValue)):
        _record_cleared_gradients(it, node)
    if name == "requires_grad" and isinstance(target, (v.LayerValue, v.InstanceValue)):
        it.state.set(it.state.heap, (target.ref, GRAD), Tri.UNKNOWN)


def _put_module(it: Evaluator, ref: str, name: str, before: Value, value: Value) -> None:
    """Adds a module that is set as an attribute of a container to its children; forgets them if it may be one."""
    heap = it.state.heap
    if (ref, "[]") not in heap:
        return
    if isinstance(value, (v.LayerValue, v.InstanceValue, v.Wrapped)):
        heap_values.put_child(it, ref, name, before, value)
    elif isinstance(value, (v.Unknown, v.Parameter)):
        it.state.set(heap, (ref, "[]"), one_of(heap[ref, "[]"], value))


def _set_property(it: Evaluator, target: v.InstanceValue, name: str, value: Value, node: ir.Node) -> bool:
    """Runs the setter if the attribute is a property of the class; tells whether it is one."""
    if (target.ref, name) in it.state.heap:
        return False
    found = classes.find_method(target.cls, name)
    if found is None or not found[1].decorators:
        return False
    owner, function = found
    setter = heap_values.accessor(owner, name, "setter")
    if setter is not None:
        method = v.FunctionValue(f"{owner.ref}.{name}", setter, owner.scope, target, owner)
        it.call_function(method, Arguments((value,)), node)
        return True
    return "builtins.property" in decorator_names.decorator_names(it, function, owner.scope)


def _record_cleared_gradients(it: Evaluator, node: ir.Node) -> None:
    """Records that a gradient is set by hand, which counts as clearing gradients."""
    it.recorder.add(Event(
        EventKind.ZERO_GRAD, node.start, node.end, path=it.frame.module.path, node=it.frame.statement, name="grad",
    ))  # fmt: skip


def _set_tensor_attribute(it: Evaluator, target: TensorFact, node: ir.Attribute, value: Value) -> None:
    """Sets an attribute of a tensor: `grad`, `requires_grad`, `data` or `shape` changes its fact."""
    if node.name == "grad" or node.name == "data" and gradient_writes.is_gradient(node.object):
        _record_cleared_gradients(it, node)
    elif node.name == "requires_grad":
        requires = (
            Tri.of(value.value)
            if isinstance(value, v.Scalar) and isinstance(value.value, bool)
            else Tri.UNKNOWN
        )
        if requires is Tri.YES and target.storage.is_inference and it.state.modes["inference"] is Tri.NO:
            fault(
                it,
                FaultKind.INFERENCE_TENSOR,
                node,
                "Tensor.requires_grad",
                input=target,
                action="require",
                place=0,
            )
        changed = target.but(grad=type(target.grad)(requires, target.grad.leaf))
        it.rewrite(target, changed)
        store_entries.forget_grad_of_aliases(it, target, changed)
        if requires is not Tri.NO:
            manual_updates.record_new_leaf(it, target, (), node)
        if target.provenance == "parameter":
            module_tree.freeze_some(it, target.storage.ids, requires)
    elif node.name == "data":
        if target.provenance == "parameter":
            module_placement.forget_placement_of_owners(it, target.storage.ids)
            partial_layer_edits.record_replaced_memory(it, target, value)
        if isinstance(value, TensorFact):
            kept = target.provenance if target.provenance in ("parameter", "buffer") else value.provenance
            it.rewrite(target, value.but(grad=target.grad, origin=target.origin, provenance=kept))
        else:
            it.rewrite(
                target, TensorFact(grad=target.grad, origin=target.origin, provenance=target.provenance)
            )
    elif node.name == "shape":
        it.rewrite(target, target.but(shape=None, layout=None))


def set_item(it: Evaluator, target: ir.Subscript, value: Value) -> None:
    """Evaluates `container[index] = value`."""
    container, index = it.eval(target.object), it.eval(target.index)
    put_item(it, container, index, value, target)
    if type(container) is v.External and container.name == "os.environ":
        process_groups.set_environment_variable(it, index, value)
    if type(target.object) is ir.Attribute and target.object.name in _HOLD_ATTRIBUTES:
        _register(it, it.eval(target.object.object), v.known(index, str), value)


_HOLD_ATTRIBUTES = attributes_and_methods.REGISTRIES | {"_modules"}


def _register(it: Evaluator, module: Value, name: str | None, value: Value) -> None:
    """Sets what a module holds under a name, `module._buffers[name] = value`; of another name any attribute may be set."""
    if not isinstance(module, v.InstanceValue | v.LayerValue):
        return
    if name is None:
        heap_values.forget_attributes(it, module)
    else:
        heap_values.put_attribute(it, module.ref, name, value)


def put_item(it: Evaluator, container: Value, index: Value, value: Value, target: ir.Subscript) -> None:
    """Sets the item of a container whose operands are evaluated already."""
    heap = it.state.heap
    match container:
        case v.InstanceValue() if classes.find_method(container.cls, "__setitem__") is not None:
            attributes_and_methods.call_special_method(it, container, "__setitem__", (index, value), target)
        case v.DictRef(ref=ref):
            heap_values.put_entry(it, ref, index, value, target)
        case v.ListRef(ref=ref) if is_whole(index):
            items = it.elements(value)
            it.state.set(heap, (ref, "[]"), one_of(value) if items is None else tuple(items))
        case v.ListRef(ref=ref):
            items, position = it.elements(container), v.as_int(index)
            if items is not None and position is not None and -len(items) <= position < len(items):
                changed = list(items)
                changed[position] = value
                it.state.set(heap, (ref, "[]"), tuple(changed))
            else:
                it.state.set(
                    heap, (ref, "[]"), _one_changed(heap_access.items_at(it, ref), index, value, target)
                )
        case v.ArrayValue():
            detached_writes.report_write(it, container, target)
        case TensorFact():
            row = ops.operator("Tensor.__setitem__")
            indexed_copy_writes.check_item_write(it, target, container, index)
            if row is not None:
                rows.apply_row(it, row, "Tensor.__setitem__", Arguments((container, index, value)), target)
        case v.LayerValue(ref=ref) if (ref, "[]") in heap:
            if it.analysis.optimizers:
                stale_parameters.record_put_module(it, container, "[]", value, target)
            children, position = heap_access.items_at(it, ref), v.as_int(index)
            if (
                isinstance(children, tuple)
                and position is not None
                and -len(children) <= position < len(children)
            ):
                changed = list(children)
                changed[position] = value
                it.state.set(heap, (ref, "[]"), tuple(changed))
            else:
                it.state.set(heap, (ref, "[]"), one_of(children, value))
        case v.LayerValue(ref=ref) if (ref, "{}") in heap:
            if it.analysis.optimizers:
                stale_parameters.record_put_module(it, container, "{}", value, target)
            heap_values.put_entry(it, ref, index, value, target)
        case v.LayerValue():
            listed_models.note_inner_access(it, container)
        case v.Unknown() | v.Parameter():
            inner_modules.forget_changed(it, container, None, value, is_computed=False)
            unknown_calls.escape(it, container, set())
            store_entries.forget_tensors(it, container)
            if isinstance(index, v.Scalar) and index.value == "params":
                _record_cleared_gradients(it, target)


def _one_changed(content: Items | None, index: Value, value: Value, target: ir.Node) -> Items:
    """Returns the content of a list after one item at an unknown index is replaced."""
    if isinstance(index, v.SliceValue):
        return one_of(content, value)
    if isinstance(content, tuple) and len(content) <= 64:
        return tuple(join.join(item, value, f"{target.start}.{i}") for i, item in enumerate(content))
    if isinstance(content, v.Repeated):
        return v.Repeated(join.join(content.element, value, f"{target.start}.e"), content.length)
    return one_of(content, value)


def is_whole(index: Value) -> bool:
    """Returns whether an index is `[:]`, all items of a list."""
    if type(index) is not v.SliceValue:
        return False
    return all(
        isinstance(bound, v.Scalar) and bound.kind == "none"
        for bound in (index.start, index.stop, index.step)
    )


def delete_item(it: Evaluator, container: Value, index: Value) -> None:
    """Evaluates `del container[index]`."""
    heap = it.state.heap
    match container:
        case v.OneOf() | v.Parameter():
            unknown_calls.escape(it, container, set())
        case v.DictRef(ref=ref):
            entries = heap_access.entries_at(it, ref)
            if (
                isinstance(entries, dict)
                and isinstance(index, v.Scalar)
                and index.is_known
                and index.value in entries
            ):
                it.state.set(
                    heap, (ref, "{}"), {key: item for key, item in entries.items() if key != index.value}
                )
            else:
                it.state.set(heap, (ref, "{}"), one_of(entries))
        case v.ListRef(ref=ref) | v.LayerValue(ref=ref):
            listed_models.note_inner_access(it, container)
            items, position = heap_access.items_at(it, ref), v.as_int(index)
            if isinstance(items, tuple) and position is not None and -len(items) <= position < len(items):
                kept = list(items)
                del kept[position]
                it.state.set(heap, (ref, "[]"), tuple(kept))
            elif is_whole(index):
                it.state.set(heap, (ref, "[]"), ())
            elif isinstance(items, v.Repeated):
                it.state.set(heap, (ref, "[]"), v.Repeated(items.element))
            else:
                it.state.set(heap, (ref, "[]"), one_of(items))
            if (ref, "{}") in heap:
                it.state.set(heap, (ref, "{}"), one_of(heap_access.entries_at(it, ref)))


def delete_attribute(it: Evaluator, target: Value, name: str) -> None:
    """Evaluates `del target.name`."""
    if isinstance(target, v.ClassValue):
        it.state.set(
            target.scope.variables, name, UNKNOWN_VALUE
        )  # else a definition in its body would be found
    if isinstance(target, (v.InstanceValue, v.LayerValue)):
        heap, ref = it.state.heap, target.ref
        it.state.delete(heap, (ref, name))
        it.state.set(heap, (ref, DELETED), True)
        names = heap.get((ref, ATTRIBUTES), Names())
        if name in names:
            it.state.set(heap, (ref, ATTRIBUTES), Names(other for other in names if other != name))
