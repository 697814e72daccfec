"""Training mode and evaluation mode: which calls of a module run layers that do another thing in each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.autograd import adversarial_losses, forward_hooks
from torchlsp.interp.checks.autograd.forward_hooks import ForwardHooks
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.checks.training import stale_parameters
from torchlsp.interp.checks.training.stale_parameters import StaleParameters
from torchlsp.interp.model import imported_names, module_tree
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
"""Layers that drop in training mode, and the argument that says how much."""
DEPENDENT = NORMS | _DROPPING.keys()
_MADE_ANEW = frozenset(
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
_OF_MODES = frozenset({"train", "eval", "training"})
_FURTHEST = 12


@running_state
class TrainingModes:
    """What the running call of a module has found of layers that depend on the mode, and the batches of loaders."""

    forwarding: tuple[int, set[str]] | None = per_root(lambda: None)
    """Inside the call of a module: how many frames are outside of it, and the layers run so far that depend on the mode."""
    batches: set[str] = per_root(set)
    """The memory of what loaders have put together."""
    layers: dict[str, v.LayerValue] = gathered(dict, last_wins)
    """Layers that depend on the mode and are called, by their refs."""


def note(it: Evaluator, layer: v.LayerValue) -> None:
    """A layer that depends on the mode is called inside a module's call, on every way through it."""
    if any(frame.conditional for frame in it.frames[it.states[TrainingModes].forwarding[0] :]):
        return
    if not _does_depend(layer):
        return
    it.states[TrainingModes].forwarding[1].add(layer.ref)
    it.states[TrainingModes].layers[layer.ref] = layer


def forward(it: Evaluator, value: Value, arguments: Arguments, node: ir.Node, run: Callable) -> Value:
    """The outermost call of a module: afterwards it is known what it has run inside."""
    it.states[TrainingModes].forwarding = (len(it.frames), set())
    began = it.graph.clock
    try:
        result = run(it, value, arguments, node)
        adversarial_losses.record_module_call(it, arguments, result, began, node)
        if it.states[ForwardHooks].hooks:
            forward_hooks.report_hooks(it, value, result)
        if it.states[StaleParameters].replaced:
            stale_parameters.called(it, value, node)
        return result
    finally:
        layers = it.states[TrainingModes].forwarding[1]
        it.states[TrainingModes].forwarding = None
        if layers and not it.silent:
            _record(it, value, layers, arguments, node)


def _record(it: Evaluator, value: Value, layers: set[str], arguments: Arguments, node: ir.Node) -> None:
    grad = it.state.modes["grad"]
    discarded = it.frame.statement == (node.start, node.end)
    if grad is Tri.NO and discarded:
        return  # run for what it does to running statistics
    given = arguments.positional[0] if arguments.positional else None
    name = {Tri.NO: "no_grad", Tri.YES: "grad"}.get(grad, "")
    it.recorder.add(Event(
        EventKind.FORWARD, node.start, node.end, frozenset(layers), name, it.frame.module.path, label=_input(it, given),
        node=it.frame.statement, other=value.ref,
    ))  # fmt: skip


def external(it: Evaluator, name: str, arguments: Arguments, node: ir.Node):
    """What writes a module down as it is, in the mode that it is in; NotImplemented for anything else."""
    if name not in _EXPORTS:
        return NotImplemented
    given = [*arguments.positional[:1], *(value for key, value in arguments.keywords if key in _EXPORTED)]
    if given and (name != "torch.onnx.export" or _exports_as_is(it, arguments)):
        _export(it, given[0], node)
    return UNKNOWN_VALUE


def _exports_as_is(it: Evaluator, arguments: Arguments) -> bool:
    """The exporter that goes by tracing puts the module into evaluation mode itself; the newer one, since 2.9 the default, does not."""
    given = dict(arguments.keywords)
    if arguments.open_keywords or "training" in given:
        return False
    newest = it.api is not None and not it.api.is_before(2, 9)
    return given["dynamo"] == v.TRUE if "dynamo" in given else newest


def _export(it: Evaluator, module: Value, node: ir.Node) -> None:
    layers = {
        one.ref: one
        for one in module_tree.submodules(it, module)
        if isinstance(one, v.LayerValue) and one.qualname in DEPENDENT and _does_depend(one)
    }
    if it.silent or not layers:
        return
    it.states[TrainingModes].layers.update(layers)
    it.recorder.add(Event(
        EventKind.FORWARD, node.start, node.end, frozenset(layers), "export", it.frame.module.path, node=it.frame.statement,
        other=module.ref,
    ))  # fmt: skip


def _does_depend(layer: v.LayerValue) -> bool:
    """Does it drop anything, or keep statistics?"""
    if layer.qualname in _DROPPING:
        share = layer[_DROPPING[layer.qualname]]
        return isinstance(share, v.Scalar) and isinstance(share.value, (int, float)) and bool(share.value)
    return layer["track_running_stats"] != v.FALSE


def _input(it: Evaluator, given: Value | None) -> str:
    """The same text for the same tensor; it begins with `new` for one that was made for the purpose, not by a loader."""
    if not isinstance(given, TensorFact):
        return ""
    same = ",".join(sorted(given.storage.ids or ()))
    fact: TensorFact | None = given
    for _ in range(_FURTHEST):
        if (
            fact is None
            or fact.origin is None
            or not it.states[TrainingModes].batches.isdisjoint(fact.storage.ids or ())
        ):
            break
        if fact.origin.op in _MADE_ANEW:
            return f"new {same}"
        fact = fact.origin.parents[0] if fact.origin.parents else None
    return same


def applied(it: Evaluator, value: Value, arguments: Arguments, node: ir.Node, refs: frozenset[str]) -> None:
    """`module.apply(function)`: a function that has to do with modes may leave any."""
    function = arguments.positional[0] if arguments.positional else None
    if (
        isinstance(function, v.External)
        or isinstance(function, v.FunctionValue)
        and not imported_names.mentions(function.ir, _OF_MODES)
    ):
        return
    it.recorder.add(Event(EventKind.TRAIN, node.start, node.end, refs, "unknown", it.frame.module.path))


def _layer_called(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    if it.states[TrainingModes].forwarding is not None:
        note(it, layer)


HOOKS = Hooks(layer_call=for_names(DEPENDENT, _layer_called))
