"""Detects the pair that `x.max(dim=1)` returns, values and indices, where it is used as a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import MAX_ORIGINS, ONLY_SHAPED, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.ops import operator
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_PAIR = ("values", "indices")
_TUPLE_ATTRIBUTES = frozenset(
    "count index n_fields n_sequence_fields n_unnamed_fields values indices".split()
)
_UNSUPPORTED_OPERATORS = frozenset(
    {"+", "-", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">="}
)
_ACCEPTS_ANYTHING = frozenset({"torch.is_tensor", "torch.is_storage", "torch.result_type", "torch.can_cast"})


def is_pair(value: Value) -> TypeGuard[v.TupleValue]:
    """Returns whether a value is the pair that a reduction along a dim returns."""
    return type(value) is v.TupleValue and value.names == _PAIR


def report_operator(it: Evaluator, node: ir.Node, op: str, left: Value, right: Value) -> None:
    """Reports `left op right` with a pair on one side.

    A tuple can be repeated, compared with tuples, and added to another tuple.
    """
    pair: v.TupleValue
    if is_pair(left):
        side, pair, other = 0, left, right
    elif is_pair(right):
        side, pair, other = 1, right, left
    else:
        return
    is_number = isinstance(other, v.Scalar) and other.kind in ("int", "float", "bool")
    is_tensor = isinstance(other, TensorFact) and other.shape != ()
    if op in _UNSUPPORTED_OPERATORS and (is_number or isinstance(other, TensorFact)):
        _report(it, node, pair, _operand(node, side), _expression_text(op, side, "1" if is_number else "x"))
    elif op in ("==", "!=") and is_tensor:
        # nothing is raised: the result is a single False
        _report(it, node, pair, _operand(node, side), None)
    elif op == "*" and (is_tensor or (isinstance(other, v.Scalar) and other.kind == "float")):
        _report(it, node, pair, _operand(node, side), _expression_text(op, side, "0.5" if is_number else "x"))


def report_unary(it: Evaluator, node: ir.Unary, pair: v.TupleValue) -> None:
    """Reports a unary operator on a pair."""
    if node.op in ("-", "~", "+"):
        _report(it, node, pair, node.operand, f"{node.op}pair")


def report_attribute(it: Evaluator, node: ir.Attribute, pair: v.TupleValue) -> None:
    """Reports an attribute of a pair that only a tensor has, as `pair.float()` and `pair.shape`."""
    if node.name not in _TUPLE_ATTRIBUTES and operator(f"Tensor.{node.name}") is not None:
        _report(it, node, pair, node.object, f"pair.{node.name}")


def report_index(it: Evaluator, node: ir.Subscript, pair: v.TupleValue, index: Value) -> None:
    """Reports `pair[:, 0]` and `pair[None]`: a tuple takes one integer or slice."""
    if isinstance(index, v.TupleValue) or index in (v.NONE, v.ELLIPSIS):
        _report(it, node, pair, node.object, "pair[None]")


def report_argument(it: Evaluator, name: str, node: ir.Node, pair: v.TupleValue) -> None:
    """Reports a pair as the first argument of a function that takes a tensor, as in `torch.exp(pair)`."""
    row = operator(name)
    if row is None or not row.signature.startswith("input") or name in _ACCEPTS_ANYTHING:
        return
    if name.startswith(("torch.nn.functional.", "torch.")) and isinstance(node, ir.Call) and node.args:
        _report(it, node, pair, node.args[0], f"{name}(pair)" if row.signature == "input" else None)


def _operand(node: ir.Node, side: int) -> ir.Node | None:
    """Returns the left (0) or the right (1) operand of a binary operator or a single comparison."""
    match node:
        case ir.Binary(left=left, right=right):
            return (left, right)[side]
        case ir.Compare(left=left, rights=(right,)):
            return (left, right)[side]
    return None


def _expression_text(op: str, side: int, other: str) -> str:
    """Returns a binary operator with the pair on the left (0) or the right (1) as source text."""
    return f"pair {op} {other}" if side == 0 else f"{other} {op} pair"


def _report(
    it: Evaluator, node: ir.Node, pair: v.TupleValue, operand: ir.Node | None, reproducer: str | None
) -> None:
    """Reports a use of a pair; `reproducer` is source text of the same use, with a 3 by 3 tensor x."""
    values = pair.items[0]
    if isinstance(values, TensorFact) and ONLY_SHAPED in values.assumed:
        return  # of an array, `max` returns no pair
    producer = values.origin if isinstance(values, TensorFact) else None
    assumed: frozenset[str] = frozenset({"tensor"}) if _was_passed_in(values) else frozenset()
    span = None if operand is None else (operand.start, operand.end)
    data = (
        ("maker", None if producer is None else producer.op),
        ("made", producer),
        ("operand", span),
        ("again", reproducer),
        ("input", values),
    )
    it.report(
        [
            Fault(
                FaultKind.PAIR_AS_TENSOR,
                node.start,
                node.end,
                "pair",
                data,
                assumed,
                path=it.frame.module.path,
            )
        ]
    )


def _was_passed_in(values: Value) -> bool:
    """Returns whether the pair may be computed from a parameter.

    A parameter may be of another library, whose `max(dim=…)` returns no pair.
    """
    fact = values if isinstance(values, TensorFact) else None
    for _ in range(MAX_ORIGINS):
        if fact is None or fact.origin is None:
            return True
        if not fact.origin.parents:
            return fact.origin.op == "parameter"
        fact = fact.origin.parents[0]
    return True


def _compared(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    if is_pair(left) or is_pair(right):
        report_operator(it, node, node.ops[0], left, right)


HOOKS = Hooks(compared=_compared)
