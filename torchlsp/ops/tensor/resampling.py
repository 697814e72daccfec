"""Evaluates operators on the spatial dims of images: pad, interpolate, grid_sample, pixel_shuffle, unfold and
fold."""

from __future__ import annotations

from math import floor

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Scalar, Value, as_dim
from torchlsp.ops.call import Call, are_known
from torchlsp.ops.columns import (
    common_device,
    one_dtype,
    rank_is,
    rank_is_at_least,
    tensor_or_unknown,
    through,
    widened,
    written_anew,
    written_like,
)
from torchlsp.ops.parameters import keeps_memory_format, per_dim
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.convolution import window_output
from torchlsp.ops.tensor.reordering import of_input


def _in_input_format(c: Call, tensor: TensorFact, shape: Shape) -> TensorFact:
    """Returns a copy in the memory format of the input."""
    layout = keeps_memory_format("input")(c, shape)
    dtype = widened(c, tensor.dtype)
    return c.make(shape, dtype, tensor.device, layout, c.fresh_storage(), through(c, dtype))


# ---- pad ----------------------------------------------------------------------------------------------------------------

NON_CONSTANT_MODES = ("reflect", "replicate", "circular")


def _pad(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates padding by amounts from the last dim backwards, two a dim; negative ones crop."""
    pads = c.sizes("pad")
    mode = c.text("mode")
    if pads is None:
        return _in_input_format(c, tensor, None).but(layout=None)
    count = len(pads) // 2
    if len(pads) % 2 or (tensor.rank is not None and count > tensor.rank):
        raise c.broken(FaultKind.ARGUMENT, argument="pad", value=pads, input=tensor)
    if (
        mode in NON_CONSTANT_MODES
        and tensor.rank is not None
        and count not in (tensor.rank - 1, tensor.rank - 2)
    ):
        raise c.broken(FaultKind.RANK, input=tensor, expected=(count + 1, count + 2), got=tensor.rank)
    if tensor.shape is None:
        return _in_input_format(c, tensor, None)
    sizes = list(tensor.shape)
    for i in range(count):
        dim = len(sizes) - 1 - i
        before, after = pads[2 * i : 2 * i + 2]
        if before is None or after is None:
            sizes[dim] = c.fresh(dim)
            continue
        old, new = sizes[dim], sizes[dim] + before + after
        if isinstance(new, int) and new < 0:
            raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, size=old, pad=(before, after))
        if mode == "reflect" and isinstance(old, int) and _is_reflection_too_wide(old, before, after):
            raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, size=old, pad=(before, after))
        sizes[dim] = new
    return _in_input_format(c, tensor, tuple(sizes))


def _is_reflection_too_wide(size: int, before: Dim, after: Dim) -> bool:
    """Returns whether a reflection adds on a side at least as many elements as there are: torch refuses it."""
    return any(isinstance(amount, int) and amount >= size for amount in (before, after))


TABLE.row(
    "torch.nn.functional.pad",
    signature="input, pad, mode='constant', value=None", result=of_input(_pad), opinfo="nn.functional.pad",
)  # fmt: skip


# ---- interpolate --------------------------------------------------------------------------------------------------------

RANKS_OF_MODE = {
    "linear": (3,), "bilinear": (4,), "bicubic": (4,), "trilinear": (5,), "nearest": (3, 4, 5), "area": (3, 4, 5),
    "nearest-exact": (3, 4, 5),
}  # fmt: skip


def _interpolate(c: Call, tensor: TensorFact) -> TensorFact:
    mode = c.text("mode")
    rank_is(c, tensor, *RANKS_OF_MODE.get(mode or "", (3, 4, 5)))
    if tensor.dtype is not None and tensor.dtype not in dtypes.FLOATING and tensor.dtype != "u8":
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")
    size, scale = c.given("size"), c.given("scale_factor")
    if (size is Tri.YES and scale is Tri.YES) or (size is Tri.NO and scale is Tri.NO):
        raise c.broken(FaultKind.ARGUMENT, argument="size", value=None, input=tensor)
    if tensor.shape is None:
        return _in_input_format(c, tensor, None).but(layout=None)
    spatial = len(tensor.shape) - 2
    found: tuple[Dim | None, ...]
    if size is Tri.YES:
        _require_one_per_dim(c, tensor, "size", spatial)
        found = per_dim(c, "size", spatial) or (None,) * spatial
    elif scale is Tri.YES:
        found = _scaled(c, tensor, tensor.shape[2:])
    else:
        found = (None,) * spatial
    sizes = tuple(c.fresh(i) if one is None else one for i, one in enumerate(found))
    return _in_input_format(c, tensor, (*tensor.shape[:2], *sizes))


def _require_one_per_dim(c: Call, tensor: TensorFact, name: str, spatial: int) -> None:
    """Refuses a sequence of sizes or scales without exactly one for each spatial dim. A single number is for
    all."""
    items = c.items(name)
    if items is not None and len(items) != spatial:
        raise c.broken(FaultKind.ARGUMENT, argument=name, value=tuple(as_dim(i) for i in items), input=tensor)


def _scaled(c: Call, tensor: TensorFact, sizes: tuple[Dim, ...]) -> tuple[Dim | None, ...]:
    """Returns the spatial sizes times the `scale_factor`."""
    _require_one_per_dim(c, tensor, "scale_factor", len(sizes))
    items = c.items("scale_factor")
    factors = (c.value("scale_factor"),) * len(sizes) if items is None else items
    return tuple(scaled_size(size, factor) for size, factor in zip(sizes, factors, strict=True))


def scaled_size(size: Dim, factor: Value) -> Dim | None:
    """Returns `floor(size * factor)`; of a symbolic size for whole factors and for parts of 1."""
    if not isinstance(factor, Scalar) or factor.kind not in ("int", "float") or factor.value is None:
        return None
    number = factor.value
    if isinstance(number, int):
        return size * number
    if not isinstance(number, float):
        return size * number if factor.kind == "int" else None
    if isinstance(size, int):
        return floor(float(size) * number)
    if number == int(number):
        return size * int(number)
    part = round(1 / number) if number > 0 else 0
    # only powers of two are exact in floating point, whatever the size
    return size // part if part and 1 / part == number and part & (part - 1) == 0 else None


_INTERPOLATE = "input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, antialias=False"
TABLE.row(
    "torch.nn.functional.interpolate",
    signature=_INTERPOLATE, result=of_input(_interpolate), opinfo="nn.functional.interpolate",
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.upsample",
    signature="input, size=None, scale_factor=None, mode='nearest', align_corners=None",
    result=of_input(_interpolate), opinfo="nn.functional.interpolate",
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.upsample_nearest",
    signature="input, size=None, scale_factor=None, mode='nearest'", result=of_input(_interpolate),
    opinfo="nn.functional.upsample_nearest",
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.upsample_bilinear",
    signature="input, size=None, scale_factor=None, mode='bilinear'", result=of_input(_interpolate),
    opinfo="nn.functional.upsample_bilinear",
)  # fmt: skip


# ---- grid_sample and affine_grid ----------------------------------------------------------------------------------------


def _grid_sample(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `(N, C, *in), (N, *out, k)` to `(N, C, *out)` for k = 2 or 3 spatial dims."""
    grid = tensor_or_unknown(c, "grid")
    rank_is(c, tensor, 4, 5)
    rank_is(c, grid, *((tensor.rank,) if tensor.rank is not None else (4, 5)))
    if (
        grid.shape is not None
        and tensor.rank is not None
        and dims.equal(grid.shape[-1], tensor.rank - 2) is Tri.NO
    ):
        raise c.broken(FaultKind.SIZE, input=grid, dim=-1, size=grid.shape[-1], expected=tensor.rank - 2)
    shape: Shape = None
    if tensor.shape is not None and grid.shape is not None:
        if dims.equal(tensor.shape[0], grid.shape[0]) is Tri.NO:
            raise c.broken(FaultKind.SIZE, input=grid, dim=0, size=grid.shape[0], expected=tensor.shape[0])
        shape = (*tensor.shape[:2], *grid.shape[1:-1])
    dtype = one_dtype(c, tensor, c.value("grid"))
    return written_anew(c, shape, dtype, common_device(c, [tensor, grid]))


TABLE.row(
    "torch.nn.functional.grid_sample",
    signature="input, grid, mode='bilinear', padding_mode='zeros', align_corners=None",
    result=of_input(_grid_sample), opinfo="nn.functional.grid_sample",
)  # fmt: skip


def _affine_grid(c: Call) -> Value:
    """Evaluates `(N, k, k + 1)` matrices to `(N, *spatial, k)` for a size `(N, C, *spatial)`."""
    theta, size = tensor_or_unknown(c, "theta"), c.sizes("size")
    if theta.dtype is not None and theta.dtype not in dtypes.FLOATING:
        raise c.broken(FaultKind.DTYPE, input=theta, dtype=theta.dtype, expected="floating")
    if size is None:
        return c.make(None, theta.dtype, theta.device)
    rank_is(c, theta, 3)
    if len(size) not in (4, 5):
        raise c.broken(FaultKind.ARGUMENT, argument="size", value=size, input=theta)
    sizes = tuple(c.fresh(i) if one is None else one for i, one in enumerate(size))
    shape = (sizes[0], *sizes[2:], len(size) - 2)
    return c.make(shape, theta.dtype, theta.device, None, c.fresh_storage(), through(c, theta.dtype))


TABLE.row(
    "torch.nn.functional.affine_grid",
    signature="theta, size, align_corners=None", result=_affine_grid,
)  # fmt: skip


# ---- pixel_shuffle, channel_shuffle -------------------------------------------------------------------------------------


def _multiple(c: Call, tensor: TensorFact, sizes: tuple[Dim, ...], dim: int, of: Dim) -> Dim:
    """Returns how many times a size holds `of`; a size that is certainly not a multiple is a fault."""
    size = sizes[dim]
    if isinstance(size, int) and isinstance(of, int) and of != 0 and size % of:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, size=size, multiple_of=of)
    return dims.floor_divide(size, of)


def _pixel_shuffle(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `(*B, C * r**2, H, W)` to `(*B, C, H * r, W * r)`."""
    rank_is_at_least(c, tensor, 3)
    factor = c.dim("upscale_factor")
    if isinstance(factor, int) and factor <= 0:
        raise c.broken(FaultKind.ARGUMENT, argument="upscale_factor", value=factor)
    shape: Shape = None
    if tensor.shape is not None and factor is not None:
        channels = _multiple(c, tensor, tensor.shape, -3, factor * factor)
        shape = (*tensor.shape[:-3], channels, tensor.shape[-2] * factor, tensor.shape[-1] * factor)
    return written_like(c, shape, tensor.dtype, tensor.device)


def _pixel_unshuffle(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `(*B, C, H * r, W * r)` to `(*B, C * r**2, H, W)`."""
    rank_is_at_least(c, tensor, 3)
    factor = c.dim("downscale_factor")
    if isinstance(factor, int) and factor <= 0:
        raise c.broken(FaultKind.ARGUMENT, argument="downscale_factor", value=factor)
    shape: Shape = None
    if tensor.shape is not None and factor is not None:
        height, width = (
            _multiple(c, tensor, tensor.shape, -2, factor),
            _multiple(c, tensor, tensor.shape, -1, factor),
        )
        shape = (*tensor.shape[:-3], tensor.shape[-3] * factor * factor, height, width)
    return written_like(c, shape, tensor.dtype, tensor.device)


TABLE.row(
    "torch.nn.functional.pixel_shuffle", "torch.pixel_shuffle",
    signature="input, upscale_factor", result=of_input(_pixel_shuffle), opinfo="nn.functional.pixel_shuffle",
)  # fmt: skip
TABLE.row(
    "torch.nn.functional.pixel_unshuffle", "torch.pixel_unshuffle",
    signature="input, downscale_factor", result=of_input(_pixel_unshuffle), opinfo="nn.functional.pixel_unshuffle",
)  # fmt: skip


def _channel_shuffle(c: Call, tensor: TensorFact) -> TensorFact:
    rank_is_at_least(c, tensor, 3)
    groups = c.dim("groups")
    if isinstance(groups, int) and groups <= 0:
        raise c.broken(FaultKind.ARGUMENT, argument="groups", value=groups)
    if tensor.shape is not None and groups is not None:
        _multiple(c, tensor, tensor.shape, 1, groups)
    made = written_like(c, tensor.shape, tensor.dtype, tensor.device)
    return made.but(storage=tensor.storage.join(made.storage), grad=made.grad.join(tensor.grad))


TABLE.row(
    "torch.nn.functional.channel_shuffle", "torch.channel_shuffle",
    signature="input, groups", result=of_input(_channel_shuffle), opinfo="nn.functional.channel_shuffle",
)  # fmt: skip


# ---- unfold and fold ----------------------------------------------------------------------------------------------------


def _windows(c: Call, sizes: tuple[Dim, ...]) -> Dim | None:
    """Returns how many windows there are over all spatial dims."""
    options: list[tuple[Dim, ...]] = []
    for name in ("kernel_size", "stride", "padding", "dilation"):
        option = per_dim(c, name, 2)
        if option is None or not are_known(option):
            return None
        options.append(option)
    count: Dim = 1
    for size, kernel, stride, padding, dilation in zip(sizes, *options, strict=True):
        if any(isinstance(one, int) and one <= 0 for one in (kernel, stride, dilation)):
            return None
        fit = window_output(size, kernel, stride, padding, dilation)
        if isinstance(fit, int) and fit <= 0:
            return 0
        count = count * fit
    return count


def _unfold(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `(N, C, H, W)` to `(N, C * kernel, windows)`, a copy."""
    rank_is(c, tensor, 3, 4)
    shape: Shape = None
    if tensor.shape is not None:
        kernel, windows = per_dim(c, "kernel_size", 2), _windows(c, tensor.shape[-2:])
        if windows == 0 and 0 not in tensor.shape:
            raise c.broken(FaultKind.SIZE, input=tensor, kernel=kernel)
        block = c.fresh("block")
        if kernel is not None and are_known(kernel):
            block = tensor.shape[-3] * kernel[0] * kernel[1]
        shape = (*tensor.shape[:-3], block, c.fresh("windows") if windows is None else windows)
    return written_anew(c, shape, tensor.dtype, tensor.device)


TABLE.row(
    "torch.nn.functional.unfold",
    signature="input, kernel_size, dilation=1, padding=0, stride=1",
    result=of_input(_unfold), opinfo="nn.functional.unfold",
)  # fmt: skip


def _fold(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `(N, C * kernel, windows)` to `(N, C, *output_size)`."""
    rank_is(c, tensor, 2, 3)
    size, kernel = per_dim(c, "output_size", 2), per_dim(c, "kernel_size", 2)
    if tensor.shape is None or size is None or kernel is None:
        return written_anew(c, None, tensor.dtype, tensor.device)
    if not are_known(kernel) or not are_known(size):
        return written_anew(c, None, tensor.dtype, tensor.device)
    channels = _multiple(c, tensor, tensor.shape, -2, kernel[0] * kernel[1])
    windows = _windows(c, size)
    if windows is not None and dims.equal(windows, tensor.shape[-1]) is Tri.NO:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=-1, size=tensor.shape[-1], expected=windows)
    return written_anew(c, (*tensor.shape[:-2], channels, *size), tensor.dtype, tensor.device)


TABLE.row(
    "torch.nn.functional.fold",
    signature="input, output_size, kernel_size, dilation=1, padding=0, stride=1",
    result=of_input(_fold),
)  # fmt: skip
