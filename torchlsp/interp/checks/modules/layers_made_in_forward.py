"""Detects layers created by each call of `forward`, and dropout in it that `eval()` cannot switch off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import ANY, Hooks
from torchlsp.interp.model import assumed_tensors, classes, later_changes
from torchlsp.interp.store.frame import Frame
from torchlsp.interp.store.heap_keys import GRAD
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.table import LayerState

_FUNCTIONAL = "torch.nn.functional."
_ATTENTION = f"{_FUNCTIONAL}scaled_dot_product_attention"
DROPOUTS = (
    *(f"{_FUNCTIONAL}{name}" for name in ("dropout", "dropout1d", "dropout2d", "dropout3d")), _ATTENTION,
)  # fmt: skip
"""Functions that drop values unless `training=False` is passed, and attention, which has no such parameter."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A layer created by a `forward`.  `frame` is the frame of the forward, `place` the expression in it that creates the layer,
    and `made` the construction itself, which another function may run for it."""

    frame: Frame
    place: Origin
    made: Origin


@running_state
class FreshLayers:
    """Layers that a running `forward` has created and not called yet, and functions that test for the mode."""

    fresh: dict[str | None, Fresh] = per_root(dict)
    asks_for_mode: dict[int, bool] = per_root(dict)
    """By the identity of the function."""


def forward_frame(it: Evaluator) -> int | None:
    """Returns the index of the outermost running frame that is the `forward` of a module, or None."""
    for number, frame in enumerate(it.frames):
        function = frame.function
        if (
            function is not None
            and function.name == "forward"
            and frame.owner is not None
            and function.params
        ):
            receiver = frame.scope.variables.get(function.params[0].name)
            if isinstance(receiver, v.InstanceValue) and classes.is_module(receiver.cls):
                return number
    return None


# ---- layers created in forward --------------------------------------------------------------------------------------------


def record_created_layer(it: Evaluator, layer: v.LayerValue, node: ir.Node) -> None:
    """Remembers a new layer until it is called, if a `forward` created it."""
    number = forward_frame(it)
    if number is None or it.state.modes["grad"] is not Tri.YES or not _starts_at_random(layer):
        it.states[FreshLayers].fresh.pop(layer.ref, None)
        return
    frame = it.frames[number]
    if number + 1 < len(it.frames):
        call = it.frames[number + 1].call
        if call is None or call[0] != frame.module.path:
            return
        here = ir.Node(call[1], call[2])
    else:
        here = node
    if _may_be_kept(it.frames[number:], node):
        return
    it.states[FreshLayers].fresh[layer.ref] = Fresh(
        frame,
        Origin(here.start, here.end, layer.qualname, (), frame.module.path),
        Origin(node.start, node.end, layer.qualname, (), it.frame.module.path),
    )


def report_created_in_forward(it: Evaluator, layer: v.LayerValue, node: ir.Node) -> None:
    """Reports the call of a layer that the running `forward` created: its weights are never trained."""
    fresh = it.states[FreshLayers].fresh.pop(layer.ref)
    if fresh.frame not in it.frames or it.state.heap.get((layer.ref, GRAD), Tri.YES) is not Tri.YES:
        return
    depth = it.frames.index(fresh.frame) + 1
    frames, it.frames = it.frames, it.frames[:depth]
    it.frame = it.frames[-1]
    try:
        data = (
            ("layer", layer.qualname),
            ("called", Origin(node.start, node.end, "", (), frames[-1].module.path)),
            ("made", fresh.made),
        )
        here = fresh.place
        it.report(
            [Fault(FaultKind.LAYER_IN_FORWARD, here.start, here.end, layer.qualname, data, path=here.path)]
        )
    finally:
        it.frames = frames
        it.frame = frames[-1]


def _starts_at_random(layer: v.LayerValue) -> bool:
    """Returns whether the layer has weights that differ at each construction, or statistics of its own."""
    name = layer.qualname.rpartition(".")[2]
    if not layer.qualname.startswith("torch.nn.") or name.startswith("Lazy"):
        return False
    if "Norm" in name:  # weights of 1: what is lost are the statistics
        return name.startswith(("BatchNorm", "SyncBatchNorm")) and layer["track_running_stats"] == v.TRUE
    return name != "PReLU"


def _may_be_kept(frames: list[Frame], node: ir.Node) -> bool:
    """Returns whether the layer may be created in the first call only, and be found again by later ones.

    That is so where it is created under a test, or after an early exit, and something is stored: in an attribute, in a dict
    or by `setattr`.  Whether this run decides the test does not matter: the next call may decide it the other way.
    """
    stored = tested = False
    places = [*(frame.call[1] for frame in frames[1:] if frame.call is not None), node.start]
    for frame, place in zip(frames, places):
        for inner in walk(frame.function.body if frame.function is not None else ()):
            stored = stored or _stores(inner)
            tested = tested or type(inner) in _TESTED and inner.start <= place < inner.end
            tested = tested or type(inner) in (ir.Return, ir.Raise) and inner.end <= place
    return stored and tested


_TESTED = frozenset({ir.Branch, ir.For, ir.While, ir.Try, ir.Match, ir.Conditional, ir.Logical})


def _stores(node: ir.Node) -> bool:
    """Returns whether a node stores something that outlives the call."""
    match node:
        case ir.Assign(targets=targets):
            return any(type(target) in (ir.Attribute, ir.Subscript) for target in targets)
        case ir.Annotated(target=target):
            return type(target) in (ir.Attribute, ir.Subscript)
        case ir.Call(function=ir.Name(id="setattr")):
            return True
        case ir.Call(function=ir.Attribute(name=name)):
            return name in ("add_module", "register_module", "setdefault", "append", "update", "__setattr__")
    return False


# ---- dropout --------------------------------------------------------------------------------------------------------------


def dropout_handler(name: str) -> Callable[[Evaluator, Arguments, ir.Node], Value]:
    """Returns the handler of a function that drops values: it checks the call, then applies the row."""

    def handler(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
        row = ops.operator(name)
        assert row is not None
        arguments = assumed_tensors.with_tensor_parameters(it, row, arguments)
        _report_always_on(it, name, arguments, node)
        return it.apply_row(row, name, arguments, node)

    return handler


def _report_always_on(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call in a `forward` that drops values in evaluation mode, too."""
    if arguments.is_open:
        return
    given = dict(arguments.keywords)
    if name == _ATTENTION:
        parameter = "dropout_p"
        rate = given.get(parameter, arguments.positional[4] if len(arguments.positional) > 4 else v.NONE)
        if not _drops(rate):
            return
    else:
        parameter = "training"
        rate = given.get("p", arguments.positional[1] if len(arguments.positional) > 1 else v.TRUE)
        if parameter in given or len(arguments.positional) > 2 or v.as_dim(rate) == 0 or _is_zero(rate):
            return
    number = forward_frame(it)
    if number is None or any(
        _asks_for_mode(it, frame.function) or _is_switched(it, frame) for frame in it.frames[number:]
    ):
        return
    function = it.frame.function
    receiver = None
    if it.frame.owner is not None and function is not None and function.params:
        first = it.frame.scope.variables.get(function.params[0].name)
        if isinstance(first, v.InstanceValue) and classes.is_module(first.cls):
            receiver = function.params[0].name
    data = (
        ("parameter", parameter),
        ("receiver", receiver),
        ("rate", rate),
        ("documented", _is_documented(it)),
    )
    it.report(
        [Fault(FaultKind.DROPOUT_ALWAYS_ON, node.start, node.end, name, data, path=it.frame.module.path)]
    )


_ALWAYS = re.compile(
    r"(?is)drop[- ]?outs?\b[^.]*\b(?:even|also|always|still|as well)\b[^.]*\b(?:eval\w*|inference|test\w*|synthesis|predict\w*|generat\w*)\b"
    r"|\balways?\b[^.]*\bdrop[- ]?outs?\b"
)


def _is_documented(it: Evaluator) -> bool:
    """Returns whether the text about the running function or its class says that dropout stays on."""
    frame = it.frame
    bodies = [] if frame.function is None else [frame.function.body]
    if isinstance(frame.owner, v.ClassValue) and frame.owner.ir is not None:
        bodies.append(frame.owner.ir.body)
    for body in bodies:
        first = body[0] if body else None
        text = getattr(first.value, "value", None) if type(first) is ir.Expression else None
        if isinstance(text, str) and _ALWAYS.search(text):
            return True
    return False


def _is_zero(rate: Value) -> bool:
    """Returns whether nothing is dropped: the rate is 0, or is passed in and 0 by default."""
    if isinstance(rate, v.Parameter) and rate.default is not None:
        rate = rate.default
    return isinstance(rate, v.Scalar) and rate.value == 0


def _drops(rate: Value) -> bool:
    return isinstance(rate, v.Scalar) and isinstance(rate.value, (int, float)) and rate.value > 0


def _asks_for_mode(it: Evaluator, function: ir.Function | None) -> bool:
    """Returns whether a test in the function reads what may be the mode: `if self.training`, `if not
    deterministic`."""
    if function is None:
        return True
    known = it.states[FreshLayers].asks_for_mode.get(id(function))
    if known is None:
        known = it.states[FreshLayers].asks_for_mode[id(function)] = any(
            _names_a_mode(test) for test in _tests(function)
        )
    return known


def _is_switched(it: Evaluator, frame: Frame) -> bool:
    """Returns whether a test in the function reads an attribute that other methods set, or code that has the object:
    that may switch dropout off for evaluation as `eval()` does."""
    if frame.function is None or not isinstance(frame.owner, v.ClassValue):
        return False
    read = {
        inner.name
        for test in _tests(frame.function)
        for inner in walk((test,))
        if type(inner) is ir.Attribute
    }
    if not read:
        return False
    changed = later_changes.attributes_changed_later(it, frame.owner)
    replaced = frame.module.ir.replaced_attributes, it.main.ir.replaced_attributes
    return any(name in changed or any(name in names for names in replaced) for name in read)


_MODE_WORDS = ("train", "eval", "infer", "test", "deterministic", "sampl", "mc_", "stochastic", "grad")


def _tests(function: ir.Function) -> Iterator[ir.Node]:
    """Yields the expressions that decide which way the function goes."""
    for node in walk(function.body):
        match node:
            case (
                ir.Branch(test=test) | ir.Conditional(test=test) | ir.While(test=test) | ir.Assert(test=test)
            ):
                yield test
            case ir.Match(subject=subject):
                yield subject


def _names_a_mode(test: ir.Node) -> bool:
    for node in walk((test,)):
        name = node.id if type(node) is ir.Name else node.name if type(node) is ir.Attribute else ""
        if any(word in name.lower() for word in _MODE_WORDS):
            return True
    return False


def _layer_called(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    if layer.ref in it.states[FreshLayers].fresh:
        report_created_in_forward(it, layer, node)


HOOKS = Hooks(
    external_result={name: dropout_handler(name) for name in DROPOUTS},
    layer_call={ANY: _layer_called},
)
