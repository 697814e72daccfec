"""None that a call has given and that is used as if it were a tensor: collectives work in place and give nothing back."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def given_by(it: Evaluator, name: str, bound: dict, node: ir.Node) -> Value | None:
    """What a collective gives that waits until it is done; None when it may give something."""
    if name not in _GIVE_NOTHING or not bound or bound.get("async_op", v.FALSE) != v.FALSE:
        return None
    return v.Scalar("none", None, Origin(node.start, node.end, name, (), it.frame.module.path))


def is_nothing(value: Value) -> bool:
    return type(value) is v.Scalar and value.origin is not None


def used(it: Evaluator, value: v.Scalar, use: str, node: ir.Node) -> None:
    """`use` is "operator", "attribute", "item", or "argument" of a function of torch."""
    data = (("made", value.origin), ("use", use))
    it.report(
        [
            Fault(
                FaultKind.NOTHING_USED, node.start, node.end, value.origin.op, data, path=it.frame.module.path
            )
        ]
    )


def in_operator(it: Evaluator, op: str, left: Value, right: Value, node: ir.Node) -> None:
    if op in _OPERATORS:
        used(it, left if is_nothing(left) else right, "operator", node)


def in_call(it: Evaluator, row, arguments: Arguments, node: ir.Node) -> None:
    """The first argument of a function that computes on it."""
    if row.signature.startswith(("input", "tensors")) and row.names[0].startswith("torch."):
        used(it, arguments.positional[0], "argument", node)


def _operator_applied(it: Evaluator, row: Row, name: str, arguments: Arguments, node: ir.Node) -> None:
    if arguments.positional and is_nothing(arguments.positional[0]):
        in_call(it, row, arguments, node)


HOOKS = Hooks(before_operator=_operator_applied)
