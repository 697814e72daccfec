"""Evaluates operators that select parts of a tensor: narrow, select, split and similar ones, unbind, unfold,
diagonals, triangles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Repeated, TupleValue, Value, as_dim
from torchlsp.ops.call import Call, TensorLaw, are_ints, are_known
from torchlsp.ops.columns import normal_dim, rank_is, rank_is_at_least, same_shape, written_anew
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.reordering import of_input
from torchlsp.ops.tensor.shaping import viewed

MAX_TUPLE_LENGTH = 64
"""The maximum number of parts that are described one by one; more are described by one of them."""


def part(c: Call, tensor: TensorFact, dim: int, size: Dim, step: Dim = 1) -> TensorFact:
    """Returns the view with `size` of a dim's indices, `step` apart."""
    sizes, strides = tensor.shape, tensor.strides
    if sizes is None:
        return viewed(c, tensor, None, None)
    shape = (*sizes[:dim], size, *sizes[dim + 1 :])
    if shape == sizes and step == 1:
        return viewed(c, tensor, shape, tensor.layout)
    if strides is None:
        return viewed(c, tensor, shape, None)
    return viewed(
        c,
        tensor,
        shape,
        layouts.of_strides(shape, (*strides[:dim], strides[dim] * step, *strides[dim + 1 :])),
    )


def selected(c: Call, tensor: TensorFact, dim: int) -> TensorFact:
    """Returns the view at one index of a dim."""
    sizes, strides = tensor.shape, tensor.strides
    if sizes is None:
        return viewed(c, tensor, None, None)
    shape = sizes[:dim] + sizes[dim + 1 :]
    layout = None if strides is None else layouts.of_strides(shape, strides[:dim] + strides[dim + 1 :])
    return viewed(c, tensor, shape, layout)


def index_in_range(c: Call, tensor: TensorFact, dim: int, index: Dim | None, size: Dim) -> None:
    """Raises a fault when a known index lies outside a known size."""
    if isinstance(index, int) and isinstance(size, int) and not -size <= index < size:
        raise c.broken(FaultKind.INDEX, input=tensor, dim=dim, index=index, size=size)


def _needs_dims(c: Call, tensor: TensorFact) -> None:
    if tensor.rank == 0:
        raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=0)


# ---- narrow, select, unbind ---------------------------------------------------------------------------------------------


def _narrow(c: Call, tensor: TensorFact) -> TensorFact:
    _needs_dims(c, tensor)
    dim = normal_dim(c, "dim", tensor)
    length, start = c.dim("length"), c.dim("start")
    if isinstance(length, int) and length < 0:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, length=length)
    if dim is None or tensor.shape is None:
        return viewed(c, tensor, None, None)
    size = tensor.shape[dim]
    if isinstance(size, int) and isinstance(start, int):
        if not -size <= start <= size:
            raise c.broken(FaultKind.INDEX, input=tensor, dim=dim, index=start, size=size)
        start = start + size if start < 0 else start
    if isinstance(start, int) and start >= 0 and length is not None:
        over = start + length - size
        if isinstance(over, int) and over > 0:
            raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, start=start, length=length, size=size)
    return part(c, tensor, dim, c.fresh() if length is None else length)


TABLE.row(
    "torch.narrow", "Tensor.narrow",
    signature="input, dim: int, start, length", result=of_input(_narrow), opinfo="narrow",
)  # fmt: skip


def _select(c: Call, tensor: TensorFact) -> TensorFact:
    if tensor.rank == 0:
        raise c.broken(FaultKind.INDEX, input=tensor, dim=0, index=c.dim("index"), size=None)
    dim = normal_dim(c, "dim", tensor)
    if dim is None or tensor.shape is None:
        return viewed(c, tensor, None, None)
    index_in_range(c, tensor, dim, c.dim("index"), tensor.shape[dim])
    return selected(c, tensor, dim)


TABLE.row(
    "torch.select", "Tensor.select",
    signature="input, dim: int, index: int", result=of_input(_select), opinfo="select",
)  # fmt: skip


def parts_of(c: Call, count: Dim | None, one: TensorFact) -> Value:
    """Returns a tuple of `count` equal facts."""
    if isinstance(count, int) and count <= MAX_TUPLE_LENGTH:
        return TupleValue((one,) * count) if count >= 0 else Repeated(one)
    return Repeated(one, count)


def _unbind(c: Call, tensor: TensorFact) -> Value:
    _needs_dims(c, tensor)
    dim = normal_dim(c, "dim", tensor)
    if dim is None or tensor.shape is None:
        return Repeated(viewed(c, tensor, None, None))
    return parts_of(c, tensor.shape[dim], selected(c, tensor, dim))


TABLE.row(
    "torch.unbind",
    "Tensor.unbind",
    signature="input, dim: int = 0",
    result=of_input(_unbind),
    opinfo="unbind",
)


# ---- split, chunk, tensor_split -----------------------------------------------------------------------------------------


def in_parts(c: Call, tensor: TensorFact, dim: int, sizes: Sequence[Dim]) -> Value:
    if len(sizes) > MAX_TUPLE_LENGTH:
        same = sizes[0] if len(set(sizes)) == 1 else c.fresh()
        return Repeated(part(c, tensor, dim, same), len(sizes))
    return TupleValue(tuple(part(c, tensor, dim, size) for size in sizes))


def split_evenly(c: Call, tensor: TensorFact, dim: int, each: Dim) -> Value:
    """Returns parts of `each` along a dim, the last one smaller where the size is not a multiple of it."""
    if tensor.shape is None:
        return Repeated(viewed(c, tensor, None, None))
    size = tensor.shape[dim]
    if isinstance(size, int) and isinstance(each, int):
        if each < 0 or (each == 0 and size != 0):
            raise c.broken(
                FaultKind.SPLIT_SIZES, input=tensor, dim=dim, sizes=(each,), size=size, reason="negative"
            )
        if size == 0 or each == 0:
            return TupleValue((part(c, tensor, dim, size),))
        full, rest = divmod(size, each)
        if full > MAX_TUPLE_LENGTH:
            return Repeated(part(c, tensor, dim, c.fresh() if rest else each), full + bool(rest))
        return in_parts(c, tensor, dim, [each] * full + ([rest] if rest else []))
    count = dims.exact_quotient(size, each)
    if count is not None and count != 0:
        return parts_of(c, count, part(c, tensor, dim, each))
    return Repeated(part(c, tensor, dim, _part_size(c, size)))


def _part_size(c: Call, size: Dim) -> Dim:
    """Returns the size of one of several parts: generic where the whole is."""
    return c.free("part") if dims.is_generic_one(size) is Tri.NO and not isinstance(size, int) else c.fresh()


def split_sizes(c: Call, tensor: TensorFact, dim: int, sizes: tuple[Dim | None, ...]) -> Value:
    """Returns parts of the given sizes, which must sum to the dim's."""
    if tensor.shape is None:
        return TupleValue((viewed(c, tensor, None, None),) * len(sizes))
    size = tensor.shape[dim]
    if are_known(sizes):
        total: Dim = 0
        for one in sizes:
            total = total + one
        negative = any(isinstance(one, int) and one < 0 for one in sizes)
        if negative or dims.equal(total, size) is Tri.NO:
            raise c.broken(
                FaultKind.SPLIT_SIZES, input=tensor, dim=dim, sizes=sizes, size=size, total=total,
                reason="negative" if negative else "sum", cuts=_are_cuts(sizes, size),
            )  # fmt: skip
    return in_parts(c, tensor, dim, [c.fresh(i) if one is None else one for i, one in enumerate(sizes)])


def _are_cuts(sizes: tuple[Dim, ...], size: Dim) -> bool:
    """Returns whether these are increasing places inside the dim, as `numpy.split` takes them."""
    places = (0, *sizes, size)
    return are_ints(places) and all(a < b for a, b in pairwise(places))


def _split(name: str) -> TensorLaw:
    """Makes the law of `split(4)` and `split([1, 3])`."""

    def law(c: Call, tensor: TensorFact) -> Value:
        _needs_dims(c, tensor)
        dim = normal_dim(c, "dim", tensor)
        each = as_dim(c.value(name))
        sizes = None if each is not None else c.sizes(name)
        if dim is None:
            unknown = viewed(c, tensor, None, None)
            return Repeated(unknown) if sizes is None else TupleValue((unknown,) * len(sizes))
        if each is not None:
            return split_evenly(c, tensor, dim, each)
        if sizes is not None:
            return split_sizes(c, tensor, dim, sizes)
        return Repeated(part(c, tensor, dim, c.fresh()))

    return law


TABLE.row(
    "torch.split", "Tensor.split",
    signature="input, split_size, dim: int = 0", result=of_input(_split("split_size")), opinfo="split",
)  # fmt: skip
TABLE.row(
    "torch.split_with_sizes", "Tensor.split_with_sizes",
    signature="input, split_sizes, dim: int = 0", result=of_input(_split("split_sizes")), opinfo="split_with_sizes",
)  # fmt: skip


def _chunk(c: Call, tensor: TensorFact) -> Value:
    """Returns at most so many parts, all of one size but the last."""
    _needs_dims(c, tensor)
    dim, chunks = normal_dim(c, "dim", tensor), c.dim("chunks")
    if isinstance(chunks, int) and chunks <= 0:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, chunks=chunks)
    if dim is None or tensor.shape is None:
        return Repeated(viewed(c, tensor, None, None))
    if chunks is None:
        return Repeated(part(c, tensor, dim, c.fresh()))
    size = tensor.shape[dim]
    if isinstance(size, int) and isinstance(chunks, int):
        if size == 0:
            return parts_of(c, chunks, part(c, tensor, dim, 0))
        return split_evenly(c, tensor, dim, -(-size // chunks))
    each = dims.exact_quotient(size, chunks)
    if each is not None and each != 0:
        return parts_of(c, chunks, part(c, tensor, dim, each))
    return Repeated(part(c, tensor, dim, c.fresh() if chunks == 1 else _part_size(c, size)))


TABLE.row(
    "torch.chunk", "Tensor.chunk",
    signature="input, chunks: int, dim: int = 0", result=of_input(_chunk), opinfo="chunk",
)  # fmt: skip


def tensor_split(
    c: Call, tensor: TensorFact, dim: int, sections: int | None, indices: tuple[Dim | None, ...] | None
) -> Value:
    """Returns `sections` parts, the first ones larger by one where the size is not a multiple.

    Or cut before `indices`.
    """
    if tensor.shape is None:
        return Repeated(viewed(c, tensor, None, None))
    size = tensor.shape[dim]
    if sections is not None:
        if sections <= 0:
            raise c.broken(FaultKind.ARGUMENT, input=tensor, sections=sections)
        if sections > MAX_TUPLE_LENGTH:
            same = dims.exact_quotient(size, sections)
            return Repeated(part(c, tensor, dim, c.fresh() if same is None else same), sections)
        if isinstance(size, int):
            least, larger = divmod(size, sections)
            return in_parts(c, tensor, dim, [least + 1] * larger + [least] * (sections - larger))
        each = dims.exact_quotient(size, sections)
        return in_parts(c, tensor, dim, [c.fresh(i) if each is None else each for i in range(sections)])
    if indices is None:
        return Repeated(part(c, tensor, dim, c.fresh()))
    bounds = (0, *indices, size)
    sizes: list[Dim] = []
    for i in range(len(bounds) - 1):
        start, stop = bounds[i], bounds[i + 1]
        if isinstance(size, int) and isinstance(start, int) and isinstance(stop, int):
            sizes.append(len(range(size)[slice(start, stop)]))
        else:
            sizes.append(c.fresh(i))
    return in_parts(c, tensor, dim, sizes)


def _tensor_split(c: Call, tensor: TensorFact) -> Value:
    _needs_dims(c, tensor)
    return _split_at(c, tensor, normal_dim(c, "dim", tensor))


def _split_at(c: Call, tensor: TensorFact, dim: int | None) -> Value:
    sections = c.int("indices_or_sections")
    indices = None if sections is not None else c.sizes("indices_or_sections")
    if dim is None:
        count = sections if sections is not None else None if indices is None else len(indices) + 1
        return parts_of(c, count, viewed(c, tensor, None, None))
    return tensor_split(c, tensor, dim, sections, indices)


TABLE.row(
    "torch.tensor_split", "Tensor.tensor_split",
    signature="input, indices_or_sections, dim: int = 0", result=of_input(_tensor_split), opinfo="tensor_split",
)  # fmt: skip


def _split_along(default: int, least: int) -> TensorLaw:
    """Makes the law of hsplit, vsplit, dsplit: into equal parts only."""

    def law(c: Call, tensor: TensorFact) -> Value:
        rank_is_at_least(c, tensor, least)
        if tensor.shape is None:
            return _split_at(c, tensor, None)
        dim = 0 if len(tensor.shape) == 1 else default
        sections, size = c.int("indices_or_sections"), tensor.shape[dim]
        if sections is not None and isinstance(size, int) and (sections <= 0 or size % sections):
            raise c.broken(
                FaultKind.SPLIT_SIZES, input=tensor, dim=dim, sizes=(sections,), size=size, reason="equal"
            )
        return _split_at(c, tensor, dim)

    return law


for _name, _default, _least in (("hsplit", 1, 1), ("vsplit", 0, 2), ("dsplit", 2, 3)):
    TABLE.row(
        f"torch.{_name}", f"Tensor.{_name}",
        signature="input, indices_or_sections", result=of_input(_split_along(_default, _least)), opinfo=_name,
    )  # fmt: skip


# ---- unfold and diagonals -----------------------------------------------------------------------------------------------


def _unfold(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns windows of a dim as a new last dim; they share memory."""
    dim, size, step = normal_dim(c, "dim", tensor), c.dim("size"), c.dim("step")
    if isinstance(step, int) and step <= 0:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, step=step)
    if dim is None or size is None or step is None or not tensor.shape:
        return viewed(c, tensor, None, None)
    whole = tensor.shape[dim]
    if isinstance(whole, int) and isinstance(size, int) and not 0 <= size <= whole:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, window=size, size=whole)
    shape = (*tensor.shape[:dim], (whole - size) // step + 1, *tensor.shape[dim + 1 :], size)
    if tensor.strides is None:
        return viewed(c, tensor, shape, None)
    strides = tensor.strides
    return viewed(
        c, tensor, shape,
        layouts.of_strides(shape, (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim])),
    )  # fmt: skip


TABLE.row(
    "Tensor.unfold",
    signature="input, dim: int, size: int, step: int",
    result=of_input(_unfold),
    opinfo="unfold",
)


def diagonal_size(c: Call, rows: Dim, columns: Dim, offset: Dim | None) -> Dim:
    """Returns the number of elements on a diagonal; the smaller of two symbolic sizes is not known."""
    if offset is None or not isinstance(offset, int):
        return c.fresh("diagonal")
    if offset >= 0:
        columns = columns - offset
    else:
        rows = rows + offset
    if isinstance(rows, int) and isinstance(columns, int):
        return max(min(rows, columns), 0)
    if rows == columns:
        return rows
    over = rows - columns
    if isinstance(over, int):
        return columns if over > 0 else rows
    return c.fresh("diagonal")


def diagonal(
    c: Call, tensor: TensorFact, offset: Dim | None, first: int | None, second: int | None
) -> TensorFact:
    """Returns the view of a diagonal as a last dim."""
    if tensor.shape is None or first is None or second is None:
        return viewed(c, tensor, None, None)
    rank = len(tensor.shape)
    pair: list[int] = []
    for dim in (first, second):
        normal = shapes.normal_dim(dim, rank)
        if normal is None:
            raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=dim, rank=rank)
        pair.append(normal)
    if pair[0] == pair[1]:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, dims=(first, second))
    size = diagonal_size(c, tensor.shape[pair[0]], tensor.shape[pair[1]], offset)
    shape = (*(one for i, one in enumerate(tensor.shape) if i not in pair), size)
    strides = tensor.strides
    layout: Layout = None
    if strides is not None:
        kept = (stride for i, stride in enumerate(strides) if i not in pair)
        layout = layouts.of_strides(shape, (*kept, strides[pair[0]] + strides[pair[1]]))
    return viewed(c, tensor, shape, layout)


def _diagonal(c: Call, tensor: TensorFact) -> TensorFact:
    return diagonal(c, tensor, c.dim("offset"), c.int("dim1"), c.int("dim2"))


TABLE.row(
    "torch.diagonal", "Tensor.diagonal",
    signature="input, offset: int = 0, dim1: int = 0, dim2: int = 1", result=of_input(_diagonal), opinfo="diagonal",
)  # fmt: skip
TABLE.row(
    "torch.linalg.diagonal",
    signature="input, *, offset: int = 0, dim1: int = -2, dim2: int = -1",
    result=of_input(_diagonal), opinfo="linalg.diagonal",
)  # fmt: skip


def _diag(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns a vector's diagonal matrix, or a copy of a matrix's diagonal."""
    rank_is(c, tensor, 1, 2)
    offset = c.int("diagonal")
    shape: Shape = None
    sizes = tensor.shape
    if sizes is not None and len(sizes) == 1:
        size = c.fresh() if offset is None else sizes[0] + abs(offset)
        shape = (size, size)
    elif sizes is not None and len(sizes) == 2:
        shape = (diagonal_size(c, sizes[0], sizes[1], c.dim("diagonal")),)
    return written_anew(c, shape, tensor.dtype, tensor.device)


TABLE.row(
    "torch.diag", "Tensor.diag", signature="input, diagonal: int = 0", result=of_input(_diag), opinfo="diag"
)


def _diagflat(c: Call, tensor: TensorFact) -> TensorFact:
    total, offset = shapes.numel(tensor.shape), c.int("offset")
    size = c.fresh() if total is None or offset is None else total + abs(offset)
    return written_anew(c, (size, size), tensor.dtype, tensor.device)


TABLE.row(
    "torch.diagflat",
    "Tensor.diagflat",
    signature="input, offset: int = 0",
    result=of_input(_diagflat),
    opinfo="diagflat",
)


def _diag_embed(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns the last dim on a diagonal of two new dims."""
    offset, first, second = c.int("offset"), c.int("dim1"), c.int("dim2")
    if tensor.shape is None or offset is None or first is None or second is None:
        return written_anew(c, None, tensor.dtype, tensor.device).but(layout=None)
    _needs_dims(c, tensor)
    rank = len(tensor.shape) + 1
    pair = [shapes.normal_dim(first, rank), shapes.normal_dim(second, rank)]
    for dim, normal in zip((first, second), pair, strict=True):
        if normal is None:
            raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=dim, rank=rank)
    if pair[0] == pair[1]:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, dims=(first, second))
    size = tensor.shape[-1] + abs(offset)
    others = iter(tensor.shape[:-1])
    shape = tuple(size if i in pair else next(others) for i in range(rank))
    return written_anew(c, shape, tensor.dtype, tensor.device)


TABLE.row(
    "torch.diag_embed", "Tensor.diag_embed",
    signature="input, offset: int = 0, dim1: int = -2, dim2: int = -1", result=of_input(_diag_embed), opinfo="diag_embed",
)  # fmt: skip


def _triangle(c: Call, tensor: TensorFact) -> TensorFact:
    rank_is_at_least(c, tensor, 2)
    return written_anew(c, tensor.shape, tensor.dtype, tensor.device)


for _name in ("triu", "tril"):
    TABLE.row(
        f"torch.{_name}", f"Tensor.{_name}",
        signature="input, diagonal: int = 0", result=of_input(_triangle), shape=same_shape,
        inplace=True, opinfo=_name,
    )  # fmt: skip
