"""Identity, Linear, Bilinear: features in, features out."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.ops.columns import grad_through
from torchlsp.ops.parameters import (
    comes_from_layer,
    features_agree,
    layer_name,
    optional_parameter,
    parameter,
    same_place,
    shared_dtype,
    trailing,
)
from torchlsp.ops.table import LAYERS, Call, LayerState

LAYERS.row(
    "torch.nn.Identity", signature="*args", owns_parameters=False,
    result=lambda c: c.tensor("input") or c.value("input"),
)  # fmt: skip


def output_features(c: Call, size: Dim | None) -> Dim:
    return c.fresh("features") if size is None else size


def linear(
    c: Call, tensor: TensorFact, weight: TensorFact, bias: Value, in_features: Dim | None, out: Dim | None
) -> Value:
    """`input @ weight.T + bias`: contiguous whatever the input's strides are."""
    if tensor.rank == 0:
        raise c.broken(
            FaultKind.MATMUL_RANK, layer=layer_name(c), operand=tensor, input=tensor, expected=1, got=0
        )
    features = trailing(tensor)
    if features is not None and in_features is not None and dims.equal(features, in_features) is Tri.NO:
        raise c.broken(
            FaultKind.MATMUL_INNER, tensor.assumed, layer=layer_name(c), left=tensor, right=weight, input=tensor,
            left_size=features, right_size=in_features, chain=comes_from_layer(tensor),
        )  # fmt: skip
    offset = bias if isinstance(bias, TensorFact) else None
    device = same_place(c, tensor, weight, offset)
    dtype = shared_dtype(c, tensor, weight, offset)
    shape: Shape = None if tensor.shape is None else (*tensor.shape[:-1], output_features(c, out))
    grad = grad_through(c, (tensor, weight), dtype, complete=True)
    return c.make(shape, dtype, device, ROW_MAJOR, c.fresh_storage(), grad, parents=(tensor,))


def _linear(c: Call) -> Value:
    tensor, state = c.tensor("input"), c.layer
    if tensor is None:
        return UNKNOWN_VALUE
    shapes = linear_parameters(state)
    weight = parameter(state, shapes["weight"])
    bias = optional_parameter(state, "bias", shapes.get("bias"))
    return linear(c, tensor, weight, bias, state.dim("in_features"), state.dim("out_features"))


def linear_parameters(state: LayerState) -> dict[str, Shape]:
    out, features = state.dim("out_features"), state.dim("in_features")
    found: dict[str, Shape] = {"weight": None if out is None or features is None else (out, features)}
    if state.flag("bias"):
        found["bias"] = None if out is None else (out,)
    return found


LAYERS.row(
    "torch.nn.Linear", signature="in_features, out_features, bias=True, device=None, dtype=None", result=_linear,
    parameters=linear_parameters, moduleinfo="nn.Linear",
)  # fmt: skip
LAYERS.row(
    "torch.nn.LazyLinear", signature="out_features, bias=True, device=None, dtype=None", result=_linear,
    parameters=linear_parameters,
)  # fmt: skip


def _bilinear(c: Call) -> Value:
    first, second, state = c.tensor("input1"), c.tensor("input2"), c.layer
    if first is None or second is None:
        return UNKNOWN_VALUE
    for tensor, name in ((first, "in1_features"), (second, "in2_features")):
        features = trailing(tensor)
        if features is not None:
            features_agree(c, tensor, features, state.dim(name))
    weight = parameter(state, None)
    if first.rank is not None and second.rank is not None and first.rank != second.rank:
        raise c.broken(
            FaultKind.RANK, layer=layer_name(c), input=second, expected=(first.rank,), got=second.rank
        )
    shape: Shape = (
        None if not first.shape else (*first.shape[:-1], output_features(c, state.dim("out_features")))
    )
    dtype = shared_dtype(c, first, second, weight)
    grad = grad_through(c, (first, second, weight), dtype, complete=True)
    device = same_place(c, first, second, weight)
    return c.make(shape, dtype, device, None, c.fresh_storage(), grad, parents=(first, second))


def _bilinear_parameters(state: LayerState) -> dict[str, Shape]:
    sizes = tuple(state.dim(name) for name in ("out_features", "in1_features", "in2_features"))
    found: dict[str, Shape] = {"weight": None if None in sizes else sizes}
    if state.flag("bias"):
        found["bias"] = None if sizes[0] is None else sizes[:1]
    return found


LAYERS.row(
    "torch.nn.Bilinear", signature="in1_features, in2_features, out_features, bias=True, device=None, dtype=None",
    forward="input1, input2", result=_bilinear, parameters=_bilinear_parameters, moduleinfo="nn.Bilinear",
)  # fmt: skip
