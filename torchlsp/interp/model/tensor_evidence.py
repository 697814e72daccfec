"""Decides which method calls prove that an unknown value is a tensor."""

from __future__ import annotations

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.ops.signature import Arguments

_NOT_TENSOR_ONLY = frozenset(
    """T real imag shape dtype ndim data size all any argmax argmin argsort astype choose clip copy cumprod cumsum diagonal dot
    fill flatten item max mean min nonzero prod put ravel repeat reshape resize round searchsorted sort squeeze std sum swapaxes
    take tolist trace transpose var view conj device to split count index insert append pop remove reverse extend keys values
    items get update clear join strip replace find format lower upper encode decode startswith type apply float int bool half
    double long cpu cuda add sub mul div eq type_as bfloat16 set_ step zero_ backward detach grad numpy requires_grad_
    share_memory is_shared char short byte where pin_memory unfold select
    abs arcsin arcsinh arctan arctanh ceil cos cov cross cummax cummin deg2rad det diff exp expand expm1 floor ge gt histogram
    inverse itemsize le log log10 log1p lt maximum median minimum mode mT multinomial multiply nbytes ne pow quantile rad2deg
    sign sin sinh sqrt tan tanh trunc unique""".split()
)
"""Methods of Tensor that something else has as well, so that calling one does not prove a tensor: arrays, containers, modules,
columns of pandas and Polars, sparse matrices of SciPy, symbols of SymPy, pictures, random generators."""


_LAYERS_TOO = frozenset("norm softmax log_softmax unfold renorm".split())
"""Methods of Tensor whose first argument is a number, and names that users give to layers."""


def _called_as_a_layer(signature: str, name: str, arguments: Arguments) -> bool:
    """Returns whether arguments do not fit the method of a tensor: `self.encoder.norm(x)`, `model.relu(x)`."""
    if not arguments.positional:
        return False
    first = arguments.positional[0]
    if signature == "input" or name in _LAYERS_TOO and not isinstance(first, v.Scalar):
        return True
    # `criterion.mode(logits)`: a dim is not a tensor
    return isinstance(first, TensorFact) and signature.startswith(("input, dim", "input, *dim", "input, k"))


def proves_tensor(name: str, arguments: Arguments) -> bool:
    """Returns whether only tensors have a method of this name, or take these arguments in it."""
    row = ops.operator(f"Tensor.{name}")
    if row is None or _called_as_a_layer(row.signature, name, arguments):
        return False
    if name not in _NOT_TENSOR_ONLY:
        return True
    ints = [v.as_int(value) for value in arguments.positional]
    if name == "transpose":
        return len(ints) == 2 and None not in ints and set(ints) not in ({0, 1},)
    if name == "size":
        return True
    if name == "view":
        return bool(arguments.positional) and all(
            v.as_dim(value) is not None for value in arguments.positional
        )
    if name == "detach":
        return not arguments.positional
    if name in ("squeeze", "mean", "sum", "max", "min", "softmax", "argmax") and any(
        key == "dim" for key, _ in arguments.keywords
    ):
        return True
    return False


_ACTIVATIONS = frozenset({"softmax", "log_softmax", "sigmoid"})
"""Methods that only a tensor has, when they are called with at most a dim."""


def is_activation(name: str, arguments: Arguments) -> bool:
    """Returns whether a call can only be that of a tensor's activation function."""
    given = [*arguments.positional, *(value for _, value in arguments.keywords)]
    if name not in _ACTIVATIONS or arguments.is_open or len(given) > 1:
        return False
    return all(v.as_int(value) is not None for value in given)
