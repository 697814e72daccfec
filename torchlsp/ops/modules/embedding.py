"""Defines Embedding and EmbeddingBag, by the laws of their functional forms."""

from __future__ import annotations

from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.ops.call import LayerCall, LayerState, ResultColumn
from torchlsp.ops.parameters import by_functional, parameter, same_place, size_or_fresh, with_width
from torchlsp.ops.table import LAYERS


def _parameters(state: LayerState) -> dict[str, Shape]:
    rows, features = state.dim("num_embeddings"), state.dim("embedding_dim")
    return {"weight": None if rows is None or features is None else (rows, features)}


def _weight(c: LayerCall) -> TensorFact:
    names = ("num_embeddings", "embedding_dim")
    return parameter(c.layer, tuple(size_or_fresh(c, c.layer.dim(name), name) for name in names))


def _looked_up(functional: str) -> ResultColumn[LayerCall]:
    """Makes the result column: the functional form on the layer's weight, which decides the device."""
    rows_of = by_functional(functional, weight=_weight)

    def result(c: LayerCall) -> Value:
        device = same_place(c, c.tensor("input"), _weight(c))
        found = rows_of(c)
        if not isinstance(found, TensorFact):
            return found
        return with_width(c, found.but(device=device), -1, c.layer.dim("embedding_dim"))

    return result


LAYERS.row(
    "torch.nn.Embedding",
    signature="num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
    "sparse=False, _weight=None, _freeze=False, device=None, dtype=None",
    result=_looked_up("torch.nn.functional.embedding"), parameters=_parameters, moduleinfo="nn.Embedding",
)  # fmt: skip
LAYERS.row(
    "torch.nn.EmbeddingBag",
    signature="num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', "
    "sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None",
    forward="input, offsets=None, per_sample_weights=None", parameters=_parameters,
    result=_looked_up("torch.nn.functional.embedding_bag"),
)  # fmt: skip
