"""Embedding and EmbeddingBag: indices in, rows of the weight out."""

from __future__ import annotations

from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.ops.columns import grad_through
from torchlsp.ops.parameters import (
    in_row_major,
    layer_name,
    parameter,
    ranks_allowed,
    reads_none,
    same_place,
    size_or_fresh,
)
from torchlsp.ops.table import LAYERS, Call, LayerState

INDICES = ("i64", "i32")


def indices_allowed(c: Call, tensor: TensorFact) -> None:
    if tensor.dtype is not None and tensor.dtype not in INDICES:
        raise c.broken(
            FaultKind.DTYPE, tensor.assumed, layer=layer_name(c), input=tensor, dtype=tensor.dtype, expected="i64",
            argument="input",
        )  # fmt: skip


def _weight(state: LayerState) -> Shape:
    rows, features = state.dim("num_embeddings"), state.dim("embedding_dim")
    return None if rows is None or features is None else (rows, features)


def _parameters(state: LayerState) -> dict[str, Shape]:
    return {"weight": _weight(state)}


def _grad_of_weight(c: Call, weight: TensorFact, dtype):
    """`max_norm` writes to the weight under no_grad; the result is in the graph all the same."""
    return grad_through(c, (weight,), dtype, complete=True)


def _embedded(c: Call) -> Value:
    tensor, state = c.tensor("input"), c.layer
    if tensor is None:
        return UNKNOWN_VALUE
    indices_allowed(c, tensor)
    weight = parameter(state, _weight(state))
    device = same_place(c, tensor, weight)
    features = size_or_fresh(c, state.dim("embedding_dim"), "features")
    shape: Shape = None if tensor.shape is None else (*tensor.shape, features)
    grad = _grad_of_weight(c, weight, state.dtype)
    return in_row_major(
        c, c.make(shape, state.dtype, device, ROW_MAJOR, c.fresh_storage(), grad, parents=(tensor,))
    )


def _bagged(c: Call) -> Value:
    """(B, N) indices give (B, features); 1-D ones as many rows as there are offsets."""
    tensor, state, offsets = c.tensor("input"), c.layer, c.tensor("offsets")
    if tensor is None:
        return UNKNOWN_VALUE
    ranks_allowed(c, tensor, 1, 2)
    indices_allowed(c, tensor)
    if tensor.rank == 1 and reads_none(c.value("offsets")):
        raise c.broken(FaultKind.ARGUMENT, layer=layer_name(c), argument="offsets", value=None, input=tensor)
    if tensor.rank == 2 and c.given("offsets") is Tri.YES:
        raise c.broken(
            FaultKind.ARGUMENT, layer=layer_name(c), argument="offsets", value=offsets, input=tensor
        )
    weight = parameter(state, _weight(state))
    device = same_place(c, tensor, weight)
    features = size_or_fresh(c, state.dim("embedding_dim"), "features")
    shape: Shape = None
    if tensor.rank == 2:
        shape = (tensor.shape[0], features)
    elif tensor.rank == 1 and offsets is not None and offsets.rank == 1:
        last = state.flag("include_last_offset")
        rows = c.fresh("bags") if last is None else offsets.shape[0] - (1 if last else 0)
        shape = (rows, features)
    grad = _grad_of_weight(c, weight, state.dtype)
    return in_row_major(
        c, c.make(shape, state.dtype, device, ROW_MAJOR, c.fresh_storage(), grad, parents=(tensor,))
    )


LAYERS.row(
    "torch.nn.Embedding", result=_embedded, parameters=_parameters, moduleinfo="nn.Embedding",
    signature="num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
    "sparse=False, _weight=None, _freeze=False, device=None, dtype=None",
)  # fmt: skip
LAYERS.row(
    "torch.nn.EmbeddingBag", result=_bagged, parameters=_parameters,
    signature="num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', "
    "sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None",
    forward="input, offsets=None, per_sample_weights=None",
)  # fmt: skip
