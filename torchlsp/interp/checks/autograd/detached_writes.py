"""Detects in-place writes to a detached tensor, which change the tensor in the graph too.

Reported where both have names, and the name of the tensor in the graph is read later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.interp.checks.devices import numpy_shared_memory
from torchlsp.interp.model.liveness import is_used_later, root_name
from torchlsp.interp.model.reporting import fault, is_in_graph
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MAX_ORIGINS = 12
_SHARING = frozenset({"torch.detach", "Tensor.detach"})


def report_write(it: Evaluator, target: TensorFact | v.ArrayValue, node: ir.Node) -> None:
    """Reports an in-place write that changes a tensor or array of another name.

    Such writes are `part[0] = 1`, `part += 1` and `part.add_(1)`.
    """
    if it.silent:
        return
    name = root_name(node)
    if name is not None and not _is_reported(it, target, name, node):
        numpy_shared_memory.report_shared_write(it, target, name, node)


def _is_reported(it: Evaluator, target: TensorFact | v.ArrayValue, name: str, node: ir.Node) -> bool:
    """Reports a write that changes a tensor in a graph, and tells whether it did."""
    taken = _taken_from(target)
    if taken is None:
        return False
    detached, base = taken
    held = _other_name(it, base, name)
    if held is None or detached.path != it.frame.module.path or not is_used_later(it.frame, held, node):
        return False
    fault(it, FaultKind.DETACHED_WRITE, node, "detach", input=base, name=held, alias=name, detached=detached)
    return True


def _taken_from(value: TensorFact | v.ArrayValue) -> tuple[Origin, TensorFact] | None:
    """Returns where a value was detached, and the tensor in the graph whose memory it shares."""
    for _ in range(_MAX_ORIGINS):
        origin = value.origin
        if origin is None or not origin.parents or origin.merged:
            return None
        parent = origin.parents[0]
        if value.storage.may_share(parent.storage) is not Tri.YES:
            return None
        if origin.op in _SHARING:
            return (origin, parent) if is_in_graph(parent) else None
        value = parent
    return None


def _other_name(it: Evaluator, base: TensorFact, alias: str) -> str | None:
    """Returns another name of the running function that holds the tensor in the graph."""
    for name, value in it.frame.scope.variables.items():
        if name != alias and is_in_graph(value) and value.storage.may_share(base.storage) is Tri.YES:
            return name
    return None
