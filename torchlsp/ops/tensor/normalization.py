"""Evaluates normalisation: the shape stays; channels, trailing sizes and dtypes must agree.

Source: `native_batch_norm`, `native_layer_norm`, `native_group_norm` in ATen/native (torch 2.13); half-precision inputs
with float32 parameters are allowed (`check_mixed_data_type`).
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import FLOATING, INTEGRAL, DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.ops.call import Call, Check, LayoutColumn, ResultColumn, are_known
from torchlsp.ops.columns import one_dtype, through_of
from torchlsp.ops.parameters import (
    KEEPS_MEMORY_FORMAT,
    comes_from_layer,
    features_agree,
    in_row_major,
    layer_name,
    same_place,
)
from torchlsp.ops.table import TABLE

_HALF = ("f16", "bf16")


def normalized(
    *parameters: str, layout: LayoutColumn[Call] = KEEPS_MEMORY_FORMAT, mixed: str = "half"
) -> ResultColumn[Call]:
    """Makes the result column of a normalisation with these optional parameters.

    `mixed`: `half` lets f32 parameters go with a half-precision input, `any` lets every dtype go with every other.
    """

    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        if tensor is None:
            return UNKNOWN_VALUE
        dtype = one_dtype(c, tensor)
        if dtype is not None:
            dtype = _checked(c, tensor, parameters, mixed)
        device = same_place(c, tensor, *(c.tensor(name) for name in parameters))
        grad = through_of("input", *parameters)(c, dtype)
        made = c.make(
            tensor.shape, dtype, device, layout(c, tensor.shape), c.fresh_storage(), grad, parents=(tensor,)
        )
        return in_row_major(c, made) if layout is always_row_major else made

    return result


def _checked(c: Call, tensor: TensorFact, parameters: tuple[str, ...], mixed: str) -> DType | None:
    """Returns the input's dtype, which must be floating and go with the parameters' dtypes."""
    if tensor.dtype in INTEGRAL or tensor.dtype == "bool":
        raise c.broken(
            FaultKind.DTYPE, layer=layer_name(c), input=tensor, dtype=tensor.dtype, expected="floating"
        )
    for name in parameters:
        other = c.tensor(name)
        if other is None or other.dtype is None or other.dtype == tensor.dtype:
            continue
        if mixed == "half" and not (tensor.dtype in _HALF and other.dtype == "f32"):
            raise c.broken(FaultKind.DTYPE_MISMATCH, left=tensor, right=other, layer=layer_name(c))
    return tensor.dtype


def always_row_major(c: Call, shape: Shape) -> Layout:
    return ROW_MAJOR


def channels_agree(*parameters: str) -> Check[Call]:
    """Makes the check that each per-channel parameter has as many elements as the input has channels."""

    def check(c: Call) -> None:
        tensor = c.tensor("input")
        if tensor is None or tensor.shape is None or len(tensor.shape) < 2:
            return
        for name in parameters:
            other = c.tensor(name)
            if other is not None and other.shape is not None and len(other.shape) == 1:
                features_agree(c, tensor, tensor.shape[1], other.shape[0])

    return check


def more_than_one_value(c: Call) -> None:
    """Raises a fault for one value a channel in training.  Source: `_verify_batch_size`, torch 2.13."""
    tensor = c.tensor("input")
    if tensor is None or tensor.shape is None or len(tensor.shape) < 2 or c.flag("training") is not True:
        return
    if all(size == 1 for i, size in enumerate(tensor.shape) if i != 1):
        raise c.broken(FaultKind.SIZE, layer=layer_name(c), input=tensor, reason="one value per channel")


def trailing_sizes_agree(c: Call) -> None:
    """Raises a fault unless `normalized_shape` is the end of the input's shape."""
    tensor, expected = c.tensor("input"), c.sizes("normalized_shape")
    if expected == ():
        raise c.broken(FaultKind.ARGUMENT, layer=layer_name(c), argument="normalized_shape", value=())
    if tensor is None or tensor.shape is None or expected is None:
        return
    if len(tensor.shape) < len(expected):
        raise c.broken(
            FaultKind.RANK,
            layer=layer_name(c),
            input=tensor,
            expected=(len(expected),),
            at_least=True,
            got=tensor.rank,
        )
    got = tensor.shape[-len(expected) :]
    if any(
        size is not None and dims.equal(size, have) is Tri.NO
        for size, have in zip(expected, got, strict=True)
    ):
        raise c.broken(
            FaultKind.LAYER_CHAIN, tensor.assumed - {"layout"}, layer=layer_name(c), input=tensor,
            expected=expected[0] if len(expected) == 1 else expected, got=got[0] if len(got) == 1 else got,
            chain=comes_from_layer(tensor) and not _ends_earlier(tensor.shape, expected),
        )  # fmt: skip
    for name in ("weight", "bias"):
        other = c.tensor(name)
        if other is not None and are_known(expected):
            if shapes.same(other.shape, expected) is Tri.NO:
                raise c.broken(
                    FaultKind.SIZE, layer=layer_name(c), input=other, reason="normalized_shape", size=expected
                )


def _ends_earlier(shape: tuple[Dim, ...], expected: tuple[Dim | None, ...]) -> bool:
    """Returns whether the expected sizes are in the shape, after the batch dim, but not at its end."""
    count = len(expected)
    return any(shape[at : at + count] == expected for at in range(1, len(shape) - count))


def groups_fit(c: Call) -> None:
    """Raises a fault unless `num_groups` divides the channels."""
    tensor, groups = c.tensor("input"), c.dim("num_groups")
    if tensor is None or tensor.shape is None:
        return
    if len(tensor.shape) < 2:
        raise c.broken(
            FaultKind.RANK, layer=layer_name(c), input=tensor, expected=(2,), at_least=True, got=tensor.rank
        )
    if isinstance(groups, int) and groups > 0 and dims.divides(groups, tensor.shape[1]) is Tri.NO:
        raise c.broken(
            FaultKind.SIZE, tensor.assumed - {"layout"}, layer=layer_name(c), input=tensor, reason="num_groups", size=tensor.shape[1],
            groups=groups,
        )  # fmt: skip


def at_least_3d(c: Call) -> None:
    tensor = c.tensor("input")
    if tensor is not None and tensor.rank is not None and tensor.rank < 3:
        raise c.broken(FaultKind.RANK, layer=layer_name(c), input=tensor, expected=(3, 4, 5), got=tensor.rank)


_BUFFERS = ("running_mean", "running_var", "weight", "bias")

BATCH_NORM = normalized(*_BUFFERS)
BATCH_NORM_FAULTS = (channels_agree(*_BUFFERS), more_than_one_value)
LAYER_NORM = normalized("weight", "bias", layout=always_row_major)
RMS_NORM = normalized("weight", layout=always_row_major, mixed="any")
GROUP_NORM = normalized("weight", "bias")
GROUP_NORM_FAULTS = (groups_fit, channels_agree("weight", "bias"))
INSTANCE_NORM = normalized(*_BUFFERS, layout=lambda c, shape: _row_major_of_row_major(c))
INSTANCE_NORM_FAULTS = (channels_agree(*_BUFFERS),)


def local_response_normalized(c: Call) -> Value:
    """Pools squares over neighbouring channels; an input without elements is returned itself."""
    tensor = c.tensor("input")
    if tensor is None or 0 in (tensor.shape or ()):
        return tensor or UNKNOWN_VALUE
    dtype = one_dtype(c, tensor)
    dtype = dtype if dtype in FLOATING else None
    layout = KEEPS_MEMORY_FORMAT(c, tensor.shape)
    return c.make(
        tensor.shape, dtype, tensor.device, layout, c.fresh_storage(), through_of("input")(c, dtype)
    )


def _row_major_of_row_major(c: Call) -> Layout:
    tensor = c.tensor("input")
    return ROW_MAJOR if tensor is not None and tensor.layout is ROW_MAJOR else None


TABLE.row(
    "torch.nn.functional.batch_norm",
    signature="input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05",
    faults=BATCH_NORM_FAULTS, opinfo="nn.functional.batch_norm", result=BATCH_NORM,
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.layer_norm", signature="input, normalized_shape, weight=None, bias=None, eps=1e-05",
    faults=[trailing_sizes_agree], opinfo="nn.functional.layer_norm", result=LAYER_NORM,
)  # fmt: skip
TABLE.row(
    "torch.layer_norm", faults=[trailing_sizes_agree], result=LAYER_NORM,
    signature="input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True",
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.rms_norm", "torch.rms_norm", signature="input, normalized_shape, weight=None, eps=None",
    faults=[trailing_sizes_agree], opinfo="nn.functional.rms_norm", since="2.4", result=RMS_NORM,
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.group_norm", signature="input, num_groups, weight=None, bias=None, eps=1e-05",
    faults=GROUP_NORM_FAULTS, opinfo="nn.functional.group_norm", result=GROUP_NORM,
)  # fmt: skip
TABLE.row(
    "torch.group_norm", faults=GROUP_NORM_FAULTS, result=GROUP_NORM,
    signature="input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True",
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.instance_norm", faults=INSTANCE_NORM_FAULTS, opinfo="nn.functional.instance_norm",
    signature="input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, "
    "eps=1e-05", result=INSTANCE_NORM,
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.local_response_norm", signature="input, size, alpha=0.0001, beta=0.75, k=1.0",
    faults=[at_least_3d], opinfo="nn.functional.local_response_norm", result=local_response_normalized,
)  # fmt: skip
