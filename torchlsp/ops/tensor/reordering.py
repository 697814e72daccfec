"""Evaluates operators that reorder, drop or add dims over the same memory, and those that reorder the
elements within dims."""

from __future__ import annotations

from typing import TypedDict

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import Storage, TensorFact, free_size, is_certainly_torchs
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value, known
from torchlsp.ops.call import (
    Call,
    Check,
    DeviceColumn,
    DTypeColumn,
    GradColumn,
    ResultColumn,
    ShapeColumn,
    StorageColumn,
    TensorLaw,
    ViewLaw,
    are_known,
)
from torchlsp.ops.columns import (
    fresh,
    normal_dim,
    normal_dims,
    same_device,
    same_dtype,
    same_shape,
    through,
)  # fmt: skip
from torchlsp.ops.first_sizes import first_size, with_first_view, with_second_one
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.scrambling import report_squeezed_batch
from torchlsp.ops.tensor.shaping import viewed


def of_input(law: TensorLaw) -> ResultColumn[Call]:
    """Makes the result column of an operator of one tensor: `law(c, tensor)`."""

    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        return UNKNOWN_VALUE if tensor is None else law(c, tensor)

    return result


def in_place(law: ViewLaw) -> ResultColumn[Call]:
    """Makes the result column of a view operator in place: the tensor takes the view's shape and strides."""

    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        if tensor is None:
            return UNKNOWN_VALUE
        made = law(c, tensor)
        storage = Storage(tensor.storage.ids, tensor.storage.version + 1)
        return tensor.but(
            shape=made.shape,
            layout=made.layout,
            storage=storage,
            assumed=made.assumed,
            origin=c.origin(tensor),
        )

    return result


def add_view(*names: str, signature: str, law: ViewLaw, opinfo: str, since: str | None = None) -> None:
    """Adds the rows of a view operator and of its in-place form."""
    TABLE.row(*names, signature=signature, result=of_input(law), opinfo=opinfo, since=since)
    TABLE.row(
        *(f"{name}_" for name in names if name.startswith("Tensor.")),
        signature=signature, mutates="input", result=in_place(law), opinfo=opinfo, since=since,
    )  # fmt: skip


def unordered(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns a view whose order of dims is not known."""
    return viewed(c, tensor, None, None)


def reordered(c: Call, tensor: TensorFact, order: list[int]) -> TensorFact:
    """Returns the view with dim `order[i]` of the tensor as its dim i."""
    sizes, strides = tensor.shape, tensor.strides
    if sizes is None:
        return viewed(c, tensor, None, None)
    shape = tuple(sizes[i] for i in order)
    layout = None if strides is None else layouts.of_strides(shape, tuple(strides[i] for i in order))
    return viewed(c, tensor, shape, layout)


def _at_most(c: Call, tensor: TensorFact, rank: int) -> None:
    if tensor.rank is not None and tensor.rank > rank:
        raise c.broken(FaultKind.RANK, input=tensor, expected=rank, got=tensor.rank)


def _at_least(c: Call, tensor: TensorFact, rank: int) -> None:
    if tensor.rank is not None and tensor.rank < rank:
        raise c.broken(FaultKind.RANK, input=tensor, expected=rank, got=tensor.rank)


# ---- transpose and the like ---------------------------------------------------------------------------------------------


def swapped(c: Call, tensor: TensorFact, first: int | None, second: int | None) -> TensorFact:
    if tensor.rank is None or first is None or second is None:
        return unordered(c, tensor)
    order = list(range(tensor.rank))
    if order:
        order[first], order[second] = order[second], order[first]
    return reordered(c, tensor, order)


def _transpose(c: Call, tensor: TensorFact) -> TensorFact:
    return swapped(c, tensor, normal_dim(c, "dim0", tensor), normal_dim(c, "dim1", tensor))


def _transpose_two(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns the view with two dims swapped; a whole permutation, as NumPy's transpose takes it, is a fault."""
    more = c.items("more")
    whole = (
        c.items("dim0") if c.given("dim1") is Tri.NO else (c.value("dim0"), c.value("dim1"), *(more or ()))
    )
    numbers = None if whole is None or more is None else tuple(known(item, int) for item in whole)
    if numbers is not None and None not in numbers and (more or c.given("dim1") is Tri.NO):
        if c.name.startswith("Tensor.") and not is_certainly_torchs(tensor):
            return unordered(c, tensor)
        raise c.broken(
            FaultKind.PERMUTE_DIMS, input=tensor, dims=numbers, rank=tensor.rank, reason="transpose"
        )
    return _transpose(c, tensor)


add_view(
    "torch.transpose",
    "Tensor.transpose",
    signature="input, dim0, dim1=None, *more",
    law=_transpose_two,
    opinfo="transpose",
)
add_view(
    "torch.swapaxes", "Tensor.swapaxes", signature="input, axis0: int, axis1: int", opinfo="transpose",
    law=lambda c, tensor: swapped(c, tensor, normal_dim(c, "axis0", tensor), normal_dim(c, "axis1", tensor)),
)  # fmt: skip
add_view(
    "torch.swapdims",
    "Tensor.swapdims",
    signature="input, dim0: int, dim1: int",
    law=_transpose,
    opinfo="transpose",
)


def _t(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns the transposed matrix.

    A tensor of unknown rank is taken for a matrix, t() takes no more dims.
    """
    _at_most(c, tensor, 2)
    if tensor.rank is None:
        made = reordered(c, revealed(c, tensor, 2), [1, 0])
        return made.but(assumed=tensor.assumed | {"matrix"})
    return reordered(c, tensor, list(reversed(range(tensor.rank))))


add_view("torch.t", "Tensor.t", signature="input", law=_t, opinfo="t")


def _all_reversed(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `x.T`: all dims reversed; for more than 2 dims torch only warns."""
    if tensor.rank is None:
        return unordered(c, tensor)
    if tensor.rank > 2 and c.name == "Tensor.T" and is_certainly_torchs(tensor):
        c.faults.append(c.broken(FaultKind.REVERSED_DIMS, input=tensor).fault)
    return reordered(c, tensor, list(reversed(range(tensor.rank))))


def matrix_transposed(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns the view with its last two dims swapped; a tensor without them is a fault."""
    _at_least(c, tensor, 2)
    return (
        unordered(c, tensor) if tensor.rank is None else swapped(c, tensor, tensor.rank - 2, tensor.rank - 1)
    )


def _hermitian(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `x.H`: only for matrices, and for scalars."""
    if tensor.rank is not None and tensor.rank not in (0, 2):
        raise c.broken(FaultKind.RANK, input=tensor, expected=2, got=tensor.rank)
    return _all_reversed(c, tensor)


def _adjoint(c: Call, tensor: TensorFact) -> TensorFact:
    if tensor.rank == 0:
        return viewed(c, tensor, (), tensor.layout)
    return matrix_transposed(c, tensor)


TABLE.row("Tensor.T", signature="input", result=of_input(_all_reversed), opinfo="T")
TABLE.row("Tensor.mT", signature="input", result=of_input(matrix_transposed), opinfo="mT")
TABLE.row("Tensor.H", signature="input", result=of_input(_hermitian), opinfo="H")
TABLE.row(
    "Tensor.mH", "torch.adjoint", "Tensor.adjoint", signature="input", result=of_input(_adjoint), opinfo="mH"
)


# ---- permute and movedim ------------------------------------------------------------------------------------------------


def revealed(c: Call, tensor: TensorFact, rank: int) -> TensorFact:
    """Returns a tensor of unknown rank on which an operator has shown the rank.

    Its sizes are free symbols, the same ones that `x.size(0)` gives for a parameter, and `size0@origin`, `size1@origin`, …
    named after the place where another tensor was made, so that two operators on one tensor speak of the same sizes.
    They are without `?`, for they are generic sizes as `B` is.  The first one may be known.
    """
    place = tensor.origin.start if tensor.origin is not None else c.context.site
    sizes = [free_size(tensor, i) or dims.symbol(f"size{i}@{place}") for i in range(rank)]
    if rank and (first := first_size(tensor)) is not None:
        sizes[0] = first
    return tensor.but(shape=tuple(sizes))


def _permute(c: Call, tensor: TensorFact) -> TensorFact:
    sizes = c.sizes("dims")
    if sizes is None:
        return unordered(c, tensor)
    if tensor.rank is None:
        tensor = revealed(c, tensor, len(sizes))
    rank = len(tensor.shape or ())
    if len(sizes) != rank:
        raise c.broken(FaultKind.PERMUTE_DIMS, input=tensor, dims=sizes, rank=rank, reason="count")
    order = [shapes.normal_dim(dim, rank) if isinstance(dim, int) else -1 for dim in sizes]
    if not are_known(order):
        raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=sizes[order.index(None)], rank=rank)
    numbers = [dim for dim in order if dim != -1]
    if len(set(numbers)) < len(numbers):
        raise c.broken(FaultKind.PERMUTE_DIMS, input=tensor, dims=sizes, rank=rank, reason="twice")
    if len(numbers) < rank:
        return viewed(c, tensor, shapes.fresh(rank, c.context.site), None)
    return reordered(c, tensor, order)


TABLE.row(
    "torch.permute", "Tensor.permute", signature="input, *dims", result=of_input(_permute), opinfo="permute"
)


def _movedim(c: Call, tensor: TensorFact) -> TensorFact:
    sources, targets = c.ints("source"), c.ints("destination")
    if sources is not None and targets is not None and len(sources) != len(targets):
        raise c.broken(
            FaultKind.PERMUTE_DIMS, input=tensor, dims=targets, rank=tensor.rank, reason="destinations"
        )
    source, target = normal_dims(c, "source", tensor), normal_dims(c, "destination", tensor)
    if source is None or target is None:
        return unordered(c, tensor)
    if len(set(source)) < len(source) or len(set(target)) < len(target):
        raise c.broken(
            FaultKind.PERMUTE_DIMS,
            input=tensor,
            dims=target if len(set(source)) == len(source) else source,
            rank=tensor.rank,
            reason="twice",
        )
    if not tensor.shape:
        return viewed(c, tensor, tensor.shape, tensor.layout)
    placed = dict(zip(target, source, strict=True))
    every = range(len(tensor.shape))
    others = iter(dim for dim in every if dim not in source)
    return reordered(c, tensor, [placed[i] if i in placed else next(others) for i in every])


for _names in (("torch.movedim", "Tensor.movedim"), ("torch.moveaxis", "Tensor.moveaxis")):
    TABLE.row(*_names, signature="input, source, destination", result=of_input(_movedim), opinfo="movedim")


# ---- squeeze and unsqueeze ----------------------------------------------------------------------------------------------


def without_dims(c: Call, tensor: TensorFact, dropped: set[int] | frozenset[int]) -> TensorFact:
    """Returns the view without some dims of size 1."""
    kept = [i for i in range(tensor.rank or 0) if i not in dropped]
    return reordered(c, tensor, kept)


def _squeeze(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns the tensor without dims of size 1; a dim that may or may not be 1 leaves the rank unknown."""
    report_squeezed_batch(c, tensor)
    candidates = range(tensor.rank or 0) if c.given("dim") is Tri.NO else normal_dims(c, "dim", tensor)
    if tensor.shape is not None and candidates is not None:
        if not tensor.shape:
            return viewed(c, tensor, (), tensor.layout)
        ones = {i: dims.is_one(tensor.shape[i]) for i in candidates}
        if Tri.UNKNOWN not in ones.values():
            return without_dims(c, tensor, {i for i, one in ones.items() if one is Tri.YES})
    return viewed(c, tensor, None, ROW_MAJOR if tensor.layout is ROW_MAJOR else None)


add_view("torch.squeeze", "Tensor.squeeze", signature="input, dim=None", law=_squeeze, opinfo="squeeze")


def with_dim(c: Call, tensor: TensorFact, dim: int) -> TensorFact:
    """Returns the view with a dim of size 1 before dim `dim`."""
    sizes, strides = tensor.shape, tensor.strides
    if sizes is None:
        return viewed(c, tensor, None, None)
    shape = (*sizes[:dim], 1, *sizes[dim:])
    if tensor.layout is ROW_MAJOR or strides is None:
        return viewed(c, tensor, shape, tensor.layout)
    stride: Dim = sizes[dim] * strides[dim] if dim < len(sizes) else 1
    return viewed(c, tensor, shape, layouts.of_strides(shape, (*strides[:dim], stride, *strides[dim:])))


def _unsqueeze(c: Call, tensor: TensorFact) -> TensorFact:
    dim = normal_dim(c, "dim", tensor, extra=1)
    if dim is None:
        # a dim of size 1 may go anywhere and leave a tensor contiguous
        made = viewed(c, tensor, None, None)
        position = c.int("dim")
        return with_first_view(made, 1) if position == 0 else with_second_one(made) if position == 1 else made
    return with_dim(c, tensor, dim)


add_view(
    "torch.unsqueeze", "Tensor.unsqueeze", signature="input, dim: int", law=_unsqueeze, opinfo="unsqueeze"
)


def raised(c: Call, tensor: TensorFact, rank: int) -> TensorFact:
    """Returns `atleast_1d`, `atleast_2d`, `atleast_3d` of one tensor: itself where it has so many dims."""
    if tensor.rank is None:
        made = viewed(c, tensor, None, ROW_MAJOR if tensor.layout is ROW_MAJOR else None)
        return made.but(grad=made.grad.join(tensor.grad))
    if tensor.rank >= rank:
        return tensor
    if tensor.rank == 0:
        return viewed(c, tensor, (1,) * rank, ROW_MAJOR)
    front = with_dim(c, tensor, 0)
    return front if rank == 2 else with_dim(c, front if tensor.rank == 1 else tensor, 2)


def _raised_to(rank: int) -> ViewLaw:
    """Makes the law of `atleast_…d`; a sequence of tensors is left unknown."""
    return lambda c, tensor: raised(c, tensor, rank)


for _rank in (1, 2, 3):
    TABLE.row(
        f"torch.atleast_{_rank}d",
        signature="input",
        result=of_input(_raised_to(_rank)),
        opinfo=f"atleast_{_rank}d",
    )


# ---- elements in another order ------------------------------------------------------------------------------------------


def _kept_strides(c: Call, shape: Shape) -> Layout:
    """Returns the input's strides where it is dense, as elementwise operators keep them."""
    tensor = c.tensor("input")
    return None if tensor is None else elementwise_layout([tensor], shape)


class _Copied(TypedDict):
    shape: ShapeColumn[Call]
    dtype: DTypeColumn[Call]
    device: DeviceColumn[Call]
    storage: StorageColumn[Call]
    grad: GradColumn[Call]


SAME_COPY: _Copied = {
    "shape": same_shape, "dtype": same_dtype, "device": same_device, "storage": fresh, "grad": through,
}  # fmt: skip


def _distinct_dims(c: Call) -> None:
    tensor = c.tensor("input")
    found = normal_dims(c, "dims", tensor)
    if tensor is not None and found is not None and len(set(found)) < len(found):
        raise c.broken(FaultKind.PERMUTE_DIMS, input=tensor, dims=found, rank=tensor.rank, reason="twice")


TABLE.row(
    "torch.flip", "Tensor.flip",
    signature="input, *dims", faults=[_distinct_dims], layout=_kept_strides, opinfo="flip", **SAME_COPY,
)  # fmt: skip


def _rank_of(least: int) -> Check[Call]:
    def check(c: Call) -> None:
        tensor = c.tensor("input")
        if tensor is not None:
            _at_least(c, tensor, least)

    return check


TABLE.row(
    "torch.fliplr", "Tensor.fliplr", faults=[_rank_of(2)], layout=_kept_strides, opinfo="fliplr", **SAME_COPY
)
TABLE.row(
    "torch.flipud", "Tensor.flipud", faults=[_rank_of(1)], layout=_kept_strides, opinfo="flipud", **SAME_COPY
)


def row_major_of_row_major(c: Call, shape: Shape) -> Layout:
    """Returns row-major for row-major inputs; other strides have a law of their own for each operator."""
    tensors = c.parents()
    return ROW_MAJOR if tensors and all(tensor.layout is ROW_MAJOR for tensor in tensors) else None


def _roll_dims(c: Call) -> None:
    tensor = c.tensor("input")
    shifts, given = c.ints("shifts"), c.ints("dims")
    normal_dims(c, "dims", tensor)
    if shifts is None:
        return
    if not shifts or (given is not None and len(given) != len(shifts) and (given or len(shifts) != 1)):
        raise c.broken(FaultKind.ARGUMENT, input=tensor, shifts=shifts, dims=given)


TABLE.row(
    "torch.roll", "Tensor.roll", signature="input, shifts, dims=()",
    faults=[_roll_dims], layout=row_major_of_row_major, opinfo="roll", **SAME_COPY,
)  # fmt: skip


def _rot90(c: Call) -> Value:
    tensor, turns = c.tensor("input"), c.int("k")
    if tensor is None:
        return UNKNOWN_VALUE
    _at_least(c, tensor, 2)
    plane = normal_dims(c, "dims", tensor)
    if plane is not None and (len(plane) != 2 or plane[0] == plane[1]):
        raise c.broken(FaultKind.PERMUTE_DIMS, input=tensor, dims=plane, rank=tensor.rank, reason="twice")
    copy = c.make(
        tensor.shape, tensor.dtype, tensor.device, elementwise_layout([tensor], tensor.shape), c.fresh_storage(),
        through(c, tensor.dtype),
    )  # fmt: skip
    if turns is not None and turns % 2 == 0:
        return copy.but(layout=ROW_MAJOR) if turns % 4 == 0 else copy
    if turns is None or plane is None:
        return copy.but(shape=None, layout=None)
    turned = swapped(c, copy, *plane)
    return copy.but(shape=turned.shape, layout=turned.layout)


TABLE.row(
    "torch.rot90", "Tensor.rot90", signature="input, k: int = 1, dims=(0, 1)", result=_rot90, opinfo="rot90"
)
