"""Detects graph breaks in functions that `torch.compile` compiles.

Known breaks are a branch on the values of a tensor, and `print`. Measured on torch 2.13: `.item()`, masks, `try`, NumPy and
`assert` compile. With `fullgraph=True` the call of the function raises, otherwise the function is compiled in parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import OF_ANY_CLASS, Origin, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.model import classes, decorator_names
from torchlsp.interp.store.frame import Frame
from torchlsp.interp.store.lifetimes import first_wins, gathered, per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_COMPILE = "torch.compile"


@running_state
class CompiledFunctions:
    """Functions that `torch.compile` compiles, and the graph breaks in them."""

    compiled: dict[int, bool | None] = per_root(dict)
    """Whether a function is compiled with `fullgraph=True`, by the identity of its node; None where it is not compiled."""
    asserted: ir.Node | None = per_root(lambda: None)
    """The test of the last `assert`."""
    compiling: ir.Node | None = per_root(lambda: None)
    """The last call of `torch.compile`."""
    breaks: dict[tuple[str | None, int, int], tuple[Origin, bool, str]] = gathered(dict, first_wins)
    """By the place that is reported: the origin of the break, whether `fullgraph` is set, and the function's name."""


def record_compiled(it: Evaluator, model: Value | None, arguments: Arguments) -> None:
    """Records that `torch.compile(model, …)` compiles the function, or the module's `forward`."""
    whole = dict(arguments.keywords).get("fullgraph") == v.TRUE
    match model:
        case v.FunctionValue(ir=function):
            it.states[CompiledFunctions].compiled[id(function)] = whole
        case v.InstanceValue(cls=cls):
            found = classes.find_method(cls, "forward")
            if found is not None:
                it.states[CompiledFunctions].compiled[id(found[1])] = whole


def record_truth_test(it: Evaluator, node: ir.Node, value: TensorFact) -> None:
    """Records the branch on a tensor's truth value as a graph break, except in `assert`, which compiles."""
    test = it.states[CompiledFunctions].asserted
    if test is not None and test.start <= node.start and node.end <= test.end:
        return
    if "tensor" in value.assumed or value.provenance == OF_ANY_CLASS:
        return
    _record_break(it, node, "branch")


def record_print(it: Evaluator, node: ir.Node) -> None:
    """Records a call of `print` as a graph break."""
    _record_break(it, node, "print")


def _record_break(it: Evaluator, node: ir.Node, what: str) -> None:
    """Records a graph break in the outermost compiled function that runs.

    Nothing is recorded where only some paths through that function come here.
    """
    if it.silent or not _may_compile(it):
        return
    for index, frame in enumerate(it.frames):
        function = frame.function
        whole = None if function is None else _is_compiled(it, frame, function)
        if function is None or whole is None:
            continue
        inside = it.frames[index:]
        if any(one.conditional for one in inside) or any(_is_left_out(it, one) for one in inside):
            return
        place = Origin(node.start, node.end, what, (), it.frame.module.path)
        path, start, end = place.path, place.start, place.end
        if whole and frame.call is not None:
            path, start, end = frame.call[:3]
        it.states[CompiledFunctions].breaks.setdefault((path, start, end), (place, whole, function.name))
        return


def _may_compile(it: Evaluator) -> bool:
    return bool(it.states[CompiledFunctions].compiled) or any(
        frame.function is not None and frame.function.decorators for frame in it.frames
    )


def _is_compiled(it: Evaluator, frame: Frame, function: ir.Function) -> bool | None:
    """Returns whether a frame's function is compiled with `fullgraph=True`; None where it is not compiled."""
    if id(function) not in it.states[CompiledFunctions].compiled:
        it.states[CompiledFunctions].compiled[id(function)] = None
        for decorator in function.decorators:
            if decorator_names.dotted(it, decorator, frame.scope.parent) == _COMPILE:
                given = decorator.keywords if type(decorator) is ir.Call else ()
                it.states[CompiledFunctions].compiled[id(function)] = any(
                    key == "fullgraph" and type(value) is ir.Constant and value.value is True
                    for key, value in given
                )
    return it.states[CompiledFunctions].compiled[id(function)]


def _is_left_out(it: Evaluator, frame: Frame) -> bool:
    """Returns whether a decorator like `@torch.compiler.disable` excludes a frame's function."""
    decorators = () if frame.function is None else frame.function.decorators
    return any(
        "disable" in decorator_names.dotted(it, decorator, frame.scope.parent) for decorator in decorators
    )


def find_graph_breaks(analysis: Analysis) -> Iterator[Fault]:
    """Reports the recorded graph breaks."""
    at_calls = {
        place
        for key, (place, *_) in analysis.states[CompiledFunctions].breaks.items()
        if key != (place.path, place.start, place.end)
    }
    for (path, start, end), (place, whole, name) in analysis.states[CompiledFunctions].breaks.items():
        if (path, start, end) == (place.path, place.start, place.end) and place in at_calls:
            continue  # reported at the call that raises
        data = (("what", place.op), ("place", place), ("whole", whole), ("function", name))
        yield Fault(FaultKind.GRAPH_BREAK, start, end, _COMPILE, data, path=path)
