"""Detects a column (N, 1) beside a vector (N,), which elementwise operators broadcast to (N, N).

Often that is meant, and then the program says so: `a[:, None] - b`, `a.view(-1, 1) == b`, `x.sum(1, keepdim=True) + y`.
It is a mistake where nobody made the column: a model with one output, beside targets without that dim.
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import MAX_ORIGINS, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call

_COMPARED = frozenset({"eq", "ne", "sub", "subtract"})
"""Operators on predictions and targets: residuals, and the count of hits."""
_MADE = frozenset(
    "randn rand randint normal zeros ones full empty tensor as_tensor randn_like rand_like zeros_like ones_like empty_like "
    "full_like matmul mm __matmul__ DataLoader".split()
)
_PICKED = frozenset("argmax argmin max min topk multinomial sort mode".split())
"""Operators that return the class of each row: with `keepdim`, or as a first choice, a column."""
_CONVERTED = frozenset("float double half bfloat16 long int bool to type cuda cpu".split())
"""Operators that keep the shape, also where a batch was taken of their result since."""
_STEPS = frozenset("arange linspace logspace".split())
_LAYERS = frozenset("Linear LazyLinear Bilinear linear bilinear RNN GRU LSTM Embedding embedding".split())
_SAYS_SO = frozenset(
    "view reshape unsqueeze __getitem__ view_as reshape_as expand expand_as broadcast_to unflatten permute transpose t T mT "
    "repeat tile movedim atleast_2d column_stack stack squeeze".split()
)


def report_outer(c: Call, left: TensorFact, right: TensorFact) -> None:
    """Reports a column and a vector of one length that broadcast to an unintended table. Torch raises
    nothing."""
    column, vector = (left, right) if left.rank == 2 else (right, left)
    tall, long = column.shape, vector.shape
    if tall is None or long is None or len(tall) != 2 or len(long) != 1 or tall[1] != 1:
        return
    size = tall[0]
    if dims.equal(size, long[0]) is not Tri.YES or dims.is_generic_one(size) is not Tri.NO:
        return
    name = c.name.rpartition(".")[2]
    if name.endswith("_"):
        return  # what is written to cannot grow: that raises
    made = _maker(column)
    if made in _PICKED:
        is_mistake = name in ("eq", "ne")
    elif made in _MADE:
        is_mistake = name in _COMPARED
    else:
        is_mistake = made in _LAYERS
    if not is_mistake or _maker(vector) in _STEPS or _is_the_same_data(column, vector):
        return
    fault = c.broken(FaultKind.OUTER, left=left, right=right, column=column is right, size=size).fault
    c.faults.append(fault)


def _maker(tensor: TensorFact) -> str | None:
    """Returns the operator that gave a tensor its shape, by its bare name.

    None where the program says what it wants.
    """
    for _ in range(MAX_ORIGINS):
        origin = tensor.origin
        if origin is None:
            return None
        name = origin.op.rpartition(".")[2]
        if name in _SAYS_SO:
            return None
        if name in _LAYERS or name in _MADE:
            return name
        if name in _CONVERTED and origin.parents:
            tensor = origin.parents[0]
            continue
        same = next((parent for parent in origin.parents if _of_shape(parent, tensor.shape)), None)
        if same is None:
            return name
        tensor = same
    return None


def _of_shape(tensor: TensorFact, shape: Shape) -> bool:
    return tensor.shape is not None and tensor.shape == shape


def _is_the_same_data(column: TensorFact, vector: TensorFact) -> bool:
    """Returns whether the vector is the column in another shape, as for all pairs of scores."""
    if column.storage.may_share(vector.storage) is Tri.YES:
        return True
    for _ in range(MAX_ORIGINS):
        origin = vector.origin
        if origin is None or not origin.parents:
            return False
        if any(parent is column for parent in origin.parents) and origin.op.rpartition(".")[2] in _SAYS_SO:
            return True
        vector = origin.parents[0]
    return False
