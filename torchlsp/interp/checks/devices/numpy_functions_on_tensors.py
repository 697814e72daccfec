"""Detects tensors passed to NumPy functions and operators that do not accept them.

`np.mean(t)` calls `t.mean(axis=None, dtype=None, out=None)`, which torch refuses whatever the arguments are; `array * t` is left
to NumPy, which (measured with 2.4) has no such operator. Functions that convert the tensor, as `np.sqrt` does, are not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import ONLY_SHAPED, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

REFUSES = frozenset(f"numpy.{name}" for name in "mean sum std var max min amax amin prod any all".split())
OPERATORS = frozenset({"*", "+", "-", "@", "**"})


def report_function(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports one of these functions when its first argument is a tensor."""
    given = arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("a")
    if type(given) is TensorFact:
        _report(it, node, given, name, "function")


def report_operator(it: Evaluator, node: ir.Node, op: str, left: Value, right: Value) -> None:
    """Reports an operator with an array on the left of a tensor; NumPy's numbers, and what may be one, are accepted."""
    if type(left) is v.ArrayValue and left.shape and type(right) is TensorFact and op in OPERATORS:
        _report(it, node, right, op, "operator")


def _report(it: Evaluator, node: ir.Node, tensor: TensorFact, name: str, kind: str) -> None:
    if ONLY_SHAPED in tensor.assumed:
        return  # it may be an array, which NumPy accepts
    data = (("input", tensor), ("function", name), ("kind", kind))
    path = it.frame.module.path
    rests_on: frozenset[str] = frozenset({"numpy"}) if kind == "operator" else frozenset()
    it.report([Fault(FaultKind.NUMPY_FUNCTION, node.start, node.end, name, data, rests_on, path=path)])


HOOKS = Hooks(external_call=for_names(REFUSES, report_function))
