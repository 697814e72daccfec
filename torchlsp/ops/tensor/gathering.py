"""Evaluates operators that read or write at the positions of an index tensor or a mask: gather, scatter,
index_select, …"""

from __future__ import annotations

from collections.abc import Iterable

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import Device
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Repeated, TupleValue, Value
from torchlsp.ops.call import Call, Check, ResultColumn, ViewLaw
from torchlsp.ops.columns import (
    broadcast_shapes,
    common_device,
    normal_dim,
    same_device,
    tensor_or_unknown,
    through,
    written_anew,
)
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.indexing import index
from torchlsp.ops.tensor.narrowing import refuse_conversion
from torchlsp.ops.tensor.reordering import of_input
from torchlsp.ops.writing import after_write, refuse_write

LONG = ("i64",)
LONG_OR_INT = ("i64", "i32")

# ---- contracts ----------------------------------------------------------------------------------------------------------


def index_dtype(c: Call, name: str, allowed: tuple[DType, ...]) -> TensorFact | None:
    """Returns the index tensor; a dtype that cannot index is a fault."""
    tensor = c.tensor(name)
    if (
        tensor is not None
        and tensor.dtype is not None
        and tensor.dtype not in allowed
        and not _is_empty(tensor)
    ):
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="i64")
    return tensor


def _is_empty(tensor: TensorFact) -> bool:
    return tensor.shape is not None and any(size == 0 for size in tensor.shape)


def _rank(tensor: TensorFact | None) -> int | None:
    """Returns the rank; torch takes a 0-d tensor for a vector of one element here."""
    return None if tensor is None or tensor.rank is None else max(tensor.rank, 1)


def _fits_inside(
    c: Call, part: TensorFact | None, whole: TensorFact | None, dim: int | None, what: str = "index"
) -> None:
    """Checks that the ranks are the same, and no size of `part` is larger than the one of `whole`, `dim`
    aside (None: no dim aside).

    `what` names the whole: the input or the source.
    """
    if part is None or whole is None or part.shape is None or whole.shape is None:
        return
    if any(size == 0 for size in part.shape):
        return
    if _rank(part) != _rank(whole):
        raise c.broken(
            FaultKind.INDEX_SHAPE, input=part, what="index", whole=whole, than=what, reason="rank", got=part.rank,
            expected=whole.rank, along=c.int("dim"),
        )  # fmt: skip
    for i, (size, most) in enumerate(zip(part.shape, whole.shape, strict=False)):
        if i != dim and isinstance(size, int) and isinstance(most, int) and size > most:
            raise c.broken(
                FaultKind.INDEX_SHAPE, input=part, what="index", whole=whole, than=what, reason="large", dim=i, got=size,
                expected=most,
            )  # fmt: skip


def _on_one_device(c: Call, *names: str) -> Device | None:
    return common_device(c, [c.value(name) for name in names if isinstance(c.value(name), TensorFact)])


def add_with_twin(
    *names: str, signature: str, law: ViewLaw, opinfo: str, faults: Iterable[Check[Call]] = ()
) -> None:
    """Adds the rows of an operator that keeps the shape of its tensor, and of its in-place form."""

    def write(c: Call) -> Value:
        tensor = c.tensor("input")
        if tensor is None:
            return UNKNOWN_VALUE
        refuse_write(c, tensor)
        law(c, tensor)  # for its contracts
        return after_write(c, tensor)

    TABLE.row(*names, signature=signature, result=of_input(law), opinfo=opinfo, faults=faults)
    TABLE.row(
        *(f"{name}_" for name in names if name.startswith("Tensor.")),
        signature=signature, mutates="input", result=write, opinfo=opinfo, faults=faults,
    )  # fmt: skip


_REDUCTIONS = {
    "scatter": ("add", "multiply"), "scatter_reduce": ("sum", "prod", "mean", "amax", "amin", "max", "min"),
    "index_reduce": ("prod", "mean", "amax", "amin"),
}  # fmt: skip
_ALIKE = (
    {"add", "sum", "plus", "+"}, {"multiply", "prod", "mul", "product", "*"}, {"amax", "max", "maximum"}, {"amin", "min", "minimum"},
    {"mean", "avg", "average"},
)  # fmt: skip


def _reduction(name: str) -> Check[Call]:
    """Returns the contract of `reduce=`: each of these functions has names of its own."""
    allowed = _REDUCTIONS[name]

    def check(c: Call) -> None:
        given = c.text("reduce")
        if given is None or given in allowed:
            return
        meant = next(
            (one for one in allowed for alike in _ALIKE if given.lower() in alike and one in alike), None
        )
        if meant is None and name == "scatter" and given.lower() in ("none", "assign", "replace", "set"):
            meant = ""
        raise c.broken(FaultKind.REDUCE_NAME, given=given, allowed=allowed, instead=meant)

    return check


# ---- gather and scatter -------------------------------------------------------------------------------------------------


def _gather(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `gather`, whose result has the shape of the index."""
    found = index_dtype(c, "index", LONG_OR_INT)
    dim = normal_dim(c, "dim", tensor)
    if dim is not None:
        _fits_inside(c, found, tensor, dim, "input")
    device = _on_one_device(c, "input", "index")
    return written_anew(c, found.shape if found else None, tensor.dtype, device)


TABLE.row(
    "torch.gather", "Tensor.gather",
    signature="input, dim: int, index, *, sparse_grad=False", result=of_input(_gather), opinfo="gather",
)  # fmt: skip


def _scattered(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns the input with some elements replaced: index and src have its rank, and src its dtype."""
    found, source = index_dtype(c, "index", LONG_OR_INT), c.tensor("src")
    dim = normal_dim(c, "dim", tensor)
    if dim is not None:
        _fits_inside(c, found, tensor, dim, "input")
        _fits_inside(c, found, source, None, "src")
    if source is not None and (found is None or not found.shape or 0 not in found.shape):
        refuse_conversion(c, tensor, source)
    return written_anew(c, tensor.shape, tensor.dtype, _on_one_device(c, "input", "index", "src"))


for _name, _signature in (
    ("scatter", "input, dim: int, index, src=None, *, value=None, reduce=None"),
    ("scatter_add", "input, dim: int, index, src"),
    ("scatter_reduce", "input, dim: int, index, src, reduce, *, include_self=True"),
):
    _opinfo = "scatter_reduce.sum" if _name == "scatter_reduce" else _name
    _faults = (_reduction(_name),) if _name in _REDUCTIONS else ()
    add_with_twin(
        f"torch.{_name}",
        f"Tensor.{_name}",
        signature=_signature,
        law=_scattered,
        opinfo=_opinfo,
        faults=_faults,
    )


# ---- index_select and the like ------------------------------------------------------------------------------------------


def _vector_index(c: Call, allowed: tuple[DType, ...] = LONG_OR_INT) -> TensorFact | None:
    found = index_dtype(c, "index", allowed)
    if found is not None and found.rank is not None and found.rank > 1:
        raise c.broken(
            FaultKind.INDEX_SHAPE, input=found, what="index", whole=None, than="", reason="vector", got=found.rank, expected=1
        )  # fmt: skip
    return found


def _index_select(c: Call, tensor: TensorFact) -> TensorFact:
    found, dim = _vector_index(c), normal_dim(c, "dim", tensor)
    shape: Shape = None
    if tensor.shape == ():
        shape = ()
    elif dim is not None and tensor.shape is not None:
        size = c.fresh() if found is None or found.shape is None else shapes.product(found.shape)
        shape = (*tensor.shape[:dim], size, *tensor.shape[dim + 1 :])
    return written_anew(c, shape, tensor.dtype, _on_one_device(c, "input", "index"))


TABLE.row(
    "torch.index_select", "Tensor.index_select",
    signature="input, dim: int, index", result=of_input(_index_select), opinfo="index_select",
)  # fmt: skip


def _index_written(source_name: str, same_type: bool = True) -> ViewLaw:
    """Evaluates index_add, index_copy, index_reduce: `source` is as large as the index along `dim` and as the
    input elsewhere."""

    def law(c: Call, tensor: TensorFact) -> TensorFact:
        found, source = _vector_index(c), c.tensor(source_name)
        dim = normal_dim(c, "dim", tensor)
        if source is not None and tensor.shape and source.shape and dim is not None:
            if source.rank != tensor.rank:
                raise c.broken(
                    FaultKind.INDEX_SHAPE, input=source, what=source_name, whole=tensor, than="input", reason="rank",
                    got=source.rank, expected=tensor.rank,
                )  # fmt: skip
            expected = None if found is None or found.shape is None else shapes.numel(found.shape)
            for i, size in enumerate(source.shape):
                wanted = expected if i == dim else tensor.shape[i]
                if wanted is not None and dims.equal(size, wanted) is Tri.NO:
                    raise c.broken(
                        FaultKind.INDEX_SHAPE, input=source, what=source_name, whole=tensor, than="index" if i == dim else "input",
                        reason="size", dim=i, got=size, expected=wanted,
                    )  # fmt: skip
        if same_type:
            refuse_conversion(c, tensor, source)
        device = _on_one_device(c, "input", "index", source_name)
        return written_anew(c, tensor.shape, tensor.dtype, device).but(layout=_row_major_copy(tensor))

    return law


def _row_major_copy(tensor: TensorFact) -> Layout:
    """Returns a clone of the input that is written to.

    Row-major inputs stay so, other strides are left unknown.
    """
    layout = elementwise_layout([tensor], tensor.shape)
    return layout if not isinstance(layout, tuple) else None


for _name, _signature in (
    ("index_add", "input, dim: int, index, source, *, alpha=1"),
    ("index_copy", "input, dim: int, index, source"),
    ("index_reduce", "input, dim: int, index, source, reduce, *, include_self=True"),
):
    add_with_twin(
        f"torch.{_name}", f"Tensor.{_name}",
        signature=_signature, law=_index_written("source"), opinfo="index_reduce.mean" if "reduce" in _name else _name,
        faults=(_reduction(_name),) if _name in _REDUCTIONS else (),
    )  # fmt: skip


def _index_fill(c: Call, tensor: TensorFact) -> TensorFact:
    _vector_index(c, LONG)
    normal_dim(c, "dim", tensor)
    layout = elementwise_layout([tensor], tensor.shape)
    return _copy(c, tensor).but(layout=layout)


def _copy(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns a copy of the input, row-major where that is."""
    grad = through(c, tensor.dtype)
    layout = ROW_MAJOR if tensor.layout is ROW_MAJOR else None
    return c.make(tensor.shape, tensor.dtype, tensor.device, layout, c.fresh_storage(), grad)


add_with_twin(
    "torch.index_fill",
    "Tensor.index_fill",
    signature="input, dim: int, index, value",
    law=_index_fill,
    opinfo="index_fill",
)


# ---- take, put, take_along_dim ------------------------------------------------------------------------------------------


def _take(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns elements of the flattened input, in the shape of the index."""
    found = index_dtype(c, "index", LONG)
    return written_anew(c, found.shape if found else None, tensor.dtype, _on_one_device(c, "input", "index"))


TABLE.row("torch.take", "Tensor.take", signature="input, index", result=of_input(_take), opinfo="take")


def _put(c: Call, tensor: TensorFact) -> TensorFact:
    found, source = index_dtype(c, "index", LONG), c.tensor("source")
    if found is not None and source is not None:
        given, wanted = shapes.numel(source.shape), shapes.numel(found.shape)
        if given is not None and wanted is not None and dims.equal(given, wanted) is Tri.NO:
            raise c.broken(FaultKind.SIZE, input=source, size=given, expected=wanted)
    refuse_conversion(c, tensor, source)
    return _copy(c, tensor).but(layout=elementwise_layout([tensor], tensor.shape))


add_with_twin(
    "torch.put", "Tensor.put", signature="input, index, source, accumulate=False", law=_put, opinfo="put"
)


def _take_along_dim(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates take_along_dim: gather, with input and indices broadcast outside `dim`. Without a dim both
    are flattened."""
    found = index_dtype(c, "indices", LONG)
    shape: Shape = None
    if c.given("dim") is Tri.NO:
        total = shapes.numel(found.shape) if found else None
        shape = (c.fresh() if total is None else total,)
    elif found is not None and found.shape is not None and tensor.shape is not None:
        if found.rank != tensor.rank:
            raise c.broken(
                FaultKind.INDEX_SHAPE, input=found, what="indices", whole=tensor, than="input", reason="rank", got=found.rank,
                expected=tensor.rank, along=c.int("dim"),
            )  # fmt: skip
        dim = normal_dim(c, "dim", tensor)
        if dim is not None and tensor.shape:
            others = [(*one[:dim], 1, *one[dim + 1 :]) for one in (tensor.shape, found.shape)]
            outer = broadcast_shapes(c, others, tensor, found)
            shape = (*outer[:dim], found.shape[dim], *outer[dim + 1 :])
        elif dim is not None:
            shape = found.shape
    return written_anew(c, shape, tensor.dtype, _on_one_device(c, "input", "indices"))


TABLE.row(
    "torch.take_along_dim", "Tensor.take_along_dim",
    signature="input, indices, dim=None", result=of_input(_take_along_dim), opinfo="take_along_dim",
)  # fmt: skip


# ---- masks --------------------------------------------------------------------------------------------------------------


def _mask_fits(c: Call, tensor: TensorFact, mask: TensorFact | None) -> None:
    if mask is None:
        return
    if mask.dtype is not None and mask.dtype not in ("bool", "u8"):
        raise c.broken(FaultKind.DTYPE, input=mask, dtype=mask.dtype, expected="bool")
    broadcast_shapes(c, [tensor.shape, mask.shape], tensor, mask)


def _masked_select(c: Call, tensor: TensorFact) -> TensorFact:
    _mask_fits(c, tensor, c.tensor("mask"))
    return written_anew(c, (c.fresh(),), tensor.dtype, _on_one_device(c, "input", "mask"))


TABLE.row(
    "torch.masked_select", "Tensor.masked_select",
    signature="input, mask", result=of_input(_masked_select), opinfo="masked_select",
)  # fmt: skip


def _masked_scatter(c: Call, tensor: TensorFact) -> TensorFact:
    mask = c.tensor("mask")
    _mask_fits(c, tensor, mask)
    refuse_conversion(c, tensor, c.tensor("source"))
    shape = None
    if mask is not None:
        shape = shapes.broadcast([tensor.shape, mask.shape], c.context.site)
    made = _copy(c, tensor)
    layout = made.layout if shape is not None and shape == tensor.shape else None
    return made.but(shape=shape, layout=layout, device=_on_one_device(c, "input", "mask", "source"))


add_with_twin(
    "torch.masked_scatter",
    "Tensor.masked_scatter",
    signature="input, mask, source",
    law=_masked_scatter,
    opinfo="masked_scatter",
)


# ---- index_put, nonzero -------------------------------------------------------------------------------------------------


def _index_put(c: Call, tensor: TensorFact) -> TensorFact:
    items = c.items("indices")
    values = c.tensor("values")
    if items is not None:
        place = index(c, tensor, tuple(items))
        if values is not None and values.shape:
            refuse_conversion(c, tensor, values)
            _values_expand(c, values, place.shape)
    return _copy(c, tensor).but(layout=elementwise_layout([tensor], tensor.shape))


def _values_expand(c: Call, values: TensorFact, target: Shape) -> None:
    if target is None:
        return
    try:
        shapes.broadcast([values.shape, target], c.context.site)
    except shapes.NotBroadcastable as clash:
        raise c.broken(FaultKind.EXPAND, input=values, target=target, dim=clash.dim) from None


add_with_twin(
    "torch.index_put",
    "Tensor.index_put",
    signature="input, indices, values, accumulate=False",
    law=_index_put,
    opinfo="index_put",
)


def _nonzero(c: Call) -> Value:
    """Returns one row an element that is not zero; as a tuple one vector a dim.  How many is in the values."""
    tensor = tensor_or_unknown(c, "input")
    count = c.fresh("nonzero")
    as_tuple = c.flag("as_tuple") if "as_tuple" in c.args else False
    if as_tuple is None:
        return UNKNOWN_VALUE
    device = same_device(c)
    if not as_tuple:
        rank = tensor.rank
        shape = (count, c.fresh("rank") if rank is None else rank)
        # written column by column
        return c.make(shape, "i64", device, (1, count), c.fresh_storage(), NO_GRAD)
    one = c.make((count,), "i64", device, None, c.fresh_storage(), NO_GRAD)
    return Repeated(one) if tensor.rank is None else TupleValue((one,) * max(tensor.rank, 1))


TABLE.row(
    "torch.nonzero", "Tensor.nonzero", signature="input, *, as_tuple=False", result=_nonzero, opinfo="nonzero"
)
TABLE.row("torch.argwhere", "Tensor.argwhere", signature="input", result=_nonzero, opinfo="argwhere")


# ---- scatter into a view's place ----------------------------------------------------------------------------------------


def _scattered_view(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates select_scatter and the like: a copy of the input with the place of a view replaced."""
    return _copy(c, tensor)


for _name, _signature in (
    ("select_scatter", "input, src, dim: int, index: int"),
    ("slice_scatter", "input, src, dim: int = 0, start=None, end=None, step=1"),
    ("diagonal_scatter", "input, src, offset: int = 0, dim1: int = 0, dim2: int = 1"),
):
    TABLE.row(
        f"torch.{_name}",
        f"Tensor.{_name}",
        signature=_signature,
        result=of_input(_scattered_view),
        opinfo=_name,
    )


# ---- where an element would be sorted in --------------------------------------------------------------------------------


def _sorted_in(boundaries: str, values: str) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        found = c.tensor(values)
        sequence = c.tensor(boundaries)
        if boundaries == "boundaries" and sequence is not None and sequence.rank not in (None, 1):
            raise c.broken(FaultKind.RANK, input=sequence, expected=1, got=sequence.rank)
        if found is None:
            return UNKNOWN_VALUE
        narrow = c.flag("out_int32")
        dtype = None if narrow is None else "i32" if narrow else "i64"
        return written_anew(c, found.shape, dtype, found.device, NO_GRAD)

    return result


TABLE.row(
    "torch.bucketize",
    signature="input, boundaries, *, out_int32=False, right=False",
    result=_sorted_in("boundaries", "input"), opinfo="bucketize",
)  # fmt: skip
TABLE.row(
    "torch.searchsorted",
    signature="sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None",
    result=_sorted_in("sorted_sequence", "input"), opinfo="searchsorted",
)  # fmt: skip
