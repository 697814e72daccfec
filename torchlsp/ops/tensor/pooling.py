"""Computes the results of pooling: sizes by the formula of windows or as asked for, and the pair with indices.

Source: `pooling_output_shape` in ATen/native/Pool.h (torch 2.13).
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import TRUE, UNKNOWN_VALUE, Scalar, TupleValue, Value
from torchlsp.ops.call import Call, ResultColumn
from torchlsp.ops.columns import through_of, widened
from torchlsp.ops.parameters import (
    another_storage,
    at_least,
    keeps_memory_format,
    layer_name,
    per_dim,
    ranks_allowed,
    reads_none,
)
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.convolution import window_output

Sizes = tuple[Dim | None, ...] | None


SizesOf = Callable[[Call, TensorFact, tuple[Dim, ...]], tuple[Dim | None, ...]]


def pooled(rank: int, sizes_of: SizesOf, is_mean: bool = False) -> ResultColumn[Call]:
    """Makes the function that computes the result of a pool over the last `rank` dims.

    `sizes_of(c, tensor, sizes)` gives their sizes afterwards. `is_mean`: down to sizes of 1 it is `mean()`, which takes tensors of
    any more dims.

    With `return_indices` the result is a pair; when that is not known, neither is the result.
    """

    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        if not (is_mean and _is_plain_mean(c, tensor, rank)):
            ranks_allowed(c, tensor, rank + 1, rank + 2)
        if c.int("divisor_override") == 0:
            raise c.broken(FaultKind.ARGUMENT, layer=layer_name(c), argument="divisor_override", value=0)
        if tensor is None:
            return UNKNOWN_VALUE
        shape: Shape = None
        if tensor.shape is not None:
            sizes = sizes_of(c, tensor, tensor.shape[-rank:])
            spatial = tuple(c.fresh(i) if size is None else size for i, size in enumerate(sizes))
            shape = (*tensor.shape[:-rank], *spatial)
        layout = keeps_memory_format("input")(c, shape) if rank == 2 or tensor.rank != 4 else None
        dtype = widened(c, tensor.dtype)
        grad = through_of("input")(c, dtype)
        pool = c.make(shape, dtype, tensor.device, layout, c.fresh_storage(), grad, parents=(tensor,))
        if "return_indices" not in c.args:
            return pool
        returns_indices = c.flag("return_indices")
        if returns_indices is None:
            return UNKNOWN_VALUE
        if not returns_indices:
            return pool
        indices = c.make(
            shape, "i64", tensor.device, layout, another_storage(c, 1), NO_GRAD, parents=(tensor,)
        )
        return TupleValue((pool, indices))

    return result


def _is_plain_mean(c: Call, tensor: TensorFact | None, rank: int) -> bool:
    """Returns whether an adaptive pool may be the mean over the last dims: to 1 of as many dims, to a tuple of 1 of more."""
    given = c.sizes("output_size")
    if given is not None and any(size != 1 for size in given):
        return False
    least = rank if c.int("output_size") is not None or given is None else rank + 1
    return tensor is not None and tensor.rank is not None and tensor.rank >= least


def with_indices(result: ResultColumn[Call]) -> ResultColumn[Call]:
    """Makes the result column of the form that always returns the pair."""
    return lambda c: result(Call(c.name, {**c.args, "return_indices": TRUE}, c.context, c.layer))


def kernel_stride(c: Call, rank: int) -> tuple[Sizes, Sizes]:
    """Returns kernel and stride, which is the kernel where it is not given."""
    kernel = per_dim(c, "kernel_size", rank)
    given = c.given("stride")
    if given is Tri.NO or c.items("stride") == ():
        return kernel, kernel
    return kernel, per_dim(c, "stride", rank)


def windows(rank: int, is_padded: bool = True) -> SizesOf:
    """Makes the function that gives the sizes after a pool with windows."""

    def sizes(c: Call, tensor: TensorFact, spatial: tuple[Dim, ...]) -> tuple[Dim | None, ...]:
        kernel, stride = kernel_stride(c, rank)
        padding = per_dim(c, "padding", rank) if is_padded else (0,) * rank
        dilation = per_dim(c, "dilation", rank) if "dilation" in c.args else (1,) * rank
        ceil = c.flag("ceil_mode")
        at_least(c, kernel_size=1, stride=1, padding=0, dilation=1)
        if kernel is None or stride is None or padding is None or dilation is None or ceil is None:
            return (None,) * rank
        found: list[Dim | None] = []
        for size, window, step, pad, gap in zip(spatial, kernel, stride, padding, dilation, strict=True):
            if window is None or step is None or pad is None or gap is None:
                found.append(None)
                continue
            if (
                isinstance(window, int)
                and isinstance(pad, int)
                and isinstance(gap, int)
                and pad > (gap * (window - 1) + 1) // 2
            ):
                raise c.broken(
                    FaultKind.ARGUMENT, layer=layer_name(c), argument="padding", value=pad, kernel=window
                )
            found.append(_window_count(c, tensor, size, window, step, pad, gap, ceil))
        return tuple(found)

    return sizes


def _window_count(
    c: Call, tensor: TensorFact, size: Dim, window: Dim, step: Dim, pad: Dim, gap: Dim, ceil: bool
) -> Dim | None:
    if not ceil or step == 1:
        count: Dim | None = window_output(size, window, step, pad, gap)
    elif not (
        isinstance(window, int) and isinstance(step, int) and isinstance(pad, int) and isinstance(gap, int)
    ):
        return None
    elif isinstance(size, int):
        count = window_output(size + step - 1, window, step, pad, gap)
        # the last window must start inside the input or its left padding
        if isinstance(count, int) and (count - 1) * step >= size + pad:
            count -= 1
    elif step <= gap * (window - 1) + 1 - pad:
        count = window_output(size + step - 1, window, step, pad, gap)  # the last window always starts inside
    else:
        return None
    if isinstance(count, int) and count <= 0:
        raise c.broken(
            FaultKind.SIZE, tensor.assumed - {"layout"}, layer=layer_name(c), input=tensor, reason="kernel", size=size,
            kernel=gap * (window - 1) + 1, padding=pad,
        )  # fmt: skip
    return count


def adaptive(rank: int) -> SizesOf:
    """Makes the function that gives the sizes as requested; None keeps the input's."""

    def sizes(c: Call, tensor: TensorFact, spatial: tuple[Dim, ...]) -> tuple[Dim | None, ...]:
        value = c.value("output_size")
        at_least(c, output_size=0)
        given = c.sizes("output_size")
        if given == ():
            raise c.broken(FaultKind.ARGUMENT, layer=layer_name(c), argument="output_size", value=())
        items = c.items("output_size") if given is None or len(given) > 1 else None
        if given is None or (items is None and len(given) != 1) or len(given) not in (1, rank):
            return spatial if reads_none(value) else (None,) * rank
        if items is None:
            return given * rank
        keeps = [reads_none(item) for item in items]
        if len(items) == 1:
            given, keeps = given * rank, keeps * rank
        return tuple(old if keep else size for old, size, keep in zip(spatial, given, keeps, strict=True))

    return sizes


def unpooled(rank: int) -> SizesOf:
    """Makes the function that gives the sizes after max_unpool.

    Without `output_size` each is the smallest input size that the pool would map to this size.
    """

    def sizes(c: Call, tensor: TensorFact, spatial: tuple[Dim, ...]) -> tuple[Dim | None, ...]:
        indices = c.tensor("indices")
        if indices is not None and shapes.same(indices.shape, tensor.shape) is Tri.NO:
            raise c.broken(
                FaultKind.SIZE, layer=layer_name(c), input=tensor, target=indices, reason="indices"
            )
        if not reads_none(c.value("output_size")):
            given = c.sizes("output_size")
            return given[-rank:] if given is not None and len(given) >= rank else (None,) * rank
        kernel, stride = kernel_stride(c, rank)
        padding = per_dim(c, "padding", rank)
        if kernel is None or stride is None or padding is None:
            return (None,) * rank
        return tuple(
            None if window is None or step is None or pad is None else (size - 1) * step - 2 * pad + window
            for size, window, step, pad in zip(spatial, kernel, stride, padding, strict=True)
        )

    return sizes


def fractional(rank: int) -> SizesOf:
    """Makes the function that gives the sizes as passed, or the input's times a ratio, rounded down."""

    def sizes(c: Call, tensor: TensorFact, spatial: tuple[Dim, ...]) -> tuple[Dim | None, ...]:
        if c.given("output_size") is Tri.YES:
            return per_dim(c, "output_size", rank) or (None,) * rank
        items = c.items("output_ratio")
        value = c.value("output_ratio")
        ratios = [
            item.value if isinstance(item, Scalar) else None
            for item in (items if items is not None else (value,) * rank)
        ]
        if len(ratios) != rank:
            return (None,) * rank
        return tuple(
            int(size * ratio) if isinstance(size, int) and isinstance(ratio, float) else None
            for size, ratio in zip(spatial, ratios, strict=True)
        )

    return sizes


_MAX = "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False"
_AVG = "input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None"
_FUNCTIONAL = "torch.nn.functional."

for _rank in (1, 2, 3):
    _windowed = pooled(_rank, windows(_rank))
    TABLE.row(
        f"{_FUNCTIONAL}max_pool{_rank}d",
        signature=_MAX,
        result=_windowed,
        opinfo=f"nn.functional.max_pool{_rank}d",
    )
    TABLE.row(
        f"torch.max_pool{_rank}d", result=_windowed,
        signature="input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False",
    )  # fmt: skip
    TABLE.row(
        f"{_FUNCTIONAL}max_pool{_rank}d_with_indices", signature=_MAX, result=with_indices(_windowed),
    )  # fmt: skip
    TABLE.row(
        f"{_FUNCTIONAL}adaptive_max_pool{_rank}d_with_indices", signature="input, output_size, return_indices=False",
        result=with_indices(pooled(_rank, adaptive(_rank))),
    )  # fmt: skip
    TABLE.row(
        f"{_FUNCTIONAL}avg_pool{_rank}d",
        signature=_AVG,
        result=_windowed,
        opinfo=f"nn.functional.avg_pool{_rank}d",
    )
    TABLE.row(
        f"{_FUNCTIONAL}lp_pool{_rank}d", signature="input, norm_type, kernel_size, stride=None, ceil_mode=False",
        result=pooled(_rank, windows(_rank, is_padded=False)),
    )  # fmt: skip
    TABLE.row(
        f"{_FUNCTIONAL}adaptive_avg_pool{_rank}d", signature="input, output_size",
        result=pooled(_rank, adaptive(_rank), is_mean=_rank > 1), opinfo=f"nn.functional.adaptive_avg_pool{_rank}d",
    )  # fmt: skip
    TABLE.row(
        f"{_FUNCTIONAL}adaptive_max_pool{_rank}d", signature="input, output_size, return_indices=False",
        result=pooled(_rank, adaptive(_rank)), opinfo=f"nn.functional.adaptive_max_pool{_rank}d",
    )  # fmt: skip
    TABLE.row(
        f"{_FUNCTIONAL}max_unpool{_rank}d", result=pooled(_rank, unpooled(_rank)), opinfo=f"nn.functional.max_unpool{_rank}d",
        signature="input, indices, kernel_size, stride=None, padding=0, output_size=None",
    )  # fmt: skip
TABLE.row("torch.max_pool1d_with_indices", signature=_MAX, result=with_indices(pooled(1, windows(1))))
TABLE.row(
    "torch.adaptive_max_pool1d", signature="input, output_size", result=with_indices(pooled(1, adaptive(1)))
)
TABLE.row("torch.avg_pool1d", signature=_AVG, result=pooled(1, windows(1)))
TABLE.row("torch.adaptive_avg_pool1d", signature="input, output_size", result=pooled(1, adaptive(1)))
for _rank in (2, 3):
    TABLE.row(
        f"{_FUNCTIONAL}fractional_max_pool{_rank}d", result=pooled(_rank, fractional(_rank)),
        signature="input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None",
        opinfo=f"nn.functional.fractional_max_pool{_rank}d",
    )  # fmt: skip
