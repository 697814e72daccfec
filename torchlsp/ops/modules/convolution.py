"""Defines Conv1d … ConvTranspose3d and their lazy forms, by the laws of `ops.tensor.convolution`."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, Value
from torchlsp.ops.call import Broken, Call, Columns, LayerCall, LayerState, ResultColumn, are_known
from torchlsp.ops.libraries.images import refuse_pictures
from torchlsp.ops.parameters import (
    features_agree,
    forwarded,
    optional_parameter,
    parameter,
    ranks_allowed,
    width,
    with_width,
)
from torchlsp.ops.table import LAYERS
from torchlsp.ops.tensor.convolution import convolution


def convolution_parameters(rank: int, transposed: bool) -> Callable[[LayerState], dict[str, Shape]]:
    """Makes the shapes of weight, (out, in/groups, *kernel) or transposed (in, out/groups, *kernel), and bias."""

    def parameters(state: LayerState) -> dict[str, Shape]:
        weight = _weight_shape(state, rank, transposed)
        found: dict[str, Shape] = {"weight": weight if are_known(weight) else None}
        if state.flag("bias"):
            out = state.dim("out_channels")
            found["bias"] = None if out is None else (out,)
        return found

    return parameters


def _weight_shape(state: LayerState, rank: int, transposed: bool) -> tuple[Dim | None, ...]:
    taken, given, groups = state.dim("in_channels"), state.dim("out_channels"), state.dim("groups")
    first, second = (taken, given) if transposed else (given, taken)
    per_group = None if second is None or groups is None or groups == 0 else dims.floor_divide(second, groups)
    return (first, per_group, *(state.pair("kernel_size", rank) or (None,) * rank))


def forward(rank: int, transposed: bool) -> ResultColumn[LayerCall]:
    """Makes the result column: the functional form's result on the layer's parameters."""
    columns = convolution(rank, transposed)

    def _if_channels_agree(c: LayerCall, tensor: TensorFact) -> TensorFact | None:
        """Returns the result for an input with the channels that the layer takes; None where that is refused, too."""
        expected = c.layer.dim("in_channels")
        if tensor.shape is None or expected is None:
            return None
        right = tensor.but(shape=(*tensor.shape[: -rank - 1], expected, *tensor.shape[-rank:]))
        try:
            made = result(LayerCall(c.name, {**c.args, "input": right}, c.context, c.layer))
        except Broken:
            return None
        return made.but(origin=c.origin(tensor)) if isinstance(made, TensorFact) else None

    def result(c: LayerCall) -> Value:
        tensor, state = c.tensor("input"), c.layer
        if tensor is None:
            return UNKNOWN_VALUE
        ranks_allowed(c, tensor, rank + 1, rank + 2)
        channels = width(tensor, -rank - 1)
        if channels is not None:
            try:
                features_agree(c, tensor, channels, state.dim("in_channels"))
            except Broken as broken:
                made = _if_channels_agree(c, tensor)
                raise broken if made is None else broken.showing(made) from None
            refuse_pictures(c, tensor, channels, state.dim("in_channels"))
        known = _weight_shape(state, rank, transposed)
        weight = tuple(c.fresh(f"weight.{i}") if size is None else size for i, size in enumerate(known))
        out = state.dim("out_channels")
        bias = optional_parameter(state, "bias", None if out is None else (out,))
        call = forwarded(c, weight=parameter(state, weight), bias=bias)
        call.args.setdefault("padding_mode", NONE)
        shape = columns["shape"](call)
        if shape is not None and out is not None:
            shape = (*shape[: -rank - 1], out, *shape[-rank:])
        return with_width(c, _made(c, call, columns, tensor, shape), -rank - 1, out)

    return result


def _made(c: LayerCall, call: Call, columns: Columns, tensor: TensorFact, shape: Shape) -> TensorFact:
    dtype = columns["dtype"](call)
    device, layout = columns["device"](call), columns["layout"](call, shape)
    return c.make(
        shape, dtype, device, layout, c.fresh_storage(), columns["grad"](call, dtype), parents=(tensor,)
    )


_END = "bias=True, padding_mode='zeros', device=None, dtype=None"
_TRANSPOSED_END = "groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None"

for _rank in (1, 2, 3):
    for _lazy, _in in (("", "in_channels, "), ("Lazy", "")):
        LAYERS.row(
            f"torch.nn.{_lazy}Conv{_rank}d", moduleinfo=None if _lazy else f"nn.Conv{_rank}d",
            signature=f"{_in}out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, {_END}",
            parameters=convolution_parameters(_rank, False), result=forward(_rank, False),
        )  # fmt: skip
        LAYERS.row(
            f"torch.nn.{_lazy}ConvTranspose{_rank}d", moduleinfo=None if _lazy else f"nn.ConvTranspose{_rank}d",
            signature=f"{_in}out_channels, kernel_size, stride=1, padding=0, output_padding=0, {_TRANSPOSED_END}",
            forward="input, output_size=None", parameters=convolution_parameters(_rank, True),
            result=forward(_rank, True),
        )  # fmt: skip
