"""Keeps the first size of tensors and arrays whose rank is not known: `x.unsqueeze(0)` has 1, `np.array([x, y])` 2.

Where the rank is shown later, by `b, t, d = x.shape` or `x.permute(0, 2, 1)`, the first size is that number and no generic one.
"""

from __future__ import annotations

from torchlsp.core.records import replace
from torchlsp.facts.dim import Dim
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import ArrayValue, ListRef, TupleValue, Value
from torchlsp.ops.call import Call

_KEEP = frozenset(
    "to float double half bfloat16 long int cuda cpu contiguous clone detach type requires_grad_ relu sigmoid tanh astype".split()
)
"""Operators that keep every size."""
_VIEW = "first dim added"
_SECOND_VIEW = "second dim added"
_STEPS = 12
"""How many operators a walk goes back."""


def first_size(tensor: TensorFact | ArrayValue) -> Dim | None:
    """Returns the first size of a tensor; None if it is not known."""
    if tensor.shape is not None:
        return tensor.shape[0] if tensor.shape else None
    if tensor.storage.ids is None and not (isinstance(tensor, TensorFact) and tensor.provenance == _VIEW):
        return None  # its origin may be one of several
    origin = tensor.origin
    for _ in range(_STEPS):
        if origin is None or origin.merged or origin.first is not None:
            break
        if origin.op.rpartition(".")[2] not in _KEEP or not origin.parents:
            return None
        origin = origin.parents[0].origin
    return None if origin is None or origin.merged else origin.first


def of_data(c: Call, data: Value) -> Dim | None:
    """Returns the first size of a tensor or an array that is made of this."""
    if isinstance(data, TensorFact | ArrayValue):
        return first_size(data)
    items = c.context.elements(data) if isinstance(data, ListRef | TupleValue) else None
    return len(items) if items else None


def with_first_tensor(made: TensorFact, size: Dim | None) -> TensorFact:
    """Records in the origin of a tensor of unknown rank its first size."""
    if size is None or made.shape is not None or made.origin is None:
        return made
    return made.but(origin=replace(made.origin, first=size))


def with_first_view(made: TensorFact, size: Dim | None) -> TensorFact:
    """Records the same of a view: facts of several views of one memory are equal unless they are marked."""
    return with_first_tensor(made if made.provenance else made.but(provenance=_VIEW), size)


def with_first(made: ArrayValue, size: Dim | None) -> ArrayValue:
    """Records in the origin of an array of unknown rank its first size."""
    if size is None or made.shape is not None or made.origin is None:
        return made
    return replace(made, origin=replace(made.origin, first=size))


def with_first_of(made: ArrayValue, source: ArrayValue) -> ArrayValue:
    """Records in an array of unknown rank the first size of the one that it was made of."""
    return with_first(made, first_size(source))


def with_second_one(made: TensorFact) -> TensorFact:
    """Records that a view of unknown rank has 1 as its second size, as `x.unsqueeze(1)` has."""
    return made if made.shape is not None or made.provenance else made.but(provenance=_SECOND_VIEW)


def has_second_one(tensor: TensorFact) -> bool:
    """Returns whether a tensor of unknown rank is known to have 1 as its second size."""
    return tensor.shape is None and tensor.provenance == _SECOND_VIEW
