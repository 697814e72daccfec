"""Detects truth values of tensors that do not have exactly one element, which raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.api import compile_graph_breaks
from torchlsp.interp.checks.devices import unsynchronized_timers
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def report_truth_value(
    it: Evaluator, node: ir.Node, value: Value, how: str = "test", whole: ir.Node | None = None
) -> None:
    """Reports a tensor whose truth value is asked for, if it certainly has several elements or none.

    `how`: `test`, `in`, or `and`, `or`, `chain` where the result is used as a value; then `whole` is the expression.
    """
    if type(value) is not TensorFact:
        return
    compile_graph_breaks.record_truth_test(it, node, value)
    unsynchronized_timers.record_read(it, value)
    if not has_several(value):
        return
    path = it.frame.module.path
    place = None if whole is None else Origin(whole.start, whole.end, how, (), path)
    data = (("input", value), ("how", how), ("whole", place))
    fault = Fault(FaultKind.TRUTH_VALUE, node.start, node.end, "Tensor.__bool__", data, path=path)
    it.report(with_call(it, [fault], "Tensor.__bool__", Arguments((value,))))


def has_several(tensor: TensorFact) -> bool:
    """Returns whether the number of elements is certainly not one."""
    return any(dims.equal(size, 1) is Tri.NO for size in tensor.shape or ())


def check_membership(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    """Reports `x in items`, which asks for the truth value of `items[0] == x` unless both are the same."""
    items = it.elements(right)
    if not items or type(left) is not TensorFact or type(items[0]) is not TensorFact:
        return
    if left.storage.may_share(items[0].storage) is Tri.NO:
        report_truth_value(it, node, left, "in")


def compares_elements(left: Value, right: Value) -> bool:
    """Returns whether a comparison certainly gives a tensor.  With None or a text, `==` gives a plain False."""
    return any(type(value) is TensorFact for value in (left, right)) and all(
        type(value) is TensorFact or (type(value) is v.Scalar and value.kind in _NUMBERS)
        for value in (left, right)
    )


_NUMBERS = frozenset({"int", "float", "bool"})


def _compared(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    if node.ops[0] in ("in", "not in"):
        check_membership(it, node, left, right)


HOOKS = Hooks(compared=_compared)
