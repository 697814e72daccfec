"""Evaluates optimizers and training frameworks, and records the events of the training protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.autograd import (
    autograd_graph,
    forward_hooks,
    global_grad_mode,
    non_differentiable_losses,
    retained_graphs,
)
from torchlsp.interp.checks.autograd.forward_hooks import ForwardHooks
from torchlsp.interp.checks.devices import unsynchronized_timers
from torchlsp.interp.checks.distributed import unused_parameters
from torchlsp.interp.checks.training import scheduler_arguments, stale_parameters
from torchlsp.interp.model import (
    ddp_modules,
    given_functions,
    gradient_writes,
    heap_access,
    inner_modules,
    training_events,
)
from torchlsp.interp.objects import (
    parameter_iterators,
    process_groups,
    rows,
    scalers_and_schedulers,
    torch_modules,
    unknown_calls,
    wrapper_results,
)
from torchlsp.interp.store.heap_keys import DELETED
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.interp.store.trace import EventKind
from torchlsp.ops.libraries import collectives, optim
from torchlsp.ops.libraries.optim import ANY_OPTIMIZER, TAKES_CLOSURE
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from types import NotImplementedType

    from torchlsp.interp.store.evaluator import Evaluator

ENGINES = frozenset(
    key[0]
    for table in (collectives.RANK_SOURCES, collectives.MAIN_PROCESS)
    for key in table
    if isinstance(key, tuple)
)
"""Classes of frameworks that drive training: their attributes are ranks, their methods communicate."""


def external(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Calls functions of optimizers, scalers and frameworks; NotImplemented for all other functions."""
    if is_optimizer_class(name):
        return make_optimizer(it, name, arguments, node)
    if name in optim.SCALERS:
        return scalers_and_schedulers.make_scaler(it, name, arguments, node)
    if name in optim.SCHEDULERS:
        return scalers_and_schedulers.make_scheduler(it, name, arguments, node)
    if name in ENGINES:
        return v.Engine(f"engine@{it.frame.site}:{node.start}", name)
    if (
        name in collectives.HIDDEN
        and name in optim.WRAPPERS
        or optim.WRAPPERS.get(name) == "torch.nn.DataParallel"
    ):
        return _wrap(it, name, optim.WRAPPERS[name], arguments, node)
    if name in optim.SAME_MODULE:
        module = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
        if name.startswith("torch.nn.utils.") and isinstance(module, (v.LayerValue, v.InstanceValue)):
            # A parameter becomes a plain attribute.
            it.state.set(it.state.heap, (module.ref, DELETED), True)
        return module
    if name in optim.CLIPS:
        _clip(it, name, arguments, node)
        return TensorFact()
    return NotImplemented


def _clip(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Records that gradients are clipped; clipping to infinity only measures their norm."""
    parameters = arguments.first if arguments.positional else dict(arguments.keywords).get("parameters")
    clipped = None if parameters is None else owners(it, parameters)
    used_up = parameters is not None and parameter_iterators.is_used_up(it, parameters)
    if arguments.positional:
        parameter_iterators.consume(it, arguments.positional[0])
    given = [*arguments.positional[1:2], *(value for key, value in arguments.keywords if key == "max_norm")]
    measures = any(
        isinstance(value, v.Scalar) and value.kind == "float" and not value.is_known for value in given
    )
    if not measures:
        training_events.record_event(
            it, EventKind.CLIP, node, clipped or (), name.rpartition(".")[2], label="empty" if used_up else ""
        )


def call_autograd_backward(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.autograd.backward(tensors)`."""
    if arguments.positional:
        autograd_graph.run_backward_call(it, arguments.positional[0], arguments, node, 2)
    _backward(it, arguments, node)
    return _apply_operator(it, "torch.autograd.backward", arguments, node)


def call_autograd_grad(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.autograd.grad(outputs, inputs)`."""
    retained_graphs.record_gradients_call(it, arguments, node)
    return _apply_operator(it, "torch.autograd.grad", arguments, node)


def _apply_operator(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    row = ops.operator(name)
    return UNKNOWN_VALUE if row is None else rows.apply_row(it, row, name, arguments, node)


def is_optimizer_class(name: str) -> bool:
    """Returns whether a dotted name is a class of optimizers."""
    return name in optim.OPTIMIZERS or name == optim.ANY_OPTIMIZER


def is_optimizer_base(name: str) -> bool:
    """Returns whether a dotted name is a class of torch from which optimizers derive."""
    return name.startswith("torch.optim.") and (is_optimizer_class(name) or name.endswith(".Optimizer"))


def initialise_base(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Evaluates `super().__init__(params, ...)` in a class that derives from one of torch's optimizers."""
    params = arguments.first if arguments.positional else dict(arguments.keywords).get("params")
    if params is not None and not arguments.open_positional:
        parameter_iterators.report_refused_parameters(it, name, params, arguments, node)


def make_optimizer(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Creates an optimizer, and reports parameters that it refuses."""
    ref = f"optimizer@{it.frame.site}:{node.start}"
    params = (
        arguments.positional[0]
        if arguments.positional
        else dict(arguments.keywords).get("params", UNKNOWN_VALUE)
    )
    if name.startswith("torch.optim."):
        parameter_iterators.report_refused_parameters(it, name, params, arguments, node)
    origin = Origin(node.start, node.end, name, (), it.frame.module.path)
    unseen = params.unseen if isinstance(params, v.ParametersOf) else ""
    optimizer = v.OptimizerValue(ref, name, owners(it, params), name.rpartition(".")[2], origin, unseen)
    it.analysis.optimizers[ref] = optimizer
    momentum = dict(arguments.keywords).get("momentum") if name == "torch.optim.SGD" else None
    if v.known(momentum, float):
        it.analysis.with_momentum.add(ref)
    scheduler_arguments.record_new_optimizer(it, optimizer, params)
    stale_parameters.record_model_name(it, optimizer, node)
    training_events.record_event(it, EventKind.MADE, node, {ref})
    return optimizer


def owners(it: Evaluator, params: Value, depth: int = 0) -> frozenset[str] | None:
    """Returns the refs of the modules whose parameters an optimizer gets; None if some are not known."""
    match params:
        case v.ParametersOf(owns=owns):
            return owns
        case TensorFact(storage=storage) if storage.ids is not None and depth:
            return storage.ids
        case v.DictRef(ref=ref):
            entries = heap_access.entries_at(it, ref)
            if isinstance(entries, dict) and "params" in entries:
                return owners(it, entries["params"], depth + 1)
            return None
        case v.Repeated(element=element):
            return owners(it, element, depth + 1)
    items = it.elements(params)
    if items is None or depth > 3:
        return None
    found: frozenset[str] = frozenset()
    for item in items:
        part = owners(it, item, depth + 1)
        if part is None:
            return None
        found |= part
    return found


def _wrap(it: Evaluator, name: str, qualname: str, arguments: Arguments, node: ir.Node) -> Value:
    """Creates a parallel wrapper around a module."""
    module = (
        arguments.positional[0]
        if arguments.positional
        else dict(arguments.keywords).get("module", UNKNOWN_VALUE)
    )
    if qualname != "torch.nn.DataParallel":
        process_groups.record_hidden_collective(it, qualname, node)
        ddp_modules.record_wrapping(it, qualname, module, arguments, node)
    wrapper = v.Wrapped(f"wrapped@{it.frame.site}:{node.start}", qualname, module)
    unused_parameters.record_wrapper(it, name, wrapper, arguments, node)
    wrapper_results.record_copies(it, wrapper, arguments)
    return wrapper


def record_tensor_event(
    it: Evaluator, name: str, tensor: TensorFact, arguments: Arguments, node: ir.Node
) -> None:
    """Records the training events of tensor methods: `loss.backward()`, and `p.grad.zero_()`."""
    if name == "backward":
        autograd_graph.run_backward_call(it, tensor, arguments, node, 1)
        _backward(it, arguments, node, tensor)
    elif gradient_writes.clears_gradient(node):
        training_events.record_event(it, EventKind.ZERO_GRAD, node, name="grad")


def _backward(it: Evaluator, arguments: Arguments, node: ir.Node, loss: Value = UNKNOWN_VALUE) -> None:
    """Records a backward pass."""
    given_functions.run_given(it)  # hooks of tensors
    for hook in running.BACKWARD:
        hook(it, loss, arguments, node)
    limited = any(key == "inputs" for key, _ in arguments.keywords)
    scaler = (
        scalers_and_schedulers.scaler_of(it, loss)
        if it.states[scalers_and_schedulers.ScaledLosses].scaled_by
        else ""
    )
    name = "inputs" if limited else ""
    # An unknown argument may be of any class with such a method.
    is_argument = type(loss) is v.Parameter and not loss.passed
    if not name and (is_argument or type(loss) is not TensorFact and arguments.positional):
        name = "engine"
    training_events.record_event(it, EventKind.BACKWARD, node, name=name, other=scaler)
    process_groups.record_backward(it, node)


def record_unknown_method(
    it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    """Records a training event of a method call on an unknown value; returns the result if it is known."""
    if name in forward_hooks.REGISTERING:
        forward_hooks.forget_call(it, receiver, arguments)
    if name == "register_forward_hook":
        return forward_hooks.evaluate_register(it, None, arguments, node)
    if name in ("add_module", "register_module") and len(arguments.positional) > 1:
        inner_modules.forget_changed(it, receiver, None, arguments.positional[1], is_computed=True)
    if name in ("backward", "manual_backward"):
        non_differentiable_losses.report_backward(it, node)
        global_grad_mode.report_backward(it, node)
        _backward(it, arguments, node, receiver)
    elif name == "remove" and it.states[ForwardHooks].hooks:
        forward_hooks.evaluate_remove(it, None)
    elif name in ("train", "eval"):
        training_events.record_event(it, EventKind.TRAIN, node, name="unknown")
    elif name == "step" and type(receiver) is not v.Parameter:
        training_events.record_event(it, EventKind.UNKNOWN_STEP, node)
    elif name == "zero_grad" or gradient_writes.clears_gradient(node):
        other = receiver.name if type(receiver) is v.Parameter and name == "zero_grad" else ""
        training_events.record_event(
            it, EventKind.ZERO_GRAD, node, name="unknown", label=training_events.label_of(node), other=other
        )
    return None


@running_state
class StepHooks:
    """Optimizers whose steps call functions that were registered, which may clear gradients."""

    optimizers: set[str] = per_root(set)


def call_optimizer_method(
    it: Evaluator, optimizer: v.OptimizerValue, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a method of an optimizer, and records `step` and `zero_grad`."""
    training_events.record_optimizer(it, optimizer)
    scheduler_arguments.record_optimizer_use(it, optimizer, name)
    stale_parameters.record_regrouping(it, optimizer, name, node)
    if name == "step":
        closure = arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("closure")
        kind = ""
        if closure is not None and closure != v.NONE:
            kind = "closure"
            if isinstance(closure, v.FunctionValue):
                it.invoke(closure, Arguments(), node)
            else:
                training_events.record_event(it, EventKind.ZERO_GRAD, node, name="unknown")
        if optimizer.qualname == ANY_OPTIMIZER or optimizer.qualname in TAKES_CLOSURE:
            unsynchronized_timers.record_wait(it)  # it has compared the losses of the closure
        training_events.record_event(
            it, EventKind.STEP, node, {optimizer.ref}, kind, training_events.label_of(node)
        )
        if not kind:
            autograd_graph.record_step(it, optimizer, node)
        if optimizer.ref in it.states[StepHooks].optimizers:
            training_events.record_event(it, EventKind.UNKNOWN_CALL, node, {optimizer.ref})
        return UNKNOWN_VALUE
    if name.startswith("register_step_"):
        given_functions.give_all(it, arguments.positional)
        it.states[StepHooks].optimizers.add(optimizer.ref)
        return UNKNOWN_VALUE
    if name == "zero_grad":
        autograd_graph.record_clear(it, optimizer.owns)
        training_events.record_event(it, EventKind.ZERO_GRAD, node, {optimizer.ref}, "optimizer.zero_grad")
        return v.NONE
    return UNKNOWN_VALUE


def engine_attribute(it: Evaluator, engine: v.Engine | v.OptimizerValue, name: str, node: ir.Node) -> Value:
    """Reads an attribute of an optimizer or of a training framework's object."""
    if isinstance(engine, v.OptimizerValue):
        scheduler_arguments.record_optimizer_use(it, engine, name)
        stale_parameters.record_regrouping(it, engine, name, node)
        return v.BoundExternal(engine, name)
    ranked = process_groups.engine_rank(it, engine, name, node)
    if ranked is not None:
        return ranked
    if name == "device":
        from torchlsp.facts.device import CUDA_IF_AVAILABLE

        return v.DeviceValue(CUDA_IF_AVAILABLE)
    return v.BoundExternal(engine, name)


def call_engine_method(
    it: Evaluator, engine: v.Engine, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a method of an object of a training framework, a scaler, a scheduler or an executor."""
    method = running.OBJECT_METHODS.get(engine.qualname)
    if method is not None:
        return method(it, engine, name, arguments, node)
    row = ops.operator(f"{engine.qualname}.{name}")
    if row is not None:
        given = Arguments(
            (engine, *arguments.positional),
            arguments.keywords,
            arguments.open_positional,
            arguments.open_keywords,
        )
        return rows.apply_row(it, row, f"{engine.qualname}.{name}", given, node)
    first = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    if engine.qualname in optim.SCALERS:
        return scalers_and_schedulers.call_scaler_method(it, engine, name, arguments, node)
    if engine.qualname in ENGINES:
        if name in ("backward", "clip_grad_norm_", "clip_grad_value_"):
            if name == "backward":
                call_backward(it, arguments, node)
            return UNKNOWN_VALUE
        if name in (
            "prepare",
            "setup",
            "prepare_model",
            "prepare_optimizer",
            "prepare_data_loader",
            "setup_dataloaders",
        ):
            return prepare(it, engine, arguments, node)
        if name in ("unwrap_model",):
            return first.module if isinstance(first, v.Wrapped) else first
        if name in ("accumulate", "autocast", "no_sync"):
            return v.ContextValue(f"{engine.qualname}.{name}")
        process_groups.record_engine_collective(it, engine, name, node)
        return UNKNOWN_VALUE
    if engine.qualname in optim.SCHEDULERS:
        return scalers_and_schedulers.call_scheduler_method(it, engine, name, arguments, node)
    unknown_calls.unknown_call(it, arguments, node, engine)
    return UNKNOWN_VALUE


def call_backward(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Runs the backward pass of `engine.backward(loss)`, and records it."""
    first = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    if isinstance(first, TensorFact):
        autograd_graph.run_backward_call(it, first, Arguments((first,), arguments.keywords), node, 1)
    _backward(it, arguments, node)


def prepare(it: Evaluator, engine: v.Engine, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `accelerator.prepare(...)`, which returns its arguments, moved to the process's device."""
    device = Arguments((engine_attribute(it, engine, "device", node),))
    results: list[Value] = []
    for value in arguments.positional:
        if isinstance(value, (v.LayerValue, v.InstanceValue)):
            torch_modules.move(it, value, "to", device, node)
        elif isinstance(value, v.LoaderValue):
            value = UNKNOWN_VALUE
        results.append(value)
    if arguments.open_positional:
        return UNKNOWN_VALUE
    return results[0] if len(results) == 1 else v.TupleValue(tuple(results))
