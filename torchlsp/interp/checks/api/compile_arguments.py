"""Detects calls of `torch.compile` with wrong arguments or a discarded result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.api import compile_graph_breaks
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")
_NOT_CALLABLE = (
    v.OptimizerValue,
    v.LoaderValue,
    TensorFact,
    v.ParametersOf,
    v.ListRef,
    v.DictRef,
    v.TupleValue,
    v.Scalar,
)


def check_compile_call(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Reports what is wrong with a call of `torch.compile`, also as a decorator with arguments."""
    given = dict(arguments.keywords)
    model: Value | None = arguments.positional[0] if arguments.positional else given.get("model")
    compile_graph_breaks.record_compiled(it, model, arguments)
    mode = v.known(given["mode"], str) if "mode" in given else None
    if len(arguments.positional) > 1 and not arguments.open_positional:
        _report(it, node, arguments, "positional", (("count", len(arguments.positional)),))
    elif mode is not None and mode not in MODES:
        _report(it, node, arguments, "mode", (("mode", mode), ("instead", _meant(mode))))
    elif _is_given(given.get("mode")) and _is_given(given.get("options")):
        _report(it, node, arguments, "both", ())
    elif model is not None and isinstance(model, _NOT_CALLABLE) and model != v.NONE:
        _report(it, node, arguments, "not callable", (("what", _what(model)),))
    elif model is not None and it.frame.statement == (node.start, node.end) and not _is_shown(it):
        _report(it, node, arguments, "discarded", ())


def _is_given(value: Value | None) -> bool:
    return isinstance(value, v.Scalar | v.DictRef) and value != v.NONE


def _meant(mode: str) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(mode.replace("_", "-"), MODES, 1, 0.8)), None)


def _what(value: Value) -> str:
    names = {v.OptimizerValue: "an optimizer", v.LoaderValue: "a loader", TensorFact: "a tensor"}
    return names.get(type(value), "no function")


def _is_shown(it: Evaluator) -> bool:
    return it.frame.function is None and it.frame.module.path.endswith(".ipynb")


def _report(
    it: Evaluator, node: ir.Node, arguments: Arguments, reason: str, data: tuple[tuple[str, object], ...]
) -> None:
    data = (("reason", reason), *data)
    fault = Fault(
        FaultKind.COMPILE_ARGUMENTS, node.start, node.end, "torch.compile", data, path=it.frame.module.path
    )
    it.report(with_call(it, [fault], "torch.compile", arguments))
