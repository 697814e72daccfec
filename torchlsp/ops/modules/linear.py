"""Defines Identity, Linear and Bilinear: features in, features out."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.ops.call import Broken, LayerCall, LayerState, are_known
from torchlsp.ops.parameters import (
    comes_from_layer,
    features_agree,
    forwarded,
    layer_name,
    optional_parameter,
    parameter,
    same_place,
    size_or_fresh,
    trailing,
    width,
    with_width,
)
from torchlsp.ops.table import LAYERS
from torchlsp.ops.tensor import linalg


def _identity(c: LayerCall) -> Value:
    return c.value("input")


LAYERS.row("torch.nn.Identity", signature="*args, **rest", owns_parameters=False, result=_identity)


def _linear(c: LayerCall) -> Value:
    tensor, state = c.tensor("input"), c.layer
    if tensor is None:
        return UNKNOWN_VALUE
    out, features = state.dim("out_features"), state.dim("in_features")
    shape = (size_or_fresh(c, out, "features"), size_or_fresh(c, features, "in_features"))
    weight = parameter(state, shape)
    bias = optional_parameter(state, "bias", shape[:1])
    try:
        _features_contract(c, tensor, weight, features)
    except Broken as broken:
        if tensor.shape:
            outer = (*tensor.shape[:-1], shape[0])
            raise broken.showing(c.make(outer, tensor.dtype, tensor.device, ROW_MAJOR)) from None
        raise
    device = same_place(c, tensor, weight)
    call = forwarded(c, weight=weight, bias=bias)
    made = linalg.linear(call, tensor, weight, bias).but(device=device, origin=c.origin(tensor))
    return with_width(c, made, -1, out)


def _features_contract(c: LayerCall, tensor: TensorFact, weight: TensorFact, expected: Dim | None) -> None:
    got = width(tensor, -1)
    if got is not None and expected is not None and dims.differ_as_widths(got, expected):
        raise c.broken(
            FaultKind.MATMUL_INNER, tensor.assumed - {"layout"}, layer=layer_name(c), left=tensor, right=weight, input=tensor,
            left_size=got, right_size=expected, chain=comes_from_layer(tensor),
        )  # fmt: skip


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


def _bilinear(c: LayerCall) -> Value:
    first, second, state = c.tensor("input1"), c.tensor("input2"), c.layer
    if first is None or second is None:
        return UNKNOWN_VALUE
    taken = (state.dim("in1_features"), state.dim("in2_features"))
    for tensor, expected in zip((first, second), taken, strict=True):
        got = trailing(tensor)
        if got is not None:
            features_agree(c, tensor, got, expected)
    sizes = (state.dim("out_features"), *taken)
    shape = tuple(size_or_fresh(c, size, f"weight.{i}") for i, size in enumerate(sizes))
    weight = parameter(state, shape)
    bias = optional_parameter(state, "bias", shape[:1])
    device = same_place(c, first, second, weight)
    call = forwarded(c, weight=weight, bias=bias)
    return linalg.bilinear(call, first, second, weight, bias).but(
        device=device, origin=c.origin(first, second)
    )


def _bilinear_parameters(state: LayerState) -> dict[str, Shape]:
    sizes = tuple(state.dim(name) for name in ("out_features", "in1_features", "in2_features"))
    found: dict[str, Shape] = {"weight": sizes if are_known(sizes) else None}
    if state.flag("bias"):
        found["bias"] = None if sizes[0] is None else (sizes[0],)
    return found


LAYERS.row(
    "torch.nn.Bilinear", signature="in1_features, in2_features, out_features, bias=True, device=None, dtype=None",
    forward="input1, input2", result=_bilinear, parameters=_bilinear_parameters, moduleinfo="nn.Bilinear",
)  # fmt: skip
