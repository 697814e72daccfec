"""Defines activation and dropout layers, by the laws of their functional forms."""

from __future__ import annotations

from torchlsp.facts.shape import Shape
from torchlsp.facts.values import Value, integer
from torchlsp.ops.call import LayerCall, LayerState
from torchlsp.ops.parameters import by_functional, parameter, ranks_allowed
from torchlsp.ops.table import LAYERS

for _name, _functional, _signature in (
    ("ReLU", "relu", "inplace=False"),
    ("ReLU6", "relu6", "inplace=False"),
    ("ELU", "elu", "alpha=1.0, inplace=False"),
    ("SELU", "selu", "inplace=False"),
    ("CELU", "celu", "alpha=1.0, inplace=False"),
    ("GELU", "gelu", "approximate='none'"),
    ("SiLU", "silu", "inplace=False"),
    ("Mish", "mish", "inplace=False"),
    ("Hardswish", "hardswish", "inplace=False"),
    ("Hardsigmoid", "hardsigmoid", "inplace=False"),
    ("Hardtanh", "hardtanh", "min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None"),
    ("Hardshrink", "hardshrink", "lambd=0.5"),
    ("LeakyReLU", "leaky_relu", "negative_slope=0.01, inplace=False"),
    ("LogSigmoid", "logsigmoid", "*args"),
    ("RReLU", "rrelu", "lower=0.125, upper=0.3333333333333333, inplace=False"),
    ("Sigmoid", "sigmoid", "*args"),
    ("Softplus", "softplus", "beta=1.0, threshold=20.0"),
    ("Softshrink", "softshrink", "lambd=0.5"),
    ("Softsign", "softsign", "*args"),
    ("Tanh", "tanh", "*args"),
    ("Tanhshrink", "tanhshrink", "*args"),
    ("Threshold", "threshold", "threshold, value, inplace=False"),
    ("GLU", "glu", "dim=-1"),
    ("Softmax", "softmax", "dim=None"),
    ("LogSoftmax", "log_softmax", "dim=None"),
    ("Softmin", "softmin", "dim=None"),
):
    LAYERS.row(
        f"torch.nn.{_name}", signature=_signature, owns_parameters=False,
        result=by_functional(f"torch.nn.functional.{_functional}"),
        moduleinfo=f"nn.{_name}" if _name not in ("RReLU", "Hardsigmoid") else None,
    )  # fmt: skip

_SOFTMAX = by_functional("torch.nn.functional.softmax", dim=integer(-3))


def _softmax_2d(c: LayerCall) -> Value:
    ranks_allowed(c, c.tensor("input"), 3, 4)
    return _SOFTMAX(c)


LAYERS.row(
    "torch.nn.Softmax2d",
    signature="*args",
    owns_parameters=False,
    result=_softmax_2d,
    moduleinfo="nn.Softmax2d",
)


def _prelu_parameters(state: LayerState) -> dict[str, Shape]:
    count = state.dim("num_parameters")
    return {"weight": None if count is None else (count,)}


def _slopes(c: LayerCall) -> Value:
    return parameter(c.layer, _prelu_parameters(c.layer)["weight"])


LAYERS.row(
    "torch.nn.PReLU", signature="num_parameters=1, init=0.25, device=None, dtype=None", result=by_functional("torch.nn.functional.prelu", weight=_slopes),
    parameters=_prelu_parameters, moduleinfo="nn.PReLU",
)  # fmt: skip

for _name, _functional in (
    ("Dropout", "dropout"),
    ("Dropout1d", "dropout1d"),
    ("Dropout2d", "dropout2d"),
    ("Dropout3d", "dropout3d"),
    ("AlphaDropout", "alpha_dropout"),
    ("FeatureAlphaDropout", "feature_alpha_dropout"),
):
    LAYERS.row(
        f"torch.nn.{_name}", signature="p=0.5, inplace=False", owns_parameters=False,
        result=by_functional(f"torch.nn.functional.{_functional}"),
    )  # fmt: skip
