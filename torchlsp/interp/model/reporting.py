"""Reports a fault with its operands, and tells whether a tensor is in the autograd graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def fault(
    it: Evaluator,
    kind: FaultKind,
    node: ir.Node,
    op: str,
    assumptions: frozenset[str] = frozenset(),
    called: Called | None = None,
    **data: object,
) -> None:
    """Reports a fault at a node of the running file."""
    it.report([
        Fault(kind, node.start, node.end, op, tuple(data.items()), assumptions, path=it.frame.module.path, called=called)
    ])  # fmt: skip


def is_in_graph(value: object) -> TypeGuard[TensorFact]:
    """Returns whether a value is certainly a tensor computed from others that require grad."""
    return type(value) is TensorFact and value.grad.requires is Tri.YES and value.grad.leaf is Tri.NO
