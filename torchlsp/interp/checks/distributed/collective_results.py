"""Reports uses of the result of a collective as a tensor: collectives work in place and return None."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.table import Row

_GIVE_NOTHING = frozenset(
    f"torch.distributed.{name}"
    for name in """all_reduce reduce broadcast all_gather all_gather_into_tensor gather scatter reduce_scatter
    reduce_scatter_tensor all_to_all all_to_all_single barrier all_gather_object gather_object broadcast_object_list
    scatter_object_list""".split()
)
_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "&", "|", "^"})


def collective_result(it: Evaluator, name: str, bound: dict[str, Value], node: ir.Node) -> Value | None:
    """Returns Python's None, with its origin, for a collective that waits; None for one that may return something else."""
    if name not in _GIVE_NOTHING or not bound or bound.get("async_op", v.FALSE) != v.FALSE:
        return None
    return v.Scalar("none", None, Origin(node.start, node.end, name, (), it.frame.module.path))


def is_collective_result(value: Value) -> TypeGuard[v.Scalar]:
    """Returns whether a value is the None that a collective has returned."""
    return type(value) is v.Scalar and value.origin is not None and value.kind == "none"


def report_result_use(it: Evaluator, value: v.Scalar, use: str, node: ir.Node) -> None:
    """Reports a use of such a None: as "operator", "attribute", "item", or "argument" of a function of torch."""
    op = value.origin.op if value.origin is not None else ""
    data = (("made", value.origin), ("use", use))
    it.report([Fault(FaultKind.NOTHING_USED, node.start, node.end, op, data, path=it.frame.module.path)])


def report_operand(it: Evaluator, op: str, left: Value, right: Value, node: ir.Node) -> None:
    """Reports an operator one of whose operands is such a None."""
    nothing = left if is_collective_result(left) else right
    if op in _OPERATORS and is_collective_result(nothing):
        report_result_use(it, nothing, "operator", node)


def report_first_argument(it: Evaluator, row: Row, value: v.Scalar, node: ir.Node) -> None:
    """Reports such a None as the first argument of a function that computes on it."""
    if row.signature.startswith(("input", "tensors")) and row.names[0].startswith("torch."):
        report_result_use(it, value, "argument", node)


def _operator_applied(it: Evaluator, row: Row, name: str, arguments: Arguments, node: ir.Node) -> None:
    first = arguments.positional[0] if arguments.positional else v.NONE
    if is_collective_result(first):
        report_first_argument(it, row, first, node)


HOOKS = Hooks(before_operator=_operator_applied)
