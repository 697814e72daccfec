"""Records the events of gradient scalers and learning rate schedulers, from which checks infer misuse.

A scaler or scheduler whose creation is not known is recognised by its use: `x` in `x.scale(loss).backward()` is a scaler.
It is identified by the name of the unknown value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.devices import unsynchronized_timers
from torchlsp.interp.checks.training import schedule_ends_in_first_epoch, scheduler_arguments
from torchlsp.interp.model import training_events
from torchlsp.interp.store.heap_keys import DTYPE, STEPPED
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.interp.store.trace import EventKind
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

SCALE = "torch.amp.GradScaler.scale"
_QUIET = frozenset(
    {"state_dict", "is_enabled", "get_growth_factor", "get_backoff_factor", "get_growth_interval"}
)
"""Methods of a scaler that neither read nor change the scale."""
_BY_USE = frozenset({"scale", "unscale_", "update", "get_scale", "step"})
_ASKING = frozenset({"state_dict", "get_last_lr", "get_lr", "print_lr"})
"""Methods of a scheduler that change nothing."""
_RAISED = frozenset({"RuntimeError", "AssertionError", "ValueError"})
"""What a scaler raises for calls in the wrong order."""
_MAX_ORIGINS = 4


@running_state
class ScaledLosses:
    """The scaler that scaled the loss at each place."""

    scaled_by: dict[tuple[str | None, int, int], str] = per_root(dict)
    """The scaler's ref or name, by path, start and end of the call of `scale`, or by name of the loss, 0, 0."""


def make_scaler(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> v.Engine:
    """Creates a gradient scaler, and records whether it is enabled and for CUDA."""
    ref = f"engine@{it.frame.site}:{node.start}"
    given = dict(arguments.keywords)
    modern = name.startswith("torch.amp.")
    device = given.get("device", v.Scalar("str", "cuda"))
    if modern and arguments.positional:
        device = arguments.positional[0]
    cuda = "cpu" not in name if not modern else v.known(device, str) != "cpu"
    enabled = Tri.of(v.known(given.get("enabled", v.TRUE), bool))
    if arguments.is_open or len(arguments.positional) > 4:
        enabled = Tri.UNKNOWN
    it.analysis.scalers[ref] = (enabled, cuda)
    training_events.record_event(it, EventKind.MADE, node, {ref})
    return v.Engine(ref, name)


def make_scheduler(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> v.Engine:
    """Creates a learning rate scheduler, and records the optimizer that it drives."""
    ref = f"engine@{it.frame.site}:{node.start}"
    optimizer = (
        arguments.positional[0]
        if arguments.positional
        else dict(arguments.keywords).get("optimizer", UNKNOWN_VALUE)
    )
    scheduler_arguments.check_new_scheduler(it, name, optimizer, arguments, node)
    schedule_ends_in_first_epoch.record_length(it, ref, name, node)
    it.state.set(it.state.heap, (ref, STEPPED), False)
    match optimizer:
        case v.OptimizerValue(ref=owner) | v.Parameter(name=owner) if _warns(name):
            it.analysis.schedulers[ref] = owner
            training_events.record_event(it, EventKind.MADE, node, {ref})
    return v.Engine(ref, name)


def _warns(name: str) -> bool:
    """Returns whether a scheduler skips its first learning rate when it steps before the optimizer does."""
    return name.startswith(("torch.optim.", "transformers.")) and not name.endswith("ReduceLROnPlateau")


def call_scaler_method(
    it: Evaluator, scaler: v.Engine, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a method of a gradient scaler."""
    first = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    if name in ("step", "get_scale"):
        unsynchronized_timers.record_wait(it)  # it asks whether a gradient overflowed
    if name not in _QUIET:
        _scaler_event(it, scaler.ref, name, first, node)
    if isinstance(first, v.OptimizerValue):
        training_events.record_optimizer(it, first)
    if name == "step" and isinstance(first, v.OptimizerValue):
        training_events.record_event(
            it, EventKind.STEP, node, {first.ref}, "scaler", training_events.argument_label(node)
        )
    if name == "scale":
        if isinstance(first, (v.Unknown, v.Parameter)):
            first = TensorFact()
        if isinstance(first, TensorFact):
            return _scaled(it, scaler.ref, first, node)
    return UNKNOWN_VALUE


def _scaler_event(it: Evaluator, ref: str, name: str, optimizer: Value, node: ir.Node) -> None:
    """Records a method call of a scaler on an optimizer."""
    other = ""
    if not it.state.modes["caught"].isdisjoint(_RAISED):
        name = "tried"
    match optimizer:
        case v.OptimizerValue(ref=found, owns=owns):
            other = found
            if name in ("step", "unscale_") and _is_half(it, owns):
                name = f"{name} half"
        case v.Parameter(name=found):
            other = found
            if name == "step":
                label = training_events.argument_label(node)
                training_events.record_event(it, EventKind.UNSEEN_STEP, node, {found}, "scaler", label)
    training_events.record_event(
        it, EventKind.SCALER, node, {ref}, name, training_events.label_of(node), other=other
    )


def _is_half(it: Evaluator, owns: frozenset[str] | None) -> bool:
    """Returns whether all layers with parameters among these are certainly of half precision."""
    layers = [ref for ref in owns or () if ref.startswith("layer@")]
    kinds = {it.state.heap.get((ref, DTYPE), "f32") for ref in layers}
    return kinds == {"f16"}


def _scaled(it: Evaluator, ref: str, loss: TensorFact, node: ir.Node) -> TensorFact:
    """Returns the loss as scaled by a scaler, and records which scaler that was."""
    path = it.frame.module.path
    it.states[ScaledLosses].scaled_by[(path, node.start, node.end)] = ref
    return loss.but(origin=Origin(node.start, node.end, SCALE, (loss,), path))


def scaler_of(it: Evaluator, loss: Value) -> str:
    """Returns the ref or name of the scaler that scaled a loss; "" if none did."""
    if isinstance(loss, v.Parameter):
        return it.states[ScaledLosses].scaled_by.get((loss.name, 0, 0), "")
    for _ in range(_MAX_ORIGINS):
        origin = loss.origin if isinstance(loss, TensorFact) else None
        if origin is None:
            break
        if origin.op == SCALE:
            return it.states[ScaledLosses].scaled_by.get((origin.path, origin.start, origin.end), "")
        loss = origin.parents[0] if origin.parents else UNKNOWN_VALUE
    return ""


def call_scheduler_method(
    it: Evaluator, scheduler: v.Engine, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Calls a method of a scheduler, and records it unless it changes nothing."""
    scheduler_arguments.check_method_call(it, scheduler, name, arguments, node)
    if name == "step" and not arguments.positional:
        schedule_ends_in_first_epoch.report_step_in_batch(it, scheduler, node)
    if name not in _ASKING:
        it.state.set(it.state.heap, (scheduler.ref, STEPPED), True)
    if scheduler.ref in it.analysis.schedulers and name not in _ASKING:
        plain = name == "step" and not (arguments.positional or arguments.keywords or arguments.is_open)
        training_events.record_event(it, EventKind.SCHEDULE, node, {scheduler.ref}, "" if plain else name)
    return UNKNOWN_VALUE


def record_unknown_method(
    it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    """Records a method call on a parameter that is a scaler by its use; returns the loss that it scales."""
    if name not in _BY_USE or not isinstance(receiver, v.Parameter):
        return None
    known = it.analysis.scalers
    first = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    if name == "scale" and len(arguments.positional) == 1 and not arguments.keywords:
        known.setdefault(receiver.name, (Tri.UNKNOWN, False))
        _scaler_event(it, receiver.name, name, first, node)
        scaled = f"{receiver.name}.scale@{node.start}"
        it.states[ScaledLosses].scaled_by[(scaled, 0, 0)] = receiver.name
        return v.Parameter(scaled, "loss", passed=True)
    if receiver.name in known:
        _scaler_event(it, receiver.name, name, first, node)
    elif name == "step":
        given = arguments.positional or arguments.keywords or arguments.is_open
        label = training_events.label_of(node)
        training_events.record_event(
            it, EventKind.UNSEEN_STEP, node, {receiver.name}, "given" if given else "", label
        )
    return None
