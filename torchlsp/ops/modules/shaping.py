"""Defines layers that rearrange or resize: Flatten, Unflatten, PixelShuffle, padding, Upsample, Fold; and
distances."""

from __future__ import annotations

from torchlsp.facts.values import FALSE, NONE, TRUE, UNKNOWN_VALUE, Scalar, TupleValue, Unknown, Value
from torchlsp.ops.call import Call, LayerCall, ResultColumn
from torchlsp.ops.parameters import by_functional
from torchlsp.ops.table import LAYERS, TABLE

_F = "torch.nn.functional."


def _plain(name: str, functional: str, signature: str, forward: str = "input", **fixed: Value) -> None:
    LAYERS.row(
        f"torch.nn.{name}", signature=signature, forward=forward, owns_parameters=False,
        result=by_functional(functional, **fixed),
    )  # fmt: skip


_plain("Flatten", "torch.flatten", "start_dim=1, end_dim=-1")
_plain("PixelShuffle", f"{_F}pixel_shuffle", "upscale_factor")
_plain("PixelUnshuffle", f"{_F}pixel_unshuffle", "downscale_factor")
_plain("ChannelShuffle", f"{_F}channel_shuffle", "groups")
_plain("Fold", f"{_F}fold", "output_size, kernel_size, dilation=1, padding=0, stride=1")
_plain("Unfold", f"{_F}unfold", "kernel_size, dilation=1, padding=0, stride=1")
_plain("CosineSimilarity", f"{_F}cosine_similarity", "dim=1, eps=1e-08", "x1, x2")
_plain("PairwiseDistance", f"{_F}pairwise_distance", "p=2.0, eps=1e-06, keepdim=False", "x1, x2")


def _unflatten(c: LayerCall) -> Value:
    row = TABLE.rows.get("torch.unflatten")
    if row is None:
        return UNKNOWN_VALUE
    sizes = c.layer.value("unflattened_size")
    bound = {"input": c.value("input"), "dim": c.layer.value("dim"), "sizes": sizes, "shape": sizes}
    value, faults = row.run(Call(c.name, bound, c.context, c.layer))
    c.faults.extend(faults)
    return value


LAYERS.row("torch.nn.Unflatten", signature="dim, unflattened_size", owns_parameters=False, result=_unflatten)

# ---- padding ------------------------------------------------------------------------------------------------------------


def _padded(rank: int, mode: str) -> ResultColumn[LayerCall]:
    def result(c: LayerCall) -> Value:
        given = c.layer.value("padding")
        if isinstance(given, Scalar):
            given = TupleValue((given,) * (2 * rank))
        elif isinstance(given, Unknown):
            given = UNKNOWN_VALUE  # one number or one for every side
        fill = c.layer.value("value") if mode == "constant" and "value" in c.layer.config else NONE
        return by_functional(f"{_F}pad", pad=given, mode=Scalar("str", mode), value=fill)(c)

    return result


for _rank in (1, 2, 3):
    for _name, _mode, _signature in (
        ("ZeroPad", "constant", "padding"),
        ("ConstantPad", "constant", "padding, value"),
        ("ReflectionPad", "reflect", "padding"),
        ("ReplicationPad", "replicate", "padding"),
        ("CircularPad", "circular", "padding"),
    ):
        LAYERS.row(
            f"torch.nn.{_name}{_rank}d", signature=_signature, owns_parameters=False, result=_padded(_rank, _mode),
            moduleinfo=f"nn.{_name}{_rank}d",
        )  # fmt: skip

# ---- resizing -----------------------------------------------------------------------------------------------------------

_plain(
    "Upsample", f"{_F}interpolate",
    "size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None",
)  # fmt: skip
_plain(
    "UpsamplingNearest2d", f"{_F}interpolate", "size=None, scale_factor=None", mode=Scalar("str", "nearest"),
    align_corners=NONE, recompute_scale_factor=NONE, antialias=FALSE,
)  # fmt: skip
_plain(
    "UpsamplingBilinear2d", f"{_F}interpolate", "size=None, scale_factor=None", mode=Scalar("str", "bilinear"),
    align_corners=TRUE, recompute_scale_factor=NONE, antialias=FALSE,
)  # fmt: skip
