"""Detects a softmax or an index of the greatest element that goes over another dim than that of the classes.

These raise nothing: the numbers of a row are compared with each other that were normalised down the columns, or one index into
the whole table is compared with the label of each row.
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call

_MOVED = frozenset("cpu cuda to detach float double clone contiguous".split())
_INDICES = frozenset({"argmax", "argmin"})
_MAX_STEPS = 6


def softmax_dim(tensor: TensorFact) -> tuple[TensorFact, int] | None:
    """Returns the result of the softmax that a tensor is a copy of, and the dim that it goes over."""
    for _ in range(_MAX_STEPS):
        origin = tensor.origin
        if origin is None or origin.merged:
            return None
        if origin.dim is not None:
            return tensor, origin.dim
        if origin.op.rpartition(".")[2] not in _MOVED or not origin.parents:
            return None
        tensor = origin.parents[0]
    return None


def best_of_batch_softmax(c: Call) -> None:
    """Reports the best class of each sample, where the softmax goes over the samples of a batch."""
    tensor = c.tensor("input")
    if tensor is None or tensor.rank != 2 or tensor.provenance not in ("softmax", "log_softmax"):
        return
    dim = c.int("dim")
    found = softmax_dim(tensor) if dim in (1, -1) else None
    if found is None or found[1] != 0 or not dims.is_batch(found[0].shape[0] if found[0].shape else 0):
        return
    c.faults.append(c.broken(FaultKind.CLASS_DIM, what="softmax", input=found[0], dim=0, other=1).fault)


def flat_index_beside_labels(c: Call) -> None:
    """Reports an index into a whole table that is compared with one label for each of its rows."""
    for name, other in (("input", "other"), ("other", "input")):
        index, labels = c.tensor(name), c.tensor(other)
        if index is None or labels is None or index.shape != () or not labels.shape or len(labels.shape) != 1:
            continue
        origin = index.origin
        if (
            origin is None
            or origin.merged
            or origin.op.rpartition(".")[2] not in _INDICES
            or not origin.parents
        ):
            continue
        table = origin.parents[0]
        if not table.shape or len(table.shape) != 2 or dims.is_generic_one(labels.shape[0]) is not Tri.NO:
            continue
        if (
            dims.equal(table.shape[0], labels.shape[0]) is Tri.YES
            and dims.is_generic_one(table.shape[1]) is Tri.NO
        ):
            c.faults.append(
                c.broken(FaultKind.CLASS_DIM, what="index", input=index, table=table, labels=labels).fault
            )
            return
