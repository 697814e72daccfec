"""Evaluates attributes and calls of objects, and creates objects of classes of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.device import SOME_INDEX
from torchlsp.facts.tensor import ONLY_SHAPED, UNKNOWN_TENSOR, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, ModuleValue, Value
from torchlsp.interp.checks.api import (
    float_arguments,
    loaded_files,
    not_a_tensor,
    reduction_pairs,
    torch_api,
)
from torchlsp.interp.checks.autograd import autograd_graph, gradient_access, python_scalar_cuts
from torchlsp.interp.checks.data import sampler_epochs
from torchlsp.interp.checks.distributed import collective_results, rank_command_line, varying_values
from torchlsp.interp.checks.modules import missing_attributes, module_use, state_dict_aliases, training_mode
from torchlsp.interp.model import (
    assumed_tensors,
    classes,
    decorator_names,
    external_names,
    given_functions,
    gradient_writes,
    heap_access,
    heap_values,
    inner_modules,
    later_changes,
    listed_models,
    module_tree,
    moved_unknowns,
    possible_parts,
    store_entries,
    tensor_evidence,
)
from torchlsp.interp.objects import (
    dataclass_instances,
    distributions,
    libraries,
    lightning,
    optimizers_and_engines,
    python_containers,
    python_library,
    rows,
    scalers_and_schedulers,
    tables,
    torch_modules,
    unknown_calls,
    vision_models,
)
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, CALLED, DELETED, UNMADE
from torchlsp.interp.store.state import MISSING, Names
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.numpy.arrays import dtype_named
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

TENSOR_ATTRIBUTES = frozenset({
    "shape", "T", "mT", "H", "mH", "dtype", "device", "requires_grad", "is_cuda", "ndim", "grad", "data", "real", "imag",
    "is_leaf", "grad_fn", "is_sparse", "layout", "itemsize", "nbytes", "is_meta", "names", "is_quantized", "is_cpu",
})  # fmt: skip
ARRAY_ATTRIBUTES = frozenset(
    {"shape", "T", "dtype", "ndim", "size", "real", "imag", "nbytes", "itemsize", "flat"}
)
REGISTRIES = frozenset({"_parameters", "_buffers", "__dict__"})
"""Dicts in which a module keeps what it holds; who has one can take things out, or put others there."""
RANK_NAMES = frozenset({"rank", "local_rank"})


def get_attribute(it: Evaluator, value: Value, name: str, node: ir.Node) -> Value:
    """Evaluates `value.name`, or `getattr(value, name)`."""
    match value:
        case v.External(name=base):
            return external_names.external_attribute(base, name)
        case TensorFact():
            if name in TENSOR_ATTRIBUTES:
                return _tensor_attribute(it, value, name, node)
            return v.BoundExternal(value, name)
        case v.InstanceValue():
            return instance_attribute(it, value, name, node)
        case v.Parameter():
            if name == "shape":
                return v.ShapeOf(value)
            if name in RANK_NAMES and it.frame.module.uses_distributed:
                return v.RankValue("local" if name == "local_rank" else "global", True)
            return possible_parts.attribute_of_parameter(it, value, name)
        case v.Table():
            return tables.attribute_of_table(it, value, name, node)
        case v.Distribution():
            return distributions.attribute_of_distribution(value, name)
        case v.Fields(entries=fields):
            return dict(fields).get(name, UNKNOWN_VALUE)
        case v.Unknown():
            if name in RANK_NAMES and it.frame.module.uses_distributed:
                return v.RankValue("local" if name == "local_rank" else "global", True)
            return possible_parts.attribute_of(it, value, name)
        case v.WorkspaceModule(info=info):
            found = it.module_member(info, name)
            if found == UNKNOWN_VALUE:
                sub = it.imported_module(f"{value.name}.{name}") if not value.name.startswith(".") else None
                return v.WorkspaceModule(f"{value.name}.{name}", sub) if sub is not None else UNKNOWN_VALUE
            return found
        case v.ClassValue():
            held = classes.class_attribute(it, value, name)
            if type(held) in _PLAIN and python_library.is_plain_enum(value):
                return UNKNOWN_VALUE  # a member, not its value
            return held
        case v.SuperValue(receiver=receiver, owner=owner):
            return _super_attribute(it, receiver, owner, name, node)
        case v.ArrayValue():
            if name in ARRAY_ATTRIBUTES:
                return rows.apply_to_attribute(it, f"ndarray.{name}", value, node)
            return v.BoundExternal(value, name)
        case v.ImageValue() if name in ("size", "width", "height"):
            return rows.apply_to_attribute(it, f"PIL.Image.Image.{name}", value, node)
        case v.TupleValue(items=items, names=names) if name in names:
            return items[names.index(name)]
        case v.TupleValue() if reduction_pairs.is_pair(value):
            if type(node) is ir.Attribute:
                reduction_pairs.report_attribute(it, node, value)
            return UNKNOWN_VALUE if name not in ("count", "index") else v.BoundExternal(value, name)
        case v.Repeated(element=v.Engine()) if name == "flat":
            return value
        case v.TupleValue() | v.ListRef():
            if type(node) is ir.Attribute:
                not_a_tensor.check_attribute(it, value, node)
        case v.DeviceValue(device=device):
            if device is not None and device.relative and name == "type":
                return v.DeviceValue(device)  # compared with "cuda" or "cpu" it is the test for CUDA
            if device is None or device.relative:
                return UNKNOWN_VALUE
            if name == "type":
                return v.Scalar("str", device.kind)
            if device.index == SOME_INDEX:
                return UNKNOWN_VALUE
            return v.NONE if device.index is None else v.Scalar("int", device.index)
        case v.LayerValue() | v.Wrapped():
            if name in REGISTRIES and type(value) is v.LayerValue:
                _forget_registered(it, value)
            return torch_modules.layer_attribute(it, value, name, node)
        case v.Engine() | v.OptimizerValue():
            return optimizers_and_engines.engine_attribute(it, value, name, node)
        case v.LoadedKeys():
            return module_use.keys_attribute(it, value, name, node)
        case v.LoaderValue(sampler=v.SamplerValue() as sampler) if name == "sampler":
            return sampler
        case v.DatasetValue() | v.LoaderValue() if name == "dataset":
            return UNKNOWN_VALUE
        case v.DatasetValue(fields=fields) if name in dict(fields):
            return dict(fields)[name]
        case v.Scalar(kind="none"):
            if collective_results.is_collective_result(value):
                collective_results.report_result_use(it, value, "attribute", node)
            return UNKNOWN_VALUE
        case v.DTypeValue():
            return UNKNOWN_VALUE
    return v.BoundExternal(value, name)


def _forget_registered(it: Evaluator, module: v.LayerValue | v.InstanceValue) -> None:
    """Forgets which parameters and buffers a module holds: `del conv._parameters["weight"]`."""
    unknown_calls.escape(it, module, set())
    it.state.set(it.state.heap, (module.ref, DELETED), True)


def _called_parameter(it: Evaluator, call: ir.Node) -> str:
    """Returns the name of the parameter on which a method is called, directly or on an attribute; else ""."""
    node = call.function if type(call) is ir.Call else call
    while type(node) is ir.Attribute:
        node = node.object
    value = it.lookup(node.id) if type(node) is ir.Name else None
    return value.name if type(value) is v.Parameter else ""


def _tensor_attribute(it: Evaluator, value: TensorFact, name: str, node: ir.Node) -> Value:
    """Reads an attribute of a tensor that is not a method."""
    if name == "shape" and value.shape is None:
        return v.ShapeOf(value)
    if name == "dtype":
        return v.DTypeValue(value.dtype)
    if name == "device":
        return v.DeviceValue(value.device, "tensor")
    if name == "is_cuda" and value.device is not None and value.device.relative:
        return v.Condition("cuda")
    if name == "requires_grad":
        return v.truth_value(value.grad.requires)
    if name in ("grad", "data"):
        gradient_access.report_read(it, value, name, node)
    return rows.apply_to_attribute(it, f"Tensor.{name}", value, node)


# ---- objects of classes of the workspace ---------------------------------------------------------------------------------


def instance_attribute(it: Evaluator, instance: v.InstanceValue, name: str, node: ir.Node) -> Value:
    """Reads an attribute of an object of the workspace: its own, a method, or that of its class."""
    value = it.state.heap.get((instance.ref, name), MISSING)
    if value is not MISSING and not _is_hidden_by_method(instance, name, value):
        return value
    if name == "__dict__":
        heap_values.forget_attributes(it, instance)  # `self.__dict__.update(options)`
        module_tree.mark_ready(
            it, instance
        )  # `self.__dict__.update(module.__dict__)` brings what `Module.__init__` makes
    elif name in REGISTRIES:
        _forget_registered(it, instance)
    elif name == "_modules":
        inner_modules.record(it, instance)
    found = classes.find_method(instance.cls, name)
    if found is not None:
        return bound_method(it, instance, *found, node)
    if name == "__class__":
        return instance.cls
    for base in classes.mro(instance.cls):
        if isinstance(base, v.ClassValue):
            value = base.scope.variables.get(name, MISSING)
            if isinstance(value, v.FunctionValue):
                return v.FunctionValue(value.ref, value.ir, value.scope, instance, base)
            if value is not MISSING and not isinstance(value, v.Imported):
                return value
        elif not isinstance(base, v.External):
            break
    if name in RANK_NAMES and it.frame.module.uses_distributed:
        return v.RankValue("local" if name == "local_rank" else "global", True)
    if name in missing_attributes.NOT_OF_MODULES:
        missing_attributes.report_instance_attribute(it, instance, name, node)
    return v.BoundExternal(instance, name)


_OF_MODULES = frozenset(
    "parameters buffers modules children train eval to apply forward half float double".split()
)


def _is_hidden_by_method(instance: v.InstanceValue, name: str, value: Value) -> bool:
    """Returns whether a module or parameter has the name of a method, which is found before what `_modules` holds."""
    if name not in _OF_MODULES or not classes.is_module(instance.cls):
        return False
    return isinstance(value, v.LayerValue) or (
        isinstance(value, v.InstanceValue) and classes.is_module(value.cls)
    )


def bound_method(
    it: Evaluator, instance: v.InstanceValue, owner: v.ClassValue, function: ir.Function, node: ir.Node
) -> Value:
    """Binds a method to an object as its decorators say; runs the getter of a property."""
    method = v.FunctionValue(f"{owner.ref}.{function.name}", function, owner.scope, instance, owner)
    if not function.decorators:
        return method
    names = decorator_names.decorator_names(it, function, owner.scope)
    if "builtins.staticmethod" in names:
        return v.FunctionValue(method.ref, function, owner.scope, None, owner)
    if "builtins.classmethod" in names:
        return v.FunctionValue(method.ref, function, owner.scope, instance.cls, owner)
    if names & classes.PROPERTIES:
        getter = (
            function if len(function.params) == 1 else heap_values.accessor(owner, function.name, "property")
        )
        if getter is None:
            return UNKNOWN_VALUE
        return it.call_function(
            v.FunctionValue(method.ref, getter, owner.scope, instance, owner), Arguments(), node
        )
    return method


def _super_attribute(it: Evaluator, receiver: Value, owner: v.ClassValue, name: str, node: ir.Node) -> Value:
    """Reads an attribute of `super()` in a method of `owner`."""
    cls = receiver.cls if isinstance(receiver, v.InstanceValue) else owner
    order = classes.mro(cls)
    after = order[order.index(owner) + 1 :] if owner in order else classes.mro(owner)[1:]
    for base in after:
        if isinstance(base, v.ClassValue):
            held: Value = base.scope.variables.get(name, MISSING)
            if (
                isinstance(held, v.FunctionValue)
                and isinstance(receiver, v.InstanceValue)
                and held.scope is base.scope
            ):
                return bound_method(it, receiver, base, held.ir, node)
            if isinstance(held, v.FunctionValue):
                return v.FunctionValue(held.ref, held.ir, held.scope, receiver, base)
            if held is not MISSING:
                return held if not isinstance(held, v.Imported) else UNKNOWN_VALUE
            if base.ir is not None and name in base.ir.methods:
                return UNKNOWN_VALUE  # it is defined under a test, or was deleted
        elif isinstance(base, v.External) and (
            classes.is_module_base(base.name)
            or name == "__init__"
            and optimizers_and_engines.is_optimizer_base(base.name)
        ):
            outside = v.ClassValue(base.name, None)  # type: ignore[arg-type]  # see ClassValue
            return v.BoundExternal(v.SuperValue(receiver, outside), name)
        elif not isinstance(base, v.External):
            if isinstance(receiver, v.InstanceValue):
                module_tree.mark_ready(it, receiver)  # what the unknown base does is not known
            return UNKNOWN_VALUE
    outside = v.ClassValue("builtins.object", None)  # type: ignore[arg-type]  # see ClassValue
    return v.BoundExternal(v.SuperValue(receiver, outside), name)


def instantiate(
    it: Evaluator, cls: v.ClassValue, arguments: Arguments, node: ir.Node, ref: str | None = None
) -> Value:
    """Creates an object of a class of the workspace, and runs `__init__` on it."""
    if python_library.is_value_class(cls):
        return python_library.instantiate(cls, arguments)
    if classes.find_method(cls, "__getattribute__") is not None:
        return UNKNOWN_VALUE
    ref = ref or f"{cls.ref}@{it.frame.site}:{node.start}"
    instance = v.InstanceValue(ref, cls)
    heap = it.state.heap
    it.classes[ref] = cls
    if (ref, ATTRIBUTES) in heap:  # created here before, in another iteration
        for key in [key for key in heap if key[0] == ref]:
            it.state.delete(heap, key)
    it.state.set(heap, (ref, ATTRIBUTES), Names())
    it.state.set(heap, (ref, UNMADE), Tri.NO)
    found = classes.find_method(cls, "__init__")
    if found is not None:
        owner, function = found
        method = v.FunctionValue(f"{owner.ref}.__init__", function, owner.scope, instance, owner)
        module_use.initialise(it, method, instance, arguments, node)
    elif dataclass_instances.is_dataclass(it, cls):
        dataclass_instances.set_fields(it, instance, arguments, node)
    else:
        base = next((b for b in classes.mro(cls) if not isinstance(b, v.ClassValue)), None)
        if cls.ir is not None and cls.ir.decorators:
            unknown_calls.unknown_call(it, arguments, node, cls)
        elif base is not None and isinstance(base, v.External) and classes.is_module_base(base.name):
            init_module_base(it, instance, base.name, arguments, node)
        elif base is not None:
            unknown_calls.unknown_call(it, arguments, node, cls)
        # An unknown `__init__` may set the attributes to which the class body gives a default.
        if arguments != Arguments():
            for name in dataclass_instances.fields(cls):
                heap_values.put_attribute(it, ref, name, UNKNOWN_VALUE)
    if heap.get((ref, UNMADE)) is Tri.YES:
        return UNKNOWN_VALUE
    it.recorder.add(Event(EventKind.MADE, node.start, node.end, frozenset({ref}), path=it.frame.module.path))
    return instance


def init_module_base(
    it: Evaluator, instance: v.InstanceValue, base: str, arguments: Arguments, node: ir.Node
) -> None:
    """Evaluates `super().__init__(...)` in a class that derives from a torch.nn class."""
    module_tree.mark_ready(it, instance)
    if base in ("torch.nn.Sequential", "torch.nn.ModuleList"):
        module_use.check_children(it, base, arguments, node)
        it.state.set(
            it.state.heap, (instance.ref, "[]"), torch_modules.container_content(it, base, arguments)
        )
    elif base != "torch.nn.Module" and (row := ops.layer(base)) is not None:
        config = row.configure(arguments)
        layer = v.LayerValue(instance.ref, base, tuple((config or {}).items()))
        it.state.set(it.state.heap, (instance.ref, BASE), layer)
        unknown = {"device": UNKNOWN_VALUE, "dtype": UNKNOWN_VALUE}
        torch_modules.place_layer(it, instance.ref, unknown if config is None else config)


# ---- items and calls of objects ----------------------------------------------------------------------------------------------


def call_special_method(
    it: Evaluator, instance: v.InstanceValue, name: str, args: tuple[Value, ...], node: ir.Node
) -> Value:
    """Calls a special method on an object of the workspace: `__enter__`, `__setitem__`."""
    found = classes.find_method(instance.cls, name)
    if found is None:
        return UNKNOWN_VALUE
    return it.invoke(bound_method(it, instance, *found, node), Arguments(args), node)


def call_object(it: Evaluator, value: ModuleValue, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a module or an object of the workspace."""
    if it.states[training_mode.TrainingModes].forwarding is None and (
        not isinstance(value, v.InstanceValue) or classes.is_module(value.cls)
    ):
        return training_mode.run_outermost_call(it, value, arguments, node, call_object)
    if isinstance(value, v.Wrapped):
        return torch_modules.call_wrapped(it, value, arguments, node)
    if it.main.running and it.frame.function is not None:
        it.state.set(it.state.heap, (value.ref, CALLED), True)
    forward = it.state.heap.get((value.ref, "forward"))
    if forward is not None and classes.calls_own_forward(value):
        return torch_modules.call_own_forward(it, value, forward, arguments, node)
    if isinstance(value, v.LayerValue):
        if f"{value.qualname}.forward" in it.states[torch_api.PatchedNames].names:
            return torch_modules.call_own_forward(it, value, UNKNOWN_VALUE, arguments, node)
        if listed_models.is_model(value):
            return vision_models.call_model(it, value, arguments, node)
        return torch_modules.call_layer(it, value, arguments, node)
    for name in ("__call__", "forward"):
        found = classes.find_method(value.cls, name)
        if found is not None and (
            name == "__call__" or classes.is_module(value.cls) or classes.has_unknown_base(value.cls)
        ):
            owner, function = found
            decorators = decorator_names.decorator_names(it, function, owner.scope)
            receiver = None if "builtins.staticmethod" in decorators else value
            method = v.FunctionValue(f"{owner.ref}.{name}", function, owner.scope, receiver, owner)
            return it.call_function(method, arguments, node)
    container = module_use.container_base(value.cls)
    if container is not None and classes.find_method(value.cls, "__call__") is None:
        module_use.report_container_called(it, container, node)
        return UNKNOWN_VALUE
    content = heap_access.items_at(it, value.ref)
    if isinstance(content, tuple):
        return torch_modules.run_sequential(it, content, arguments, node)
    base = heap_access.base_layer(it, value)
    if base is not None:
        return torch_modules.call_layer(it, base, arguments, node)
    missing_attributes.report_missing_forward(it, value, node)
    unknown_calls.unknown_call(it, arguments, node, value)
    return UNKNOWN_VALUE


_PLAIN = (v.Scalar, v.TupleValue, v.DTypeValue, v.DeviceValue, v.InstanceValue)
_TAKING_FUNCTIONS = frozenset("register_hook register_post_accumulate_grad_hook apply_ map_".split())
_KINDS = {TensorFact: "Tensor", v.ArrayValue: "ndarray", v.ImageValue: "PIL.Image.Image"}


def call_method(it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a method that is not a function of the workspace."""
    if name == "set_epoch":
        sampler_epochs.record_set_epoch(it, receiver, node)
    match receiver:
        case TensorFact() | v.ArrayValue() | v.ImageValue():
            if type(receiver) is TensorFact and ONLY_SHAPED in receiver.assumed:
                receiver = assumed_tensors.proven_array(it, receiver, name, arguments) or receiver
            kind = _KINDS[type(receiver)]
            if type(receiver) is v.ArrayValue and name == "resize":
                store_entries.forget_array_sizes(it, receiver)
            if type(receiver) is TensorFact:
                if ONLY_SHAPED in receiver.assumed and tensor_evidence.proves_tensor(name, arguments):
                    receiver = assumed_tensors.proven_tensor(it, receiver)
                if name == "retain_grad":
                    gradient_access.record_retained(it, receiver)
                if name == "backward" or name in gradient_writes.CLEARING:
                    optimizers_and_engines.record_tensor_event(it, name, receiver, arguments, node)
                if name in _TAKING_FUNCTIONS:
                    given_functions.give_all(it, arguments.positional)
                if name in float_arguments.METHODS:
                    float_arguments.report_float_argument(
                        it, name, float_arguments.METHODS[name], arguments, node
                    )
            full = Arguments(
                (receiver, *arguments.positional),
                arguments.keywords,
                arguments.open_positional,
                arguments.open_keywords,
            )
            if it.api is not None and kind == "Tensor":
                torch_api.check_call(it, f"torch.Tensor.{name}", full, node)
            row = ops.operator(f"{kind}.{name}")
            if row is not None:
                result = rows.apply_row(it, row, f"{kind}.{name}", full, node)
                if name == "item":
                    result = varying_values.number_read(it, receiver, result, node)
                    return python_scalar_cuts.read_number(it, receiver, result, node)
                return result
            return UNKNOWN_VALUE
        case v.Parameter():
            return call_unknown_method(it, receiver, name, arguments, node)
        case v.OptimizerValue():
            return optimizers_and_engines.call_optimizer_method(it, receiver, name, arguments, node)
        case v.Engine(qualname=qualname):
            method = libraries.METHODS.get(qualname)
            if method is not None:
                return method(it, receiver, name, arguments, node)
            return optimizers_and_engines.call_engine_method(it, receiver, name, arguments, node)
        case v.LayerValue() | v.InstanceValue() | v.Wrapped():
            if it.api is not None and type(receiver) is not v.InstanceValue:
                torch_api.check_call(it, f"torch.nn.Module.{name}", arguments, node)
            if (
                name == "zero_grad"
                and isinstance(receiver, v.InstanceValue)
                and not classes.is_module(receiver.cls)
            ):
                optimizers_and_engines.record_unknown_method(it, receiver, name, arguments, node)
            if type(receiver) is v.InstanceValue:
                of_lightning = lightning.call_method(it, receiver, name, arguments, node)
                if of_lightning is not None:
                    return of_lightning
            return torch_modules.call_module_method(it, receiver, name, arguments, node)
        case v.SuperValue(receiver=instance, owner=owner):
            if name == "__init__" and optimizers_and_engines.is_optimizer_base(owner.ref):
                optimizers_and_engines.initialise_base(it, owner.ref, arguments, node)
            if name == "__init__" and isinstance(instance, v.InstanceValue):
                init_module_base(it, instance, owner.ref, arguments, node)
                return v.NONE
            if isinstance(instance, v.InstanceValue) and owner.ref.startswith("torch."):
                if name in ("forward", "__call__"):
                    base = heap_access.base_layer(it, instance)
                    if base is not None:
                        return torch_modules.call_layer(it, base, arguments, node)
                    content = heap_access.items_at(it, instance.ref)
                    if isinstance(content, tuple):
                        return torch_modules.run_sequential(it, content, arguments, node)
                    return UNKNOWN_VALUE
                return torch_modules.call_module_method(it, instance, name, arguments, node)
            if isinstance(instance, v.InstanceValue):
                # `super().generate()` may call any method of the object.
                later_changes.forget_changing(it, instance)
            return UNKNOWN_VALUE
    handled = python_containers.call_method(it, receiver, name, arguments, node)
    if handled is not NotImplemented:
        return handled
    if not isinstance(receiver, v.Scalar):
        unknown_calls.unknown_call(it, arguments, node, receiver)
    return UNKNOWN_VALUE


def call_unknown_method(
    it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a method of an unknown value; a call that needs a tensor proves that a parameter is one."""
    if type(receiver) is v.Table:
        known = tables.method_of_table(it, receiver, name, arguments, node)
        if known is not None:
            return known
    if type(receiver) is v.Distribution:
        known = distributions.method_of_distribution(it, receiver, name, arguments, node)
        if known is not None:
            return known
    if type(receiver) is v.Loaded and loaded_files.report_use_as_module(it, receiver, name, node) == receiver:
        return receiver
    if (
        isinstance(receiver, v.Parameter)
        and not receiver.is_other
        and tensor_evidence.proves_tensor(name, arguments)
    ):
        fact = assumed_tensors.assumed_tensor(receiver)
        it.replace(receiver, fact)
        # That it is a tensor is inferred from this very call: a fault in the call is evidence against it.
        api = it.api
        it.api = api if any(keyword == "k" for keyword, _ in arguments.keywords) else None
        try:
            return call_method(it, fact, name, arguments, node)
        finally:
            it.api = api
    if type(receiver) is not v.Moved and tensor_evidence.is_activation(name, arguments):
        return call_method(it, UNKNOWN_TENSOR, name, arguments, node)
    if name in ("astype", "to_numpy"):
        # arrays, and pandas' columns, which return such arrays
        given = dict(arguments.keywords).get(
            "dtype", arguments.positional[0] if arguments.positional else None
        )
        dtype = None if given is None else dtype_named(given)
        if dtype is not None:
            return v.ArrayValue(None, dtype)
    if name == "set_epoch":
        sampler_epochs.record_set_epoch(it, receiver, node)
    elif name == "state_dict":
        state_dict_aliases.record_state_dict(it, receiver, None, node)
    elif name == "retain_grad":
        gradient_access.record_retained(it, receiver)
    taken = moved_unknowns.evaluate_method(it, receiver, name, arguments, node)
    hooked = optimizers_and_engines.record_unknown_method(it, receiver, name, arguments, node)
    if name == "backward" and type(receiver) in (v.Unknown, v.Moved, v.OneOf):
        autograd_graph.run_backward_of_unknown(it, arguments, node)
    if name == "add_argument":
        rank_command_line.record_rank_option(it, arguments, node)
    scaled = scalers_and_schedulers.record_unknown_method(it, receiver, name, arguments, node)
    unknown_calls.unknown_call(it, arguments, node, receiver, name)
    possible_parts.forget_written(it, receiver, name, f"Tensor.{name}" not in rows.RESHAPING)
    if name in ("parameters", "named_parameters") and not arguments.positional:
        # Only modules have methods of these names.
        return v.ParametersOf(None, name == "named_parameters", unseen=_called_parameter(it, node))
    if name == "numpy" and not (taken or arguments.positional or arguments.keywords):
        return v.ArrayValue()  # whatever the tensor is: not another tensor
    return taken or scaled or hooked or possible_parts.items_in(it, receiver)
