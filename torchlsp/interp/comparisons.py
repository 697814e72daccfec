"""Comparisons: what they give as values, and what may be wrong with them as values and as tests."""

from __future__ import annotations

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp import conditions, device_tests, dotted_names, expressions, pairs, precedence, truth
from torchlsp.program import ir


def value(it, node: ir.Compare) -> Value:
    """A comparison, or a chain of them, as a value."""
    left = it.eval(node.left)
    if len(node.ops) > 1:
        return _chain(it, node, [left, *(it.eval(right) for right in node.rights)])
    right = it.eval(node.rights[0])
    op, rows = node.ops[0], expressions.ROWS
    looked_at(it, node, left, right)
    if isinstance(left, TensorFact) or isinstance(right, TensorFact):
        if op in ("==", "!=") and any(
            type(one) is v.Scalar and one.kind in ("none", "str") for one in (left, right)
        ):
            return v.FALSE if op == "==" else v.TRUE  # torch leaves the answer to Python
        if op in rows:
            return expressions.tensor_binary(it, node, op, left, right, False)
    if op in rows and (isinstance(left, v.ArrayValue) or isinstance(right, v.ArrayValue)):
        return expressions.binary_value(it, node, op, left, right)
    answer = conditions.compare_values(it, node.left, op, left, right, node)
    if answer.condition is not None and answer.condition.kind != "tensor":
        return answer.condition
    if answer.truth is not Tri.UNKNOWN:
        return v.TRUE if answer.truth is Tri.YES else v.FALSE
    return v.Scalar("bool") if op not in rows or _are_plain(left, right) else UNKNOWN_VALUE


def tested(it, node: ir.Compare, left: Value, right: Value, as_value: bool) -> None:
    """Looks at a single comparison whose answer is a test; `as_value`: nobody asks for its truth."""
    looked_at(it, node, left, right)
    if node.ops[0] in expressions.ROWS and truth.compares_elements(left, right):
        asked = expressions.binary_value(it, node, node.ops[0], left, right)
        if not as_value:
            truth.demanded(it, node, asked)


def looked_at(it, node: ir.Compare, left: Value, right: Value) -> None:
    """Reports what is wrong with a single comparison, however its answer is used."""
    if pairs.is_pair(left) or pairs.is_pair(right):
        pairs.operated(it, node, node.ops[0], left, right)
    precedence.looked_at(it, node, UNKNOWN_VALUE)
    if type(left) is v.NameOf or type(right) is v.NameOf:
        dotted_names.compared(it, node, left, right)
    if type(left) is v.DeviceValue or type(right) is v.DeviceValue:
        device_tests.compared(it, node, left, right)
    if node.ops[0] in ("in", "not in"):
        truth.of_membership(it, node, left, right)


def _chain(it, node: ir.Compare, values: list[Value]) -> Value:
    for op, one, other in zip(node.ops[:-1], values, values[1:]):
        asked: Value = UNKNOWN_VALUE
        if op in expressions.ROWS and truth.compares_elements(one, other):
            asked = expressions.tensor_binary(it, node, op, one, other, False)
        if precedence.looked_at(it, node, asked):
            break
        truth.demanded(it, node, asked, "chain", node)
    return v.Scalar("bool") if _are_plain(*values) else UNKNOWN_VALUE


def _are_plain(*values: Value) -> bool:
    """Are these values of which comparisons give a truth value?  Of something unknown they may give a tensor."""
    return all(
        isinstance(value, (v.Scalar, v.DTypeValue, v.DeviceValue, v.TupleValue, v.RankValue))
        for value in values
    )
