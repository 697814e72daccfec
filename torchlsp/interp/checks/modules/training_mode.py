"""Records which calls of modules run layers that depend on the mode: training or evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import NotImplementedType
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact, first_operands
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.autograd import adversarial_losses, forward_hooks
from torchlsp.interp.checks.autograd.forward_hooks import ForwardHooks
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.checks.training import stale_parameters
from torchlsp.interp.checks.training.stale_parameters import StaleParameters
from torchlsp.interp.model import imported_names, module_tree
from torchlsp.interp.store.heap_keys import TRAINING
from torchlsp.interp.store.lifetimes import gathered, last_wins, per_root, running_state
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.table import LayerState

NORMS = frozenset(
    f"torch.nn.{kind}{rank}" for kind in ("BatchNorm", "LazyBatchNorm") for rank in ("1d", "2d", "3d")
) | {"torch.nn.SyncBatchNorm"}
_DROPPING = {
    **{f"torch.nn.{name}": "p" for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")},
    **{f"torch.nn.{name}": "dropout" for name in (
        "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer", "MultiheadAttention",
    )},
}  # fmt: skip
"""Layers that drop values in training mode, and the argument that says how many."""
DEPENDENT = NORMS | _DROPPING.keys()
"""Layers that depend on the mode."""
_NEW_TENSORS = frozenset(
    f"torch.{name}"
    for name in "rand randn randint zeros ones empty full arange linspace randperm eye".split()
)
_EXPORTS = frozenset(
    {
        "torch.export.export",
        "torch.export.draft_export",
        "torch.jit.trace",
        "torch.jit.trace_module",
        "torch.onnx.export",
    }
)
_EXPORTED = frozenset({"mod", "func", "model"})
"""The parameter of exporters that takes the module."""
_MODE_NAMES = frozenset({"train", "eval", "training"})
_MAX_ORIGINS = 12


@running_state
class TrainingModes:
    """The layers that depend on the mode, those called by the running module, and the batches of loaders."""

    forwarding: tuple[int, set[str]] | None = per_root(lambda: None)
    """Inside the call of a module: how many frames are outside of it, and the layers called so far that depend on the mode."""
    batches: set[str] = per_root(set)
    """The memory of the batches that loaders have collated."""
    of_new: set[str] = per_root(set)
    """The memory of what modules have computed from tensors that were created for the call."""
    layers: dict[str, v.LayerValue] = gathered(dict, last_wins)
    """Layers that depend on the mode and are called, by their refs."""


def record_dependent_layer(it: Evaluator, layer: v.LayerValue) -> None:
    """Records the call of a layer that depends on the mode, if every path through the module's call has it."""
    forwarding = it.states[TrainingModes].forwarding
    if forwarding is None or any(frame.conditional for frame in it.frames[forwarding[0] :]):
        return
    if not _does_depend(layer):
        return
    forwarding[1].add(layer.ref)
    it.states[TrainingModes].layers[layer.ref] = layer


def run_outermost_call(
    it: Evaluator,
    value: v.ModuleValue,
    arguments: Arguments,
    node: ir.Node,
    run: Callable[[Evaluator, v.ModuleValue, Arguments, ir.Node], Value],
) -> Value:
    """Runs the outermost call of a module, and records the layers that depend on the mode and were called."""
    layers: set[str] = set()
    it.states[TrainingModes].forwarding = (len(it.frames), layers)
    began = it.graph.clock
    try:
        result = run(it, value, arguments, node)
        if _input(it, _given(arguments)).startswith("new"):
            it.states[TrainingModes].of_new.update(_memory(it, result))
        adversarial_losses.record_module_call(it, arguments, result, began, node)
        if it.states[ForwardHooks].hooks:
            forward_hooks.report_hooks(it, value, result)
        if it.states[StaleParameters].replacements:
            stale_parameters.record_replacement_call(it, value, node)
        return result
    finally:
        it.states[TrainingModes].forwarding = None
        if layers and not it.silent:
            _record(it, value, layers, arguments, node)


def _memory(it: Evaluator, value: Value) -> Iterator[str]:
    """Yields the memory of a tensor, or of those in a tuple or list; of a list or dict also its own name."""
    if isinstance(value, v.ListRef | v.DictRef):
        yield value.ref
    for item in (value,) if isinstance(value, TensorFact) else it.elements(value) or ():
        if isinstance(item, TensorFact):
            yield from sorted(item.storage.ids or ())


def _record(
    it: Evaluator, value: v.ModuleValue, layers: set[str], arguments: Arguments, node: ir.Node
) -> None:
    grad = it.state.modes["grad"]
    discarded = it.frame.statement == (node.start, node.end)
    if grad is Tri.NO and discarded:
        return  # run for what it does to running statistics
    given = _given(arguments)
    name = {Tri.NO: "no_grad", Tri.YES: "grad"}.get(grad, "")
    it.recorder.add(Event(
        EventKind.FORWARD, node.start, node.end, frozenset(layers), name, it.frame.module.path, label=_input(it, given),
        node=it.frame.statement, other=value.ref,
    ))  # fmt: skip


def evaluate_export(
    it: Evaluator, name: str, arguments: Arguments, node: ir.Node
) -> Value | NotImplementedType:
    """Evaluates a function that exports a module in its present mode; NotImplemented for any other."""
    if name not in _EXPORTS:
        return NotImplemented
    given = [*arguments.positional[:1], *(value for key, value in arguments.keywords if key in _EXPORTED)]
    if given and (name != "torch.onnx.export" or _exports_as_is(it, arguments)):
        _export(it, given[0], node)
    return UNKNOWN_VALUE


def _exports_as_is(it: Evaluator, arguments: Arguments) -> bool:
    """Returns whether `torch.onnx.export` leaves the mode alone. The tracing exporter sets evaluation mode
    itself, the newer one (`dynamo=True`, the default since 2.9) does not."""
    given = dict(arguments.keywords)
    if arguments.open_keywords or "training" in given:
        return False
    newest = it.api is not None and not it.api.is_before(2, 9)
    return given["dynamo"] == v.TRUE if "dynamo" in given else newest


def _export(it: Evaluator, module: Value, node: ir.Node) -> None:
    """Records the export of a module that holds layers which depend on the mode."""
    layers = {
        one.ref: one
        for one in module_tree.submodules(it, module)
        if isinstance(one, v.LayerValue) and one.qualname in DEPENDENT and _does_depend(one)
    }
    if it.silent or not layers or not isinstance(module, (v.LayerValue, v.InstanceValue, v.Wrapped)):
        return
    it.states[TrainingModes].layers.update(layers)
    it.recorder.add(Event(
        EventKind.FORWARD, node.start, node.end, frozenset(layers), "export", it.frame.module.path, node=it.frame.statement,
        other=module.ref,
    ))  # fmt: skip


def _does_depend(layer: v.LayerValue) -> bool:
    """Returns whether a layer of such a class drops anything, or keeps statistics."""
    if layer.qualname in _DROPPING:
        share = layer[_DROPPING[layer.qualname]]
        return isinstance(share, v.Scalar) and isinstance(share.value, (int, float)) and bool(share.value)
    return layer["track_running_stats"] != v.FALSE


def _given(arguments: Arguments) -> Value | None:
    """Returns the first argument of which something is known."""
    return next((one for one in arguments.positional if one != UNKNOWN_VALUE), None)


def _input(it: Evaluator, given: Value | None) -> str:
    """Returns a text that identifies a tensor; it begins with `new` for one created for the call, not by a loader."""
    if isinstance(given, v.ListRef | v.DictRef) and given.ref in it.states[TrainingModes].of_new:
        return f"new {given.ref}"
    if not isinstance(given, TensorFact):
        return ""
    same = ",".join(sorted(given.storage.ids or ()))
    for fact in first_operands(given, _MAX_ORIGINS):
        if not it.states[TrainingModes].of_new.isdisjoint(fact.storage.ids or ()):
            return f"new {same}"
        if fact.origin is None or not it.states[TrainingModes].batches.isdisjoint(fact.storage.ids or ()):
            break
        if fact.origin.op in _NEW_TENSORS:
            return f"new {same}"
    return same


def record_applied_function(
    it: Evaluator, value: Value, arguments: Arguments, node: ir.Node, refs: frozenset[str]
) -> None:
    """Records that `module.apply(function)` leaves the mode unknown, if the function mentions modes."""
    function = arguments.positional[0] if arguments.positional else None
    if (
        isinstance(function, v.External)
        or isinstance(function, v.FunctionValue)
        and not imported_names.mentions(function.ir, _MODE_NAMES)
    ):
        return
    module_tree.set_on_submodules(it, value, TRAINING, Tri.UNKNOWN)
    it.recorder.add(Event(EventKind.TRAIN, node.start, node.end, refs, "unknown", it.frame.module.path))


def _layer_called(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    if it.states[TrainingModes].forwarding is not None:
        record_dependent_layer(it, layer)


HOOKS = Hooks(layer_call=for_names(DEPENDENT, _layer_called))
