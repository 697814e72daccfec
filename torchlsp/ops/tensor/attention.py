"""Evaluates attention, and lookups at the beginning of such models: embedding, embedding_bag, one_hot."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.ops.call import Broken, Call
from torchlsp.ops.columns import (
    broadcast_shapes,
    common_device,
    grad_through,
    one_dtype,
    rank_is_at_least,
    tensor_or_unknown,
    through,
    written_anew,
)
from torchlsp.ops.losses.inputs import DRAWN, PADDED, outside_of_classes
from torchlsp.ops.table import TABLE

# ---- scaled_dot_product_attention ---------------------------------------------------------------------------------------


def _attended(c: Call) -> Value:
    """Evaluates `(*B, L, E), (*B, S, E), (*B, S, Ev)` to `(*B, L, Ev)`.

    The fused kernels give the strides of the query, or (memory-efficient CUDA) those of `(B, L, H, Ev)`; only on the CPU
    row-major inputs are known to give a row-major result.
    """
    query, key, value = (tensor_or_unknown(c, name) for name in ("query", "key", "value"))
    for tensor in (query, key, value):
        rank_is_at_least(c, tensor, 2)
        if tensor.dtype is not None and not dtypes.can_require_grad(tensor.dtype):
            raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")
    dtype = one_dtype(c, query, key, value)
    if query.shape is not None and key.shape is not None:
        left, right = query.shape[-1], key.shape[-1]
        if dims.equal(left, right) is Tri.NO:
            raise c.broken(
                FaultKind.MATMUL_INNER, left=query, right=key, left_size=left, right_size=right, layer=None
            )
    if c.flag("is_causal") and c.given("attn_mask") is Tri.YES:
        raise c.broken(FaultKind.ARGUMENT, argument="attn_mask", is_causal=True)
    grouped = c.flag("enable_gqa")
    batch = _attention_batch(c, query, key, value, grouped)
    _mask_applies(c, query, key, batch)
    shape: Shape = None
    if batch is not None and query.shape is not None and value.shape is not None:
        shape = (*batch, query.shape[-2], value.shape[-1])
    device = common_device(c, [query, key, value])
    row_major = device == CPU and all(tensor.layout is ROW_MAJOR for tensor in (query, key, value))
    layout = ROW_MAJOR if row_major else None
    return c.make(shape, dtype, device, layout, c.fresh_storage(), through(c, dtype))


def _attention_batch(
    c: Call, query: TensorFact, key: TensorFact, value: TensorFact, grouped: bool | None
) -> Shape:
    """Returns the batch dims; with grouped queries the query's heads."""
    if query.shape is None or key.shape is None or value.shape is None:
        return None
    if grouped is not False:
        return query.shape[:-2] if grouped and query.rank == key.rank == value.rank == 4 else None
    return broadcast_shapes(c, [query.shape[:-2], key.shape[:-2], value.shape[:-2]], query, key, trailing=2)


def _mask_applies(c: Call, query: TensorFact, key: TensorFact, batch: Shape) -> None:
    mask = c.tensor("attn_mask")
    if mask is None or query.shape is None or key.shape is None:
        return
    if c.context.autocast is Tri.NO and mask.dtype is not None and query.dtype is not None:
        if mask.dtype not in ("bool", "f32", query.dtype):
            raise c.broken(FaultKind.DTYPE_MISMATCH, left=query, right=mask)
    if batch is None or mask.shape is None:
        return
    weights = (*batch, query.shape[-2], key.shape[-2])
    broadcast_shapes(c, [weights, mask.shape], query.but(shape=weights), mask)


TABLE.row(
    "torch.nn.functional.scaled_dot_product_attention",
    signature="query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False",
    result=_attended, opinfo="nn.functional.scaled_dot_product_attention",
)  # fmt: skip


# ---- lookups ------------------------------------------------------------------------------------------------------------

INDICES = ("i64", "i32")


def indices_can_look_up(c: Call, indices: TensorFact) -> None:
    if indices.dtype is not None and indices.dtype not in INDICES:
        raise c.broken(FaultKind.EMBEDDING_DTYPE, input=indices)


def _indices_in_table(c: Call, indices: TensorFact, weight: TensorFact) -> None:
    outside = outside_of_classes(indices, weight.shape[0] if weight.shape else None)
    if outside is not None:
        raise c.broken(
            FaultKind.EMBEDDING_RANGE, {outside.how} & {DRAWN, PADDED}, input=indices,
            rows=weight.shape[0] if weight.shape else None, low=outside.low, high=outside.high,
        )  # fmt: skip


def _table(c: Call, indices: TensorFact) -> TensorFact:
    """Returns the embedding's weight, which must be a matrix."""
    weight = tensor_or_unknown(c, "weight")
    if weight.rank is not None and weight.rank != 2:
        raise c.broken(FaultKind.RANK, input=weight, expected=2, got=weight.rank)
    indices_can_look_up(c, indices)
    _indices_in_table(c, indices, weight)
    return weight


def _looked_up(c: Call, indices: TensorFact, weight: TensorFact) -> Shape:
    if indices.shape is None:
        return None
    return (*indices.shape, weight.shape[1] if weight.shape is not None else c.fresh("features"))


def _embedding(c: Call) -> Value:
    indices = tensor_or_unknown(c, "input")
    try:
        weight = _table(c, indices)
    except Broken as broken:
        weight = tensor_or_unknown(c, "weight")
        if weight.rank != 2:
            raise
        raise broken.showing(c.make(_looked_up(c, indices, weight), weight.dtype)) from None
    shape = _looked_up(c, indices, weight)
    grad = grad_through(c, (weight,), weight.dtype, complete=c.tensor("weight") is not None)
    return written_anew(c, shape, weight.dtype, common_device(c, [indices, weight]), grad)


TABLE.row(
    "torch.nn.functional.embedding",
    signature="input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
    result=_embedding, opinfo="nn.functional.embedding",
)  # fmt: skip


def _embedding_bag(c: Call) -> Value:
    """Returns one row a bag: 2-D indices are bags of equal size, 1-D ones are cut at the offsets."""
    indices, offsets = tensor_or_unknown(c, "input"), c.tensor("offsets")
    given = c.tensor("weight")
    if given is not None and given.dtype in INDICES:
        return UNKNOWN_VALUE  # the old order of the two arguments, which torch puts right with a warning
    weight = _table(c, indices)
    if indices.rank is not None and indices.rank not in (1, 2):
        raise c.broken(FaultKind.RANK, input=indices, expected=(1, 2), got=indices.rank)
    if indices.rank == 1 and c.given("offsets") is Tri.NO:
        raise c.broken(FaultKind.ARGUMENT, argument="offsets", value=None, input=indices)
    if indices.rank == 2 and c.given("offsets") is Tri.YES:
        raise c.broken(FaultKind.ARGUMENT, argument="offsets", value=offsets, input=indices)
    bags: Dim | None = None
    if indices.shape is not None and len(indices.shape) == 2:
        bags = indices.shape[0]
    elif indices.rank == 1 and offsets is not None and offsets.shape is not None and len(offsets.shape) == 1:
        last = c.flag("include_last_offset")
        bags = None if last is None else offsets.shape[0] - (1 if last else 0)
    features = weight.shape[1] if weight.shape is not None else c.fresh("features")
    grad = grad_through(c, _weights_of(c, weight), weight.dtype, complete=c.tensor("weight") is not None)
    shape = (c.fresh("bags") if bags is None else bags, features)
    return written_anew(c, shape, weight.dtype, common_device(c, [indices, weight]), grad)


def _weights_of(c: Call, weight: TensorFact) -> tuple[TensorFact, ...]:
    per_sample = c.tensor("per_sample_weights")
    return (weight,) if per_sample is None else (weight, per_sample)


TABLE.row(
    "torch.nn.functional.embedding_bag",
    signature="input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', "
    "sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None",
    result=_embedding_bag, opinfo="nn.functional.embedding_bag",
)  # fmt: skip


def _one_hot(c: Call) -> Value:
    """Returns an integer result, which losses for class probabilities do not take."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if tensor.dtype is not None and tensor.dtype != "i64":
        raise c.broken(FaultKind.ONE_HOT_DTYPE, input=tensor)
    classes = c.dim("num_classes")
    if isinstance(classes, int) and classes < -1 or classes == 0:
        raise c.broken(FaultKind.ARGUMENT, argument="num_classes", value=classes)
    outside = outside_of_classes(tensor, classes)
    if outside is not None:
        raise c.broken(
            FaultKind.ONE_HOT_RANGE, {outside.how} & {DRAWN, PADDED}, input=tensor, classes=classes,
            low=outside.low, high=outside.high,
        )  # fmt: skip
    shape: Shape = None
    if tensor.shape is not None:
        shape = (*tensor.shape, c.fresh("classes") if classes is None or classes == -1 else classes)
    return written_anew(c, shape, "i64", tensor.device, NO_GRAD).but(provenance="one_hot")


TABLE.row(
    "torch.nn.functional.one_hot",
    signature="input, num_classes: int = -1", result=_one_hot, opinfo="nn.functional.one_hot",
)  # fmt: skip
