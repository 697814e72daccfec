"""Evaluates distances and similarities of vectors: normalize, cosine_similarity, pairwise_distance, cdist,
pdist."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.ops.call import Call
from torchlsp.ops.columns import (
    broadcast_shapes,
    common_device,
    normal_dim,
    promoted_to_float,
    rank_is,
    rank_is_at_least,
    tensor_or_unknown,
    through,
    written_anew,
    written_like,
)
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.reordering import of_input


def _plain_dtype(c: Call, tensor: TensorFact) -> DType | None:
    """Returns the input's dtype; under autocast these operators may compute in another."""
    return tensor.dtype if c.context.autocast is Tri.NO else None


def _normalized(c: Call, tensor: TensorFact) -> TensorFact:
    if tensor.dtype is not None and not dtypes.can_require_grad(tensor.dtype):
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")
    normal_dim(c, "dim", tensor)
    dtype = _plain_dtype(c, tensor)
    layout = elementwise_layout([tensor], tensor.shape)
    return c.make(tensor.shape, dtype, tensor.device, layout, c.fresh_storage(), through(c, dtype))


TABLE.row(
    "torch.nn.functional.normalize",
    signature="input, p=2.0, dim=1, eps=1e-12, out=None",
    result=of_input(_normalized), opinfo="nn.functional.normalize",
)  # fmt: skip


def _both(c: Call) -> tuple[TensorFact, TensorFact, Shape]:
    """Returns the two inputs and the shape that they broadcast to."""
    left, right = tensor_or_unknown(c, "x1"), tensor_or_unknown(c, "x2")
    return left, right, broadcast_shapes(c, [left.shape, right.shape], left, right)


def _cosine_similarity(c: Call) -> Value:
    """Returns the broadcast shape without `dim`."""
    left, right, shape = _both(c)
    if shape is not None:
        dim = normal_dim(c, "dim", left.but(shape=shape))
        shape = None if dim is None or not shape else shape[:dim] + shape[dim + 1 :]
    dtype = promoted_to_float("x1", "x2")(c) if c.context.autocast is Tri.NO else None
    return written_like(c, shape, dtype, common_device(c, [left, right]))


TABLE.row(
    "torch.nn.functional.cosine_similarity", "torch.cosine_similarity",
    signature="x1, x2, dim: int = 1, eps=1e-08", result=_cosine_similarity, opinfo="nn.functional.cosine_similarity",
)  # fmt: skip


def _pairwise_distance(c: Call) -> Value:
    """Returns the broadcast shape without its last dim."""
    left, right, shape = _both(c)
    keepdim = c.flag("keepdim")
    if shape is not None:
        shape = None if keepdim is None or not shape else (*shape[:-1], *((1,) if keepdim else ()))
    dtype = promoted_to_float("x1", "x2")(c) if c.context.autocast is Tri.NO else None
    dtype = None if dtype is None else dtypes.real_of(dtype)
    return written_like(c, shape, dtype, common_device(c, [left, right]))


TABLE.row(
    "torch.nn.functional.pairwise_distance", "torch.pairwise_distance",
    signature="x1, x2, p=2.0, eps=1e-06, keepdim=False",
    result=_pairwise_distance, opinfo="nn.functional.pairwise_distance",
)  # fmt: skip


def _cdist(c: Call) -> Value:
    """Evaluates `(*B, P, M), (*B, R, M)` to `(*B, P, R)`."""
    left, right = tensor_or_unknown(c, "x1"), tensor_or_unknown(c, "x2")
    shape: Shape = None
    for tensor in (left, right):
        rank_is_at_least(c, tensor, 2)
    if left.shape is not None and right.shape is not None:
        a, b = left.shape, right.shape
        if dims.equal(a[-1], b[-1]) is Tri.NO:
            raise c.broken(
                FaultKind.MATMUL_INNER, left=left, right=right, left_size=a[-1], right_size=b[-1], layer=None
            )
        shape = (*broadcast_shapes(c, [a[:-2], b[:-2]], left, right, trailing=2), a[-2], b[-2])
    dtype = left.dtype if left.dtype == right.dtype and c.context.autocast is Tri.NO else None
    return written_anew(c, shape, dtype, common_device(c, [left, right]))


TABLE.row(
    "torch.cdist",
    signature="x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary'", result=_cdist, opinfo="cdist",
)  # fmt: skip


def _pdist(c: Call, tensor: TensorFact) -> TensorFact:
    rank_is(c, tensor, 2)
    shape = (c.fresh(),)
    if tensor.shape is not None:
        rows = tensor.shape[0]
        shape = (rows * (rows - 1) // 2,)
    return written_anew(c, shape, _plain_dtype(c, tensor), tensor.device)


TABLE.row(
    "torch.nn.functional.pdist", "torch.pdist",
    signature="input, p=2.0", result=of_input(_pdist), opinfo="nn.functional.pdist",
)  # fmt: skip
