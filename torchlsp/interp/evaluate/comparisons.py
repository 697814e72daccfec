"""Evaluates comparisons that are used as values, and chains of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.dtypes import operator_precedence, tensor_truth_value
from torchlsp.interp.evaluate import comparison_checks, conditions
from torchlsp.interp.objects import operators
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def evaluate_comparison(it: Evaluator, node: ir.Compare) -> Value:
    """Evaluates a comparison, or a chain of them, as a value."""
    left = it.eval(node.left)
    if len(node.ops) > 1:
        return _chain(it, node, [left, *(it.eval(right) for right in node.rights)])
    right = it.eval(node.rights[0])
    op, rows = node.ops[0], operators.ROWS
    comparison_checks.check_comparison(it, node, left, right)
    if isinstance(left, TensorFact) or isinstance(right, TensorFact):
        if op in ("==", "!=") and any(
            type(one) is v.Scalar and one.kind in ("none", "str") for one in (left, right)
        ):
            return v.FALSE if op == "==" else v.TRUE  # torch leaves the comparison to Python
        if op in rows:
            return operators.tensor_binary(it, node, op, left, right, False)
    if op in rows and (isinstance(left, v.ArrayValue) or isinstance(right, v.ArrayValue)):
        return operators.binary_value(it, node, op, left, right)
    answer = conditions.compare_values(it, op, left, right, node)
    if answer.condition is not None and answer.condition.kind != "tensor":
        return answer.condition
    if answer.truth is not Tri.UNKNOWN:
        return v.TRUE if answer.truth is Tri.YES else v.FALSE
    table = left if isinstance(left, v.Table) else right
    if op in rows and isinstance(table, v.Table):
        return v.Table(dims=table.dims, dtype="bool")
    return v.Scalar("bool") if op not in rows or _are_plain(left, right) else UNKNOWN_VALUE


def _chain(it: Evaluator, node: ir.Compare, values: list[Value]) -> Value:
    part = operator_precedence.taken_operand(node)
    for op, one, other in zip(node.ops[:-1], values, values[1:]):
        asked: Value = UNKNOWN_VALUE
        if op in operators.ROWS and tensor_truth_value.compares_elements(one, other):
            asked = operators.tensor_binary(it, node, op, one, other, False)
        if part is not None and operator_precedence.report_taken_operand(it, node, part, asked):
            break
        tensor_truth_value.report_truth_value(it, node, asked, "chain", node)
    if all(isinstance(value, v.Scalar) for value in values):
        links = zip(node.ops, values, values[1:])
        truths = [conditions.compare_values(it, op, one, other, node).truth for op, one, other in links]
        if Tri.NO in truths:
            return v.FALSE
        if all(truth is Tri.YES for truth in truths):
            return v.TRUE
    return v.Scalar("bool") if _are_plain(*values) else UNKNOWN_VALUE


def _are_plain(*values: Value) -> bool:
    """Returns whether comparisons of these values give a bool. Those of an unknown value may give a tensor."""
    return all(
        isinstance(value, (v.Scalar, v.DTypeValue, v.DeviceValue, v.TupleValue, v.RankValue))
        for value in values
    )
