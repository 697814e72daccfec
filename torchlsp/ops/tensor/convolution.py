"""Evaluates convolutions: sizes by the output formula, also with symbols; channels, ranks and dtypes that
must agree.

Source: torch.nn.Conv2d, torch.nn.ConvTranspose2d (torch 2.13) and `check_shape_forward` in ATen/native/Convolution.cpp.
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, Scalar
from torchlsp.ops.call import Call, Columns, are_known
from torchlsp.ops.columns import fresh, one_dtype, through_of
from torchlsp.ops.parameters import (
    at_least,
    features_agree,
    keeps_memory_format,
    layer_name,
    per_dim,
    ranks_allowed,
    reads_none,
    same_place,
)
from torchlsp.ops.table import TABLE

Sizes = tuple[Dim | None, ...] | None

_ZEROS = (NONE, Scalar("str", "zeros"))
"""What `padding_mode` is where the padding is that of the operator itself."""


def window_output(size: Dim, kernel: Dim, stride: Dim, padding: Dim, dilation: Dim) -> Dim:
    """Returns how many windows fit: `(size + 2*padding - dilation*(kernel - 1) - 1) // stride + 1`."""
    return dims.floor_divide(size + 2 * padding - dilation * (kernel - 1) - 1, stride) + 1


def convolution(rank: int, transposed: bool = False) -> Columns:
    """Makes the columns of a convolution over `rank` spatial dims.

    `c.layer` may be the layer that calls it.
    """

    def shape(c: Call) -> Shape:
        tensor, weight = c.tensor("input"), c.tensor("weight")
        ranks_allowed(c, tensor, rank + 1, rank + 2)
        at_least(c, stride=1, padding=0, dilation=1)
        if tensor is None or tensor.shape is None:
            return None
        weight_shape: Shape = None
        if weight is not None and weight.shape is not None:
            if weight.rank != rank + 2:
                raise c.broken(FaultKind.RANK, input=weight, expected=(rank + 2,), got=weight.rank)
            weight_shape = weight.shape
        groups = c.dim("groups")
        channels = tensor.shape[-rank - 1]
        features_agree(c, tensor, channels, _channels_taken(weight_shape, groups, transposed))
        out = _channels_given(weight_shape, groups, transposed)
        kernel: Sizes = weight_shape[2:] if weight_shape is not None else None
        sizes = _spatial(c, tensor, tensor.shape[-rank:], kernel, rank, transposed)
        out_channels = c.fresh("channels") if out is None else out
        spatial = tuple(c.fresh(i) if size is None else size for i, size in enumerate(sizes))
        return (*tensor.shape[: -rank - 1], out_channels, *spatial)

    def device(c: Call) -> Device | None:
        if c.tensor("input") is None or c.tensor("weight") is None:
            return None
        return same_place(c, c.tensor("input"), c.tensor("weight"), c.tensor("bias"))

    def dtype(c: Call) -> DType | None:
        if c.tensor("input") is None:
            return None
        return one_dtype(c, *map(c.value, ("input", "weight", "bias")))

    def layout(c: Call, result: Shape) -> Layout:
        tensor, weight = c.tensor("input"), c.tensor("weight")
        if tensor is None or weight is None or c.args.get("padding_mode", NONE) not in _ZEROS:
            return None
        found = keeps_memory_format("input", "weight")(c, result)
        return found if rank == 2 or found is ROW_MAJOR else None

    return {
        "shape": shape, "device": device, "dtype": dtype, "layout": layout, "storage": fresh,
        "grad": through_of("input", "weight", "bias"),
    }  # fmt: skip


def _channels_taken(weight: Shape, groups: Dim | None, transposed: bool) -> Dim | None:
    if weight is None:
        return None
    if transposed:
        return weight[0]
    return None if groups is None else weight[1] * groups


def _channels_given(weight: Shape, groups: Dim | None, transposed: bool) -> Dim | None:
    if weight is None:
        return None
    if not transposed:
        return weight[0]
    return None if groups is None else weight[1] * groups


def _spatial(
    c: Call, tensor: TensorFact, sizes: tuple[Dim, ...], kernel: Sizes, rank: int, transposed: bool
) -> tuple[Dim | None, ...]:
    """Returns the spatial sizes of the result, for those of the input."""
    stride, dilation = per_dim(c, "stride", rank), per_dim(c, "dilation", rank)
    word = c.text("padding")
    if word == "same":
        if stride is not None and any(isinstance(step, int) and step != 1 for step in stride):
            raise c.broken(
                FaultKind.ARGUMENT, layer=layer_name(c), argument="padding", value="same", stride=stride
            )
        return sizes
    padding = (0,) * rank if word == "valid" else per_dim(c, "padding", rank)
    if transposed:
        return _transposed_sizes(c, sizes, kernel, stride, padding, dilation, rank)
    if kernel is None or stride is None or padding is None or dilation is None:
        return (None,) * rank
    found: list[Dim | None] = []
    for size, window, step, pad, gap in zip(sizes, kernel, stride, padding, dilation, strict=True):
        if window is None or step is None or pad is None or gap is None:
            found.append(None)
            continue
        room = size + 2 * pad - gap * (window - 1) - 1
        if isinstance(room, int) and room < 0:
            raise c.broken(
                FaultKind.SIZE, tensor.assumed - {"layout"}, layer=layer_name(c), input=tensor, reason="kernel", size=size,
                kernel=gap * (window - 1) + 1, padding=pad,
            )  # fmt: skip
        found.append(window_output(size, window, step, pad, gap))
    return tuple(found)


def _transposed_sizes(
    c: Call,
    sizes: tuple[Dim, ...],
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    rank: int,
) -> tuple[Dim | None, ...]:
    if "output_size" in c.args and not reads_none(c.value("output_size")):
        given = c.sizes("output_size")
        return given[-rank:] if given is not None and len(given) >= rank else (None,) * rank
    extra = per_dim(c, "output_padding", rank)
    found: list[Dim | None] = []
    for i, size in enumerate(sizes):
        options = [
            option[i] if option is not None else None for option in (kernel, stride, padding, dilation, extra)
        ]
        if not are_known(options):
            found.append(None)
            continue
        window, step, pad, gap, more = options
        found.append((size - 1) * step - 2 * pad + gap * (window - 1) + more + 1)
    return tuple(found)


def groups_divide(c: Call) -> None:
    """Raises a fault for channels that `groups` does not divide."""
    weight, groups = c.tensor("weight"), c.dim("groups")
    if weight is not None and weight.shape and dims.equal(groups or 1, 0) is Tri.NO:
        if dims.divides(groups if groups is not None else 1, weight.shape[0]) is Tri.NO:
            raise c.broken(
                FaultKind.ARGUMENT, layer=layer_name(c), argument="groups", value=groups, weight=weight
            )


for _rank in (1, 2, 3):
    TABLE.row(
        f"torch.nn.functional.conv{_rank}d", f"torch.conv{_rank}d",
        signature="input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1",
        faults=[groups_divide], opinfo=f"nn.functional.conv{_rank}d", **convolution(_rank),
    )  # fmt: skip
    TABLE.row(
        f"torch.nn.functional.conv_transpose{_rank}d", f"torch.conv_transpose{_rank}d",
        signature="input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1",
        faults=[groups_divide], opinfo=f"nn.functional.conv_transpose{_rank}d", **convolution(_rank, transposed=True),
    )  # fmt: skip
