"""Creates and calls torch.nn modules, and evaluates the attributes and methods that all modules have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, CUDA, SOME_CUDA, Device
from torchlsp.facts.dtype import LEGACY_TENSOR_TYPES, DType
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import UNKNOWN_TENSOR, Grad, Origin, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, ModuleValue, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.api import saved_models
from torchlsp.interp.checks.autograd import autograd_graph, forward_hooks
from torchlsp.interp.checks.devices import module_placement, unsynchronized_timers
from torchlsp.interp.checks.distributed import bypassed_wrapper, unused_parameters
from torchlsp.interp.checks.dtypes import loss_constructor_arguments
from torchlsp.interp.checks.layout import unbatched_input
from torchlsp.interp.checks.modules import (
    layers_made_in_forward,
    missing_attributes,
    module_use,
    parameter_names,
    state_dict_aliases,
    training_mode,
)
from torchlsp.interp.checks.modules.layers_made_in_forward import FreshLayers
from torchlsp.interp.model import (
    assumed_tensors,
    classes,
    ddp_modules,
    given_functions,
    heap_access,
    heap_values,
    inner_modules,
    listed_models,
    module_tree,
    moved_unknowns,
)
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.model.heap_access import Items
from torchlsp.interp.model.module_tree import CONTAINERS
from torchlsp.interp.objects import (
    parameter_iterators,
    process_groups,
    python_containers,
    unknown_calls,
    wrapper_results,
)
from torchlsp.interp.store.heap_keys import DEVICE, DTYPE, GRAD, MEMORY, TRAINING
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.interp.store.state import MISSING
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.marks import TAKES_A_TENSOR
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_CASTS: dict[str, DType] = {"float": "f32", "double": "f64", "half": "f16", "bfloat16": "bf16"}
"""Methods that cast a module, and the dtype that its floating point parameters get."""


def place_layer(it: Evaluator, ref: str, config: Mapping[str, Value]) -> None:
    """Gives a layer the device and the dtype of its constructor's arguments, else the defaults of the process."""
    heap = it.state.heap
    device = config.get("device")
    if device is not None and device != v.NONE:
        it.state.set(heap, (ref, DEVICE), module_tree.device_of(it, device))
    elif it.state.modes.get("device", CPU) != CPU:
        it.state.set(heap, (ref, DEVICE), it.state.modes.get("device"))
    dtype = config.get("dtype")
    if dtype is not None and dtype != v.NONE:
        it.state.set(heap, (ref, DTYPE), dtype.dtype if isinstance(dtype, v.DTypeValue) else None)
    elif it.state.modes.get("dtype", "f32") != "f32":
        it.state.set(heap, (ref, DTYPE), it.state.modes.get("dtype"))


def make_layer(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Creates an instance of a torch.nn class that is a container or has a row in the tables."""
    ref = f"layer@{it.frame.site}:{node.start}"
    heap = it.state.heap
    origin = Origin(node.start, node.end, name, (), it.frame.module.path)
    if name in CONTAINERS:
        module_use.check_children(it, name, arguments, node)
        layer = v.LayerValue(ref, name, (), origin)
        if name == "torch.nn.ModuleDict":
            it.state.set(heap, (ref, "{}"), _dict_content(it, arguments))
        else:
            it.state.set(heap, (ref, "[]"), container_content(it, name, arguments))
        return layer
    row = ops.layer(name)
    config = None if row is None else row.configure(arguments)
    if row is None or config is None:
        return UNKNOWN_VALUE
    for key, value in list(config.items()):
        if isinstance(value, v.Parameter) and key not in ("device", "dtype"):
            config[key] = v.Unknown(v.size_of_parameter(value))
    layer = v.LayerValue(ref, name, tuple(config.items()), origin)
    for hook in running.LAYER_CREATED.get(name, running.LAYER_CREATED.any):
        hook(it, name, config, arguments, node)
    if row.built is not None and not arguments.is_open:
        it.report(with_call(it, row.refused(name, config, it.context(node)), name, arguments))
    for key in (DEVICE, DTYPE, GRAD, TRAINING, MEMORY):
        it.state.delete(heap, (ref, key))
    place_layer(it, ref, config)
    if name in training_mode.DEPENDENT and not row.owns_parameters:
        it.recorder.add(
            Event(EventKind.BUILT, node.start, node.end, frozenset({ref}), path=it.frame.module.path)
        )
    if row.owns_parameters:
        parameter_iterators.record_layer(it, ref)
        it.recorder.add(
            Event(EventKind.MADE, node.start, node.end, frozenset({ref}), path=it.frame.module.path)
        )
        layers_made_in_forward.record_created_layer(it, layer, node)
    return layer


def container_content(it: Evaluator, name: str, arguments: Arguments) -> Items:
    """Returns the children that a Sequential or ModuleList gets from its constructor's arguments."""
    if arguments.is_open:
        return UNKNOWN_VALUE
    if name == "torch.nn.Sequential":
        if len(arguments.positional) == 1:
            only = arguments.positional[0]
            if isinstance(only, v.DictRef):
                entries = heap_access.entries_at(it, only.ref)
                return tuple(entries.values()) if isinstance(entries, dict) else UNKNOWN_VALUE
            if isinstance(only, (v.Unknown, v.Parameter, v.Repeated, v.ListRef)):
                return UNKNOWN_VALUE
        return arguments.positional
    if not arguments.positional:
        return ()
    only = arguments.positional[0]
    items = it.elements(only)
    if items is not None:
        return items
    if isinstance(only, v.ListRef):
        content = heap_access.items_at(it, only.ref)
        return content if isinstance(content, v.Repeated) else UNKNOWN_VALUE
    return only if isinstance(only, v.Repeated) else UNKNOWN_VALUE


def _dict_content(it: Evaluator, arguments: Arguments) -> heap_access.KnownEntries | v.Unknown:
    """Returns the children that a ModuleDict gets from its constructor's arguments, by their names."""
    if not arguments.positional:
        return {}
    only = arguments.positional[0]
    entries = heap_access.entries_at(it, only.ref) if isinstance(only, v.DictRef) else None
    return entries if isinstance(entries, dict) else UNKNOWN_VALUE


def call_layer(it: Evaluator, layer: v.LayerValue, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a layer: applies its row between the hooks of the checks, or calls a Sequential's children."""
    if layer.qualname == "torch.nn.Sequential":
        content = heap_access.items_at(it, layer.ref)
        if isinstance(content, tuple):
            return run_sequential(it, content, arguments, node)
        it.record_missed(None)
        return UNKNOWN_VALUE
    row = ops.layer(layer.qualname)
    if row is None:
        module_use.report_container_called(it, layer.qualname, node)
        return UNKNOWN_VALUE
    arguments = with_tensor_input(it, arguments)
    if layer.qualname in TAKES_A_TENSOR and arguments.positional[:1] == (UNKNOWN_VALUE,):
        arguments = replace(arguments, positional=(UNKNOWN_TENSOR, *arguments.positional[1:]))
    state = module_tree.layer_state(it, layer)
    for hook in running.LAYER_CALL.get(layer.qualname, running.LAYER_CALL.any):
        hook(it, layer, state, arguments, node)
    if layer.qualname in unbatched_input.SPATIAL and unbatched_input.report_batch_as_channels(
        it, layer, state, arguments, node
    ):
        return UNKNOWN_VALUE
    result, faults = row.call(layer.qualname, arguments, it.context(node), state)
    if faults:
        faults = [replace(fault, data=(*fault.data, ("made", layer.origin))) for fault in faults]
        it.report(with_call(it, faults, layer.qualname, arguments, (layer, state)))
    it.record_call(node, layer.qualname, arguments, (layer, state))
    if it.graph.inference:
        autograd_graph.report_saved_inference_tensor(it, result, node)
    writes = state.flag("inplace") and not ("Dropout" in layer.qualname and state.training is not Tri.YES)
    if arguments.positional and writes and type(arguments.positional[0]) is TensorFact:
        autograd_graph.record_write(it, arguments.positional[0], layer.qualname, node)
    return result


def call_own_forward(
    it: Evaluator, module: ModuleValue, forward: Value, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a module whose `forward` was set on the object."""
    if isinstance(forward, v.FunctionValue | v.PartialValue):
        return it.invoke(forward, arguments, node)
    it.record_missed(None)
    unknown_calls.unknown_call(it, arguments, node, module)
    return UNKNOWN_VALUE


def with_tensor_input(it: Evaluator, arguments: Arguments) -> Arguments:
    """Returns a layer's arguments with a parameter that comes first assumed to be a tensor."""
    if v.Moved in map(type, arguments.positional):
        arguments = replace(arguments, positional=moved_unknowns.as_tensors(arguments.positional))
    return assumed_tensors.with_tensor_first(it, arguments)


def run_sequential(it: Evaluator, children: tuple[Value, ...], arguments: Arguments, node: ir.Node) -> Value:
    """Calls the children one after another, each with the result of the one before it."""
    current = arguments
    result: Value = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    site = it.frame.site
    for index, child in enumerate(children):
        it.frame.site = f"{site}.{index}"
        try:
            result = it.invoke(child, current, node)
        finally:
            it.frame.site = site
        if type(result) in (v.Unknown, v.OneOf) and not isinstance(child, (v.LayerValue, v.InstanceValue)):
            it.record_missed(None)
            return result
        current = Arguments((result,))
    return result


def call_wrapped(it: Evaluator, wrapped: v.Wrapped, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a module through its parallel wrapper, and records the collectives of its forward."""
    process_groups.record_forward(it, wrapped, node)
    unused_parameters.record_wrapper_call(it, wrapped, node)
    if wrapped.qualname != "torch.compile":
        arguments = module_placement.without_devices(arguments)
    mark = it.state.mark()
    result = bypassed_wrapper.call_wrapper(it, wrapped, lambda: it.invoke(wrapped.module, arguments, node))
    return wrapper_results.perhaps_copied(it, wrapped, arguments, result, mark, node)


# ---- attributes of modules -------------------------------------------------------------------------------------------


def layer_attribute(it: Evaluator, value: v.LayerValue | v.Wrapped, name: str, node: ir.Node) -> Value:
    """Reads an attribute of a layer: one set by the program, a parameter or a constructor's argument."""
    if isinstance(value, v.Wrapped):
        if name == "module":
            return value.module
        if isinstance(value.module, v.InstanceValue) and value.qualname == "torch.compile":
            return it.instance_attribute(value.module, name, node)
        return v.BoundExternal(value, name)
    stored: Value = it.state.heap.get((value.ref, name), MISSING)
    if stored is not MISSING:
        return stored
    if listed_models.is_part(value) and name not in _METHODS_OF_MODULES and name != "training":
        shown = listed_models.shown_attribute(it, value, name)
        if shown == UNKNOWN_VALUE:
            listed_models.note_inner_access(it, value)
        return shown
    row = ops.layer(value.qualname)
    if row is not None:
        state = module_tree.layer_state(it, value)
        if row.parameters is not None:
            shapes = row.parameters(state)
            if name in shapes:
                # Its weights are read: they may be set on purpose.
                it.states[FreshLayers].fresh.pop(value.ref, None)
                buffer = name.startswith("running_") or name == "num_batches_tracked"
                grad = Grad(Tri.NO if buffer else state.requires_grad, Tri.YES)
                dtype = "i64" if name == "num_batches_tracked" else state.dtype
                storage = Storage(frozenset({f"{value.ref}.{name}"}))
                origin = Origin(node.start, node.end, f"{value.qualname}.{name}", (), it.frame.module.path)
                if shapes[name] is None and name == "bias" and state.flag("bias") is False:
                    return v.NONE
                return TensorFact(
                    shapes[name], dtype, state.device, ROW_MAJOR if shapes[name] is not None else None, grad, storage,
                    provenance="parameter", origin=origin,
                )  # fmt: skip
        if name == "bias":
            return v.NONE if state.flag("bias") is False else UNKNOWN_VALUE
        config = dict(value.config)
        if name in config and name not in ("device", "dtype"):
            return _for_each_dim(value.qualname, name, config[name])
    if name in _HOLDING_CHILDREN:
        inner_modules.record(it, value)
        forget_children(it, value)  # whoever holds the dict may change it
    if name == "training":
        return v.truth_value(it.state.heap.get((value.ref, TRAINING), Tri.UNKNOWN))
    if name in missing_attributes.NOT_OF_MODULES:
        missing_attributes.report_layer_attribute(it, value, name, node)
    if listed_models.is_model(value) and name not in _METHODS_OF_MODULES:
        return UNKNOWN_VALUE
    return v.BoundExternal(value, name)


_HOLDING_CHILDREN = frozenset({"_modules", "__dict__"})
"""Attributes of modules through which children can be set."""


def _for_each_dim(qualname: str, name: str, given: Value) -> Value:
    """Returns a convolution's attribute, which holds one number for each spatial dim where one was given for all."""
    if (
        name in _FOR_EACH_DIM
        and qualname.startswith("torch.nn.Conv")
        and type(given) is v.Scalar
        and given.kind == "int"
    ):
        return v.TupleValue((given,) * int(qualname[-2]))
    return given


_FOR_EACH_DIM = frozenset({"kernel_size", "stride", "padding", "dilation", "output_padding"})


# ---- methods of modules -------------------------------------------------------------------------------------------------


def call_module_method(
    it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a method that every torch.nn.Module has, on a layer, an instance or a wrapped module."""
    if isinstance(value, v.InstanceValue) and not classes.is_module(value.cls) and name not in ("to",):
        _lost(it, value, arguments, node)
        return UNKNOWN_VALUE
    if isinstance(value, v.Wrapped):
        if name == "no_sync":
            return UNKNOWN_VALUE
        process_groups.record_method(it, value, name, node)
    if name in ("to", "cuda", "cpu", "load_state_dict"):
        unsynchronized_timers.record_wait(it)
    handler = _METHODS.get(name)
    if handler is not None:
        return handler(it, value, name, arguments, node)
    if name == "forward" or name == "__call__":
        return it.call_object(value, arguments, node)
    if name in ("register_buffer", "register_parameter", "add_module", "register_module") and isinstance(
        value, (v.InstanceValue, v.LayerValue)
    ):
        module_use.report_registered_before_init(it, value, name, arguments, node)
        if name in _REGISTERS_CHILD and (value.ref, "{}") in it.state.heap:
            if len(arguments.positional) > 1:
                heap_values.put_entry(it, value.ref, arguments.positional[0], arguments.positional[1], node)
            else:
                it.state.set(it.state.heap, (value.ref, "{}"), UNKNOWN_VALUE)
        key = v.known(arguments.positional[0], str) if arguments.positional else None
        if key is not None and len(arguments.positional) > 1:
            registered = arguments.positional[1]
            if name == "register_buffer" and isinstance(registered, TensorFact):
                registered = registered.but(grad=Grad(registered.grad.requires, registered.grad.leaf))
            if name == "register_buffer":
                module_placement.register_buffer(it, value.ref, key)
            before = it.state.heap.get((value.ref, key), MISSING)
            heap_values.put_attribute(it, value.ref, key, registered)
            if name in _REGISTERS_CHILD:
                heap_values.put_child(it, value.ref, key, before, registered)
        elif name in _REGISTERS_CHILD and (value.ref, "[]") in it.state.heap:
            content = heap_access.items_at(it, value.ref)
            if isinstance(content, tuple) and len(arguments.positional) > 1:
                it.state.set(it.state.heap, (value.ref, "[]"), (*content, arguments.positional[1]))
            else:
                forget_children(it, value, *arguments.positional, *dict(arguments.keywords).values())
        return v.NONE
    if (value.ref, "[]") in it.state.heap and name in ("append", "extend", "insert", "pop"):
        return python_containers.change_list(it, value.ref, name, arguments, result=value)
    if (value.ref, "{}") in it.state.heap and name in ("update", "pop", "popitem", "clear", "setdefault"):
        it.state.set(it.state.heap, (value.ref, "{}"), UNKNOWN_VALUE)
    if (
        isinstance(value, v.LayerValue)
        and name in ("keys", "values", "items")
        and (entries := heap_access.entries_at(it, value.ref)) is not None
    ):
        return python_containers.dict_view(it, entries, name)
    if name in forward_hooks.REGISTERING:
        forward_hooks.forget_call(it, value, arguments)
    if name == "register_forward_hook":
        return forward_hooks.evaluate_register(it, value, arguments, node)
    if name in _HARMLESS:
        for hook in arguments.positional[:1]:
            given_functions.give_hook(it, hook)
        return UNKNOWN_VALUE
    if isinstance(value, v.LayerValue):
        loss_constructor_arguments.report_use_as_loss(it, value, name)
    if isinstance(value, v.InstanceValue) and classes.has_unknown_base(value.cls):
        _lost(it, value, arguments, node)
        return UNKNOWN_VALUE
    if name == "_apply":
        unknown_calls.escape(it, value, set())
    if name not in unknown_calls.READING:
        forget_children(it, value, *arguments.positional)
    unknown_calls.unknown_call(it, arguments, node, value)
    return UNKNOWN_VALUE


def forget_children(it: Evaluator, module: ModuleValue, *added: Value) -> None:
    """Forgets the children of a container to which any of some values may have been added."""
    heap = it.state.heap
    for key in ((module.ref, "[]"), (module.ref, "{}")):
        if key in heap:
            it.state.set(heap, key, one_of(heap[key], *added))


_REGISTERS_CHILD = ("add_module", "register_module")
"""Methods that add a child to a module by its name."""
_HARMLESS = frozenset(
    """state_dict extra_repr register_forward_hook register_forward_pre_hook register_full_backward_hook
    get_buffer float_ share_memory __len__ __repr__ compile register_backward_hook""".split()
)


def _lost(it: Evaluator, value: v.InstanceValue, arguments: Arguments, node: ir.Node) -> None:
    """Forgets what a method of an unknown base class may change: the object and what it holds, above all its tensors."""
    for attribute in heap_access.attribute_names(it, value.ref):
        if isinstance(it.state.heap.get((value.ref, attribute)), TensorFact):
            heap_values.put_attribute(it, value.ref, attribute, UNKNOWN_VALUE)  # a base may move them
    held = tuple(
        found for name in heap_access.attribute_names(it, value.ref)
        if isinstance(found := it.state.heap.get((value.ref, name)), (v.OptimizerValue, v.LayerValue, v.InstanceValue))
    )  # fmt: skip
    unknown_calls.unknown_call(it, Arguments((*arguments.positional, *held), arguments.keywords), node, value)


def move(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `to`, `cuda`, `cpu` and casts, which change a module in place and return it."""
    device: Device | None = MISSING
    dtype: DType | None = MISSING
    given = [*arguments.positional, *(val for key, val in arguments.keywords if key in ("device", "dtype"))]
    if name == "cpu":
        device = CPU
    elif name == "cuda":
        named = module_tree.device_of(it, given[0]) if given and given[0] != v.NONE else CUDA
        device = named or SOME_CUDA
    elif name in _CASTS:
        dtype = _CASTS[name]
    elif arguments.is_open:
        device = dtype = None
    else:
        for item in given:
            match item:
                case v.DTypeValue(dtype=found):
                    dtype = found
                case v.DeviceValue() | v.Scalar(kind="str") | v.Scalar(kind="int"):
                    device = module_tree.device_of(it, item)
                case v.Scalar() | v.MemoryFormat():
                    pass
                case TensorFact():
                    device, dtype = item.device, item.dtype
                case v.External(name=tensor_type):  # `model.type(torch.cuda.FloatTensor)`
                    where, _, kind = tensor_type.rpartition(".")
                    device = {"torch": CPU, "torch.cuda": CUDA}.get(where)
                    dtype = LEGACY_TENSOR_TYPES.get(kind)
                case _:
                    device = None
                    dtype = None if name == "type" else dtype
    memory = _memory_format(arguments)
    for module in module_tree.submodules(it, value):
        if memory is not MISSING:
            it.state.set(it.state.heap, (module.ref, MEMORY), memory)
        if device is not MISSING:
            module_tree.change(it, module, DEVICE, device)
        if dtype is not MISSING:
            module_tree.change(it, module, DTYPE, dtype)
            if dtype != "f32":
                module_placement.record_cast(it, module)
        module_placement.move_tensors(it, module, device, dtype)
    return value


def _memory_format(arguments: Arguments) -> str | None:
    """Returns the memory format that `to` gives 4-D parameters; MISSING if it keeps theirs.

    The names are those of `LayerState.memory_format`.
    """
    given = [*arguments.positional, *(value for key, value in arguments.keywords if key == "memory_format")]
    formats = [value for value in given if isinstance(value, v.MemoryFormat)]
    if not formats:
        has_keyword = arguments.open_keywords or any(key == "memory_format" for key, _ in arguments.keywords)
        return None if has_keyword else MISSING
    known: dict[str, str] = {
        "channels_last": "channels_last",
        "contiguous_format": "row-major",
        "preserve_format": MISSING,
    }
    return known.get(formats[0].name)


def _train(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `train` and `eval`."""
    mode = Tri.YES
    if name == "eval":
        mode = Tri.NO
    elif arguments.positional or arguments.keywords:
        given = arguments.positional[0] if arguments.positional else arguments.keywords[0][1]
        flag = v.known(given, bool)
        mode = Tri.of(flag)
    for module in module_tree.submodules(it, value):
        module_tree.change(it, module, TRAINING, mode)
    kind = EventKind.EVAL if mode is Tri.NO else EventKind.TRAIN
    refs = module_tree.owned_refs(it, value) or frozenset()
    known = "" if mode is not Tri.UNKNOWN else "unknown"
    it.recorder.add(Event(kind, node.start, node.end, refs, known, it.frame.module.path))
    return value


def _requires_grad(
    it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    flag: Tri = Tri.YES
    given = arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("requires_grad")
    if given is not None:
        flag = Tri.of(v.known(given, bool))
    module_tree.require_grad(it, value, flag)
    return value


def _parameters(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    created = parameter_iterators.create_iterator(it, value, name.startswith("named_"), node)
    if created.named:
        parameter_names.listed_name(it, value, name, arguments, created.ref)
    return created


def _zero_grad(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    refs = module_tree.owned_refs(it, value) or frozenset()
    autograd_graph.record_clear(it, refs)
    it.recorder.add(Event(
        EventKind.ZERO_GRAD, node.start, node.end, refs, "module.zero_grad", it.frame.module.path, node=it.frame.statement,
    ))  # fmt: skip
    return v.NONE


def _modules(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    return parameter_names.modules_of(it, value, name, arguments, node)


def _inner(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `get_submodule` and `get_parameter`."""
    inner_modules.record(it, value)
    if name == "get_parameter":
        return UNKNOWN_VALUE
    path = v.known(arguments.positional[0], str) if arguments.positional else None
    return inner_modules.submodule(it, value, path)


def _same(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `apply`, which returns the module.

    A function that is applied initialises, as a rule: it is run on one module of each kind, and its effects are dropped.
    """
    if name == "apply":
        training_mode.record_applied_function(
            it, value, arguments, node, module_tree.owned_refs(it, value) or frozenset()
        )
        function = arguments.positional[0] if arguments.positional else None
        if type(function) is v.FunctionValue and not it.silent:
            it.record_missed(function)
            kinds = {
                one.qualname: one for one in module_tree.submodules(it, value) if type(one) is v.LayerValue
            }
            changed = inner_modules.try_out(it, function, tuple(kinds.values())[:8], node)
            inner_modules.forget_applied(it, value, function.ir, changed)
        if function is not None:
            given_functions.forget_changed_by(it, function)
    return value


def _load(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    refs = module_tree.owned_refs(it, value) or frozenset()
    label = ddp_modules.loading_call(it, value) if it.analysis.replicated else ""
    options = dict(arguments.keywords)
    if arguments.open_keywords or "assign" in options or len(arguments.positional) > 2:
        if options.get("assign") != v.FALSE:  # the parameters become those of the state dict
            module_tree.set_on_submodules(it, value, DEVICE, None)
            module_tree.set_on_submodules(it, value, DTYPE, None)
    it.recorder.add(
        Event(EventKind.LOADED, node.start, node.end, refs, path=it.frame.module.path, label=label)
    )
    return module_use.load_state_dict(it, value, arguments, node)


def _state_dict(it: Evaluator, value: ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    if not isinstance(value, v.InstanceValue) or not classes.has_unknown_base(value.cls):
        state_dict_aliases.record_state_dict(it, value, module_tree.owned_refs(it, value), node)
    return saved_models.evaluate_state_dict(it, value, node)


_METHODS: dict[str, Callable[[Evaluator, ModuleValue, str, Arguments, ir.Node], Value]] = {
    "state_dict": _state_dict,
    "to": move, "cuda": move, "cpu": move, "float": move, "double": move, "half": move, "bfloat16": move, "type": move,
    "to_empty": move, "train": _train, "eval": _train, "requires_grad_": _requires_grad, "parameters": _parameters,
    "named_parameters": _parameters, "zero_grad": _zero_grad, "children": _modules, "named_children": _modules, "modules": _modules,
    "named_modules": _modules, "named_buffers": _modules, "apply": _same, "load_state_dict": _load,
    "get_submodule": _inner, "get_parameter": _inner,
}  # fmt: skip
_METHODS_OF_MODULES = frozenset({
    *_METHODS, *_REGISTERS_CHILD, *_HARMLESS, "register_buffer", "register_parameter", "forward", "__call__", "buffers", "_apply",
})  # fmt: skip
"""Methods that every module has, as far as they are evaluated."""
