"""Evaluates calls of Python's builtins, and of torch's functions and classes that are not operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import values as v
from torchlsp.facts.device import CUDA_IF_AVAILABLE, SOME_INDEX, Device, parse
from torchlsp.facts.fault import Called, FaultKind
from torchlsp.facts.tensor import LEAF, Grad, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.api import compile_arguments, compile_graph_breaks, torch_api
from torchlsp.interp.checks.api.compile_graph_breaks import CompiledFunctions
from torchlsp.interp.checks.autograd import (
    gradient_access,
    python_scalar_cuts,
)
from torchlsp.interp.checks.distributed import varying_values
from torchlsp.interp.checks.dtypes import tensor_truth_value
from torchlsp.interp.checks.modules import training_mode
from torchlsp.interp.evaluate import conditions, iteration_functions
from torchlsp.interp.model import (
    context_managers,
    default_dtype_and_device,
    given_functions,
    heap_values,
    inner_modules,
    module_tree,
    python_math,
)
from torchlsp.interp.model.call_records import with_argument, with_call
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.objects import (
    assignment,
    attributes_and_methods,
    data_loading,
    libraries,
    module_copies,
    operators,
    optimizers_and_engines,
    parameter_iterators,
    process_groups,
    python_containers,
    python_library,
    rows,
    torch_modules,
    unknown_calls,
    vision_models,
)
from torchlsp.interp.store.heap_keys import OF_OTHER_CLASS
from torchlsp.ops.libraries import optim
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

Handler = Callable[["Evaluator", Arguments, ir.Node], Value]
"""Evaluates a call of one function or class."""
_PURE = frozenset(
    """torch numpy math os sys re json time random logging collections itertools functools typing pathlib glob tqdm matplotlib
    warnings builtins string datetime csv pickle copy operator argparse shutil subprocess inspect types dataclasses enum abc
    contextlib tempfile urllib PIL cv2 pandas scipy sklearn torchvision einops wandb tensorboard yaml""".split()
)
"""Top-level packages whose functions neither clear gradients nor change lists and modules that are passed to them."""


def call_unlisted(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a call of a function or class that has no handler and no operator row."""
    given_functions.give_all(it, arguments.positional)
    if name.endswith(".__init__") and arguments.positional:
        module_tree.mark_ready(it, arguments.positional[0])
    elif name.startswith("torch.nn.") and isinstance(module := arguments.first, v.LayerValue):
        owner = name.rpartition(".")[0]
        if owner == "torch.nn.Module" or owner in module_tree.CONTAINERS:
            torch_modules.forget_children(it, module)  # a method that is called on the class, past the object
    if name in module_tree.CONTAINERS or (ops.layer(name) is not None):
        return torch_modules.make_layer(it, name, arguments, node)
    if name.startswith("math."):
        return python_scalar_cuts.carry_cut(
            python_math.evaluate_call(name[5:], arguments), *arguments.positional
        )
    for external in (
        optimizers_and_engines.external,
        data_loading.external,
        process_groups.external,
        training_mode.evaluate_export,
    ):
        result = external(it, name, arguments, node)
        if result is not NotImplemented:
            return result
    library = libraries.BY_PACKAGE.get(name.partition(".")[0])
    if library is not None and (result := library.call(it, name, arguments, node)) is not NotImplemented:
        return result
    _report_host_conversions(it, name, arguments, node)
    for value in arguments.positional:
        if type(value) is v.FunctionValue:
            it.record_missed(value)  # torch.func.grad(f) and the like call it
    if name.partition(".")[0] not in _PURE:
        unknown_calls.unknown_call(it, arguments, node)
    elif name.startswith("torch.") and name.endswith("_") or name in _CHANGING:
        unknown_calls.unknown_call(it, arguments, node)
    return UNKNOWN_VALUE


_CHANGING = frozenset({"random.shuffle", "numpy.random.shuffle", "torch.nn.utils.fusion.fuse_conv_bn_eval"})


def _report_host_conversions(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports faults of functions that convert tensors to NumPy arrays: plotting, scikit-learn, pandas, SciPy."""
    from torchlsp.ops.libraries.consumers import consumer, conversion_faults

    if consumer(name) is not None:
        faults = with_argument(conversion_faults(name, arguments, it.context(node)), arguments)
        it.report(with_call(it, faults, name, arguments))


# ---- Python's own -------------------------------------------------------------------------------------------------------


def _dict(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    return python_containers.create_dict(it, arguments, node)


def _int(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    if isinstance(value, v.RankValue):
        return value
    if isinstance(value, v.Scalar):
        if isinstance(value.value, dims.Poly):
            return value
        if (
            isinstance(value.value, (int, float, str))
            and not arguments.keywords
            and len(arguments.positional) == 1
        ):
            try:
                return v.integer(int(value.value))
            except (ValueError, OverflowError):
                return UNKNOWN_VALUE
    size = v.as_dim(value)
    if isinstance(size, dims.Poly) and isinstance(value, v.Unknown):
        return v.integer(size)
    return varying_values.marked(v.Scalar("int"), varying_values.source_of(it, value))


def _float(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    if isinstance(value, v.Scalar) and isinstance(value.value, (int, float)):
        return v.Scalar("float", float(value.value))
    if isinstance(value, v.Scalar) and isinstance(value.value, str):
        text = value.value.strip().lower()
        if text.lstrip("+-") in ("inf", "infinity"):
            return v.Infinity("float", negative=text.startswith("-"))
    number = varying_values.marked(v.Scalar("float"), varying_values.source_of(it, value))
    return python_scalar_cuts.read_number(it, value, python_scalar_cuts.carry_cut(number, value), node)


def _bool(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    tensor_truth_value.report_truth_value(
        it, node.args[0] if type(node) is ir.Call and node.args else node, arguments.first
    )
    answer = conditions.truth_of(it, node, arguments.first)
    if answer.condition is not None:
        return answer.condition
    return v.truth_value(answer.truth)


def _max(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    return _max_min(it, arguments, node, max)


def _min(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    return _max_min(it, arguments, node, min)


def _max_min(
    it: Evaluator, arguments: Arguments, node: ir.Node, pick: Callable[[list[int | float]], int | float]
) -> Value:
    parameter_iterators.consume_in_generator(it, node)
    values = arguments.positional
    if arguments.keywords or arguments.is_open:
        return UNKNOWN_VALUE
    if len(values) == 1:
        values = it.elements(values[0]) or ()
    numbers = [
        value.value
        for value in values
        if isinstance(value, v.Scalar) and isinstance(value.value, (int, float))
    ]
    if values and len(numbers) == len(values):
        chosen = pick(numbers)
        return v.Scalar(type(chosen).__name__, chosen)
    if values and all(isinstance(value, v.Scalar) and value.kind == "int" for value in values):
        return v.Scalar("int")
    return UNKNOWN_VALUE


def _sum(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    parameter_iterators.consume_in_generator(it, node)
    items = it.elements(arguments.first)
    if not items or len(items) > 16:
        return UNKNOWN_VALUE
    start = dict(arguments.keywords).get("start", v.integer(0))
    total: Value = start if len(arguments.positional) < 2 else arguments.positional[1]
    for item in items:
        total = operators.binary_value(it, node, "+", total, item)
    return total


def _abs(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    if isinstance(value, v.Scalar) and isinstance(value.value, (int, float)):
        return v.Scalar(type(abs(value.value)).__name__, abs(value.value))
    if isinstance(value, v.Scalar) and value.kind in ("int", "float"):
        return v.Scalar(value.kind)
    if isinstance(value, TensorFact):
        return rows.apply_to_operands(it, ops.operator("Tensor.abs"), "Tensor.abs", (value,), node)
    return UNKNOWN_VALUE


def _isinstance(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if len(arguments.positional) != 2:
        return v.Scalar("bool")
    if it.api is not None:
        torch_api.report_legacy_scheduler(it, arguments.positional[1], node)
    truth = conditions.isinstance_test(it, arguments.positional[0], arguments.positional[1])
    return v.truth_value(truth)


def _is_tensor(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    truth = conditions.isinstance_test(it, arguments.first, v.External("torch.Tensor"))
    return v.truth_value(truth)


def _callable(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `callable(x)`: a tensor is not, and of the rest the answer is not asked for."""
    value = arguments.first
    return v.truth_value(Tri.NO if type(value) is TensorFact and not value.assumed else Tri.UNKNOWN)


def _type(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    match arguments.positional:
        case (v.LayerValue(qualname=name),):
            return v.External(name)
        case (v.InstanceValue(cls=cls),):
            return cls
    return UNKNOWN_VALUE


def _super(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if len(arguments.positional) == 2 and isinstance(arguments.positional[0], v.ClassValue):
        return v.SuperValue(arguments.positional[1], arguments.positional[0])
    for frame in reversed(it.frames):
        if frame.owner is not None and frame.function is not None and frame.function.params:
            receiver = frame.scope.variables.get(frame.function.params[0].name)
            if receiver is not None:
                return v.SuperValue(receiver, frame.owner)
    return UNKNOWN_VALUE


_ATTRIBUTE_OF_ANY_NAME: dict[Value, Value] = {v.External("torch.optim"): v.External(optim.ANY_OPTIMIZER)}
"""The callable that `getattr(module, name)` returns whatever the name is, by module."""


def _getattr(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if len(arguments.positional) < 2:
        return UNKNOWN_VALUE
    name = v.known(arguments.positional[1], str)
    if name is None:
        inner_modules.record(it, arguments.positional[0])
        return _ATTRIBUTE_OF_ANY_NAME.get(arguments.positional[0], UNKNOWN_VALUE)
    if len(arguments.positional) == 3 and not isinstance(arguments.positional[0], v.External):
        return UNKNOWN_VALUE
    return attributes_and_methods.get_attribute(it, arguments.positional[0], name, node)


def _setattr(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if len(arguments.positional) == 3:
        name = v.known(arguments.positional[1], str)
        target = arguments.positional[0]
        inner_modules.forget_changed(it, target, name, arguments.positional[2], is_computed=True)
        if name is not None and name.isidentifier():
            assignment.set_attribute(it, target, ir.Attribute(node.start, node.end, ir.Constant(node.start, node.end, None), name),
                          arguments.positional[2])  # fmt: skip
        elif isinstance(target, v.InstanceValue | v.LayerValue | v.ClassValue):
            heap_values.forget_attributes(it, target)
        elif isinstance(target, v.External) and name is None and target.name.partition(".")[0] == "torch":
            it.states[torch_api.PatchedNames].names.add(torch_api.ANY_NAME)
    return v.NONE


def _vars(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `vars(target)`: whoever holds the dict of an object sets its attributes by whatever names."""
    if isinstance(target := arguments.first, v.InstanceValue | v.LayerValue):
        heap_values.forget_attributes(it, target)
    return UNKNOWN_VALUE


def _print(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    compile_graph_breaks.record_print(it, node)
    return v.NONE


def _str(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    return (
        v.Scalar("str", str(value.value))
        if isinstance(value, v.Scalar)
        and value.kind in ("str", "int")
        and isinstance(value.value, (str, int))
        else v.Scalar("str")
    )


# ---- torch --------------------------------------------------------------------------------------------------------------


def _device(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    match value:
        case v.DeviceValue():
            return v.DeviceValue(value.device, "device" if value.of in ("", v.ACCELERATOR) else value.of)
        case v.Scalar(kind="str", value=str(text)):
            found = parse(text)
            if found is not None and len(arguments.positional) > 1:
                index = v.as_int(arguments.positional[1])
                found = Device(found.kind, SOME_INDEX if index is None else index)
            return v.DeviceValue(found, "device")
        case v.Scalar(kind="int", value=int(index)):
            return v.DeviceValue(Device("cuda", index), "device")
    return v.DeviceValue(None, "device")


def _cuda_available(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    return v.Condition("cuda")


def _accelerator(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Returns the device of the accelerator: CUDA where there is CUDA, else another one or None."""
    return v.DeviceValue(CUDA_IF_AVAILABLE, v.ACCELERATOR)


def _context_manager(name: str, modes: dict[str, Tri]) -> Handler:
    """Returns the handler of a context manager of torch that sets modes."""

    def handler(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
        inside = dict(modes)
        if "autocast" in inside:
            enabled = dict(arguments.keywords).get("enabled")
            if enabled == v.FALSE:
                inside["autocast"] = Tri.NO
        first = arguments.first if arguments.positional else None
        if name == "torch.inference_mode":
            mode = dict(arguments.keywords).get("mode", first)
            if mode == v.FALSE:
                return v.ContextValue(name)
            if mode is not None and mode != v.TRUE and not isinstance(mode, v.FunctionValue):
                inside = dict.fromkeys(modes, Tri.UNKNOWN)
        if isinstance(first, v.FunctionValue):
            return first
        return v.ContextValue(name, tuple(inside.items()))

    return handler


def _parameter(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first if arguments.positional else dict(arguments.keywords).get("data", UNKNOWN_VALUE)
    flag = (
        arguments.positional[1]
        if len(arguments.positional) > 1
        else dict(arguments.keywords).get("requires_grad", v.TRUE)
    )
    requires = Tri.of(v.known(flag, bool)) if not arguments.open_keywords else Tri.UNKNOWN
    grad = LEAF if requires is Tri.YES else Grad(requires, Tri.YES)
    if isinstance(value, TensorFact):
        if requires is Tri.YES and value.dtype is not None and not dtypes.can_require_grad(value.dtype):
            called = Called("torch.nn.Parameter", (value,))
            fault(
                it,
                FaultKind.GRAD_DTYPE,
                node,
                "torch.nn.Parameter",
                called=called,
                input=value,
                dtype=value.dtype,
            )
        return value.but(grad=grad, provenance="parameter", content=None)
    return TensorFact(grad=grad, provenance="parameter", origin=None)


def _buffer(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first if arguments.positional else dict(arguments.keywords).get("data", UNKNOWN_VALUE)
    return value.but(provenance="buffer") if isinstance(value, TensorFact) else UNKNOWN_VALUE


def _copy(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    return value if isinstance(value, TensorFact) else module_copies.deep_copy(it, value, node)


def _deepcopy(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    gradient_access.report_deepcopy(it, arguments.first, node)
    return module_copies.deep_copy(it, arguments.first, node)


def _partial(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if not arguments.positional or arguments.is_open:
        return UNKNOWN_VALUE
    return v.PartialValue(arguments.positional[0], arguments.positional[1:], arguments.keywords)


def _variable(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.autograd.Variable(x)`, which shares the memory of x and is a leaf of the graph."""
    value = arguments.first
    given = arguments.positional[1:] or tuple(
        one for key, one in arguments.keywords if key == "requires_grad"
    )
    if not isinstance(value, TensorFact):
        return UNKNOWN_VALUE
    requires = Tri.of(v.known(given[0], bool)) if given else Tri.NO
    return value.but(grad=Grad(requires, Tri.YES))


def _size(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    items = it.elements(arguments.first)
    return v.TupleValue(items, is_size=True) if items is not None else UNKNOWN_VALUE


def _compile(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.compile(target)`: a compiled module has the module's attributes, but is not of its class."""
    compile_arguments.check_compile_call(it, arguments, node)
    it.states[CompiledFunctions].compiling = node
    value = arguments.first
    if isinstance(value, v.LayerValue | v.InstanceValue):
        it.state.set(it.state.heap, (value.ref, OF_OTHER_CLASS), True)
        return value
    return value if isinstance(value, v.FunctionValue | v.Wrapped) else UNKNOWN_VALUE


def _script(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.jit.script(target)`: a module becomes another object that shares its parameters."""
    if arguments.positional and isinstance(arguments.positional[0], v.FunctionValue):
        return arguments.positional[0]
    unknown_calls.unknown_call(it, arguments, node)
    return UNKNOWN_VALUE


def _round(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    given = arguments.positional
    if given and isinstance(given[0], v.Scalar) and given[0].kind in ("int", "float", "bool"):
        return v.Scalar("int" if len(given) == 1 else given[0].kind)
    return UNKNOWN_VALUE


def _numpy_sqrt(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `np.sqrt`: of a number it is a NumPy scalar, which behaves like a Python float."""
    given = arguments.positional
    if len(given) == 1 and isinstance(given[0], v.Scalar) and given[0].kind in ("int", "float"):
        return v.Scalar("float")
    row = ops.operator("numpy.sqrt")
    return UNKNOWN_VALUE if row is None else rows.apply_row(it, row, "numpy.sqrt", arguments, node)


def _random_generator(name: str) -> Handler:
    """Returns the handler of a NumPy random generator; its methods are operators under the class's name."""
    return lambda it, arguments, node: v.Engine(f"generator@{it.frame.site}:{node.start}", name)


def _full(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Returns a filled tensor; before torch 1.7 its dtype did not follow from the value."""
    row = ops.operator("torch.full")
    assert row is not None
    result = rows.apply_row(it, row, "torch.full", arguments, node)
    follows = it.api is None or not it.api.is_before(1, 7)
    given = any(name in ("dtype", "out") for name, _ in arguments.keywords)
    return result.but(dtype=None) if type(result) is TensorFact and not follows and not given else result


HANDLERS: dict[str, Handler] = {
    "torch.full": _full,
    "numpy.random.default_rng": _random_generator("numpy.random.Generator"),
    "numpy.random.RandomState": _random_generator("numpy.random.RandomState"),
    "builtins.dict": _dict, "collections.OrderedDict": _dict, "builtins.int": _int, "builtins.float": _float, "builtins.bool": _bool,
    "builtins.max": _max, "builtins.min": _min, "builtins.sum": _sum, "builtins.abs": _abs, "builtins.round": _round, "numpy.sqrt": _numpy_sqrt,
    "builtins.isinstance": _isinstance, "torch.is_tensor": _is_tensor, "builtins.callable": _callable, "builtins.super": _super, "builtins.type": _type, "builtins.filter": parameter_iterators.filter_parameters, "builtins.getattr": _getattr, "builtins.setattr": _setattr, "builtins.object.__setattr__": _setattr, "builtins.vars": _vars,
    "builtins.print": _print, "builtins.str": _str, "torch.device": _device, "torch.cuda.is_available": _cuda_available,
    "torch.accelerator.is_available": _cuda_available, "torch.accelerator.current_accelerator": _accelerator,
    "torch.nn.Parameter": _parameter, "torch.nn.Buffer": _buffer, "copy.deepcopy": _deepcopy, "copy.copy": _copy, "functools.partial": _partial,
    "torch.set_default_dtype": default_dtype_and_device.set_default_dtype, "torch.set_default_device": default_dtype_and_device.set_default_device,
    "torch.set_default_tensor_type": default_dtype_and_device.set_default_tensor_type, "torch.autograd.Variable": _variable, "torch.Size": _size,
    "torch.autograd.backward": optimizers_and_engines.call_autograd_backward, "torch.autograd.grad": optimizers_and_engines.call_autograd_grad,
    "torch.compile": _compile, "torch.jit.script": _script, "torch.hub.load": vision_models.load_from_hub,
    **iteration_functions.HANDLERS,
    **python_library.HANDLERS,
    **running.EXTERNAL_RESULTS,
    **{name: _context_manager(name, modes) for name, modes in context_managers.MANAGERS.items()},
}  # fmt: skip
