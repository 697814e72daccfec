"""Evaluates operators that join several tensors: cat, stack and similar ones, meshgrid, cartesian_prod,
block_diag."""

from __future__ import annotations

from math import comb

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import Grad, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, ListRef, Repeated, TupleValue, Value
from torchlsp.ops.call import Broken, Call, ResultColumn, are_known, are_tensors
from torchlsp.ops.columns import (
    common_device,
    grad_of_view,
    grad_through,
    operand_type,
    through,
    written_like,
)
from torchlsp.ops.first_sizes import with_first_tensor
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.reordering import raised
from torchlsp.ops.tensor.shaping import reshape


def of_sequence(law: ResultColumn[Call], dim: bool = True) -> ResultColumn[Call]:
    """Makes the result column of an operator of one sequence.

    Tensors that are given one by one, as `cat(a, b)`, are a fault.

    Signatures of such operators end in `*rest`: the dim, if there is one, and whatever else is given by place.
    """

    def result(c: Call) -> Value:
        first, rest = c.value("tensors"), c.items("rest")
        if isinstance(first, TensorFact):
            others = [] if rest is None else [one for one in rest if isinstance(one, TensorFact)]
            # What is annotated as one tensor may well be given as a list of them.
            if others or (first.origin is not None and first.origin.op != "parameter"):
                count = 1 + len(others) if rest is not None and len(others) == len(rest) else None
                raise c.broken(FaultKind.ONE_BY_ONE, input=first, count=count)
        if dim and rest != ():
            c.args["dim"] = rest[0] if rest is not None and len(rest) == 1 else UNKNOWN_VALUE
        return law(c)

    return result


def joined_dtype(c: Call, tensors: list[TensorFact]) -> DType | None:
    """Returns torch's result type of the joined tensors."""
    return dtypes.result_type([operand_type(tensor) for tensor in tensors], c.context.default_dtype or "f32")


def is_legacy_empty(tensor: TensorFact) -> Tri:
    """Returns whether this is the `torch.tensor([])` that cat skips, whatever the other ranks."""
    if tensor.shape is None:
        return Tri.UNKNOWN
    return dims.equal(tensor.shape[0], 0) if len(tensor.shape) == 1 else Tri.NO


def _shape_of_known(c: Call, tensors: list[TensorFact], dim: int | None) -> Shape:
    """Returns the shape of a concatenation in which some operands are of unknown rank, or may be skipped.

    Those that are certainly joined have its rank, and its sizes but for `dim`.
    """
    known = [tensor.shape for tensor in tensors if tensor.shape is not None and len(tensor.shape) > 1]
    normal = shapes.normal_dim(dim, len(known[0])) if known and dim is not None else None
    if normal is None or any(len(shape) != len(known[0]) for shape in known):
        return None
    return (*known[0][:normal], c.fresh(normal), *known[0][normal + 1 :])


def cat_shape(c: Call, tensors: list[TensorFact], dim: int | None) -> Shape:
    """Returns the shape of the concatenation.

    Sizes that differ outside `dim`, or ranks that differ, are a fault.
    """
    if any(is_legacy_empty(tensor) is Tri.UNKNOWN and (tensor.rank in (None, 1)) for tensor in tensors):
        # a 1-D tensor that may be empty still has to fit where all are 1-D
        if not all(tensor.rank == 1 for tensor in tensors):
            return _shape_of_known(c, tensors, dim)
    real = [tensor for tensor in tensors if is_legacy_empty(tensor) is not Tri.YES]
    if not real:
        return (0,)
    first = real[0]
    if first.shape is None:
        return None
    if first.shape == ():
        raise _do_not_join(c, tensors, dim, first, first)
    for other in real[1:]:
        if other.rank != first.rank:
            raise _do_not_join(c, tensors, dim, first, other)
    if dim is None:
        return shapes.fresh(len(first.shape), c.context.site) if _all_but_dim_known(real) else None
    normal = shapes.normal_dim(dim, len(first.shape))
    if normal is None:
        raise c.broken(FaultKind.DIM_RANGE, input=first, dim=dim, rank=first.rank)
    sizes = list(first.shape)
    for other in real[1:]:
        for i, size in enumerate(other.shape or ()):
            if i == normal:
                sizes[i] = sizes[i] + size
            elif dims.equal(sizes[i], size) is Tri.NO:
                raise _do_not_join(c, tensors, dim, first, other, at=i, left_size=sizes[i], right_size=size)
            else:
                sizes[i] = agreed(sizes[i], size)
    return tuple(sizes)


def _do_not_join(
    c: Call, tensors: list[TensorFact], dim: int | None, left: TensorFact, right: TensorFact, **data: object
) -> Broken:
    """Returns the exception for two tensors that cannot be joined; `places`: where they stand."""
    places = tuple(next(i for i, one in enumerate(tensors) if one is tensor) for tensor in (left, right))
    return c.broken(
        FaultKind.CONCATENATE,
        (),
        tensors=tuple(tensors),
        dim=dim,
        left=left,
        right=right,
        places=places,
        **data,
    )


def _all_but_dim_known(tensors: list[TensorFact]) -> bool:
    return all(tensor.rank is not None for tensor in tensors)


def agreed(a: Dim, b: Dim) -> Dim:
    """Returns one of two sizes that must be the same: the number, or the one of which something is known."""
    return b if isinstance(b, int) or dims.is_fresh(a) else a


def _unknown_join(c: Call, value: Value) -> Value:
    """Returns the result of joining a sequence of unknown length.

    Nothing is known of one with anything but tensors.
    """
    if isinstance(value, Repeated) and isinstance(value.element, TensorFact):
        element = value.element
        return c.make(
            dtype=element.dtype, device=element.device, storage=c.fresh_storage(), parents=(element,)
        )
    parents = c.parents()
    return c.make(parents=parents) if parents else UNKNOWN_VALUE


def _cat(c: Call) -> Value:
    tensors = c.tensors("tensors")
    if tensors is None:
        return _unknown_repeated_cat(c)
    if not tensors:
        raise c.broken(FaultKind.ARGUMENT, tensors=())
    return concatenated(c, tensors, c.int("dim"))


def _unknown_repeated_cat(c: Call) -> Value:
    """Returns the concatenation of a list of unknown length of tensors like one: all sizes but the joined one
    are that one's."""
    value = c.value("tensors")
    element = value.element if isinstance(value, Repeated) else None
    if not isinstance(element, TensorFact):
        return _unknown_join(c, value)
    shape = element.shape
    dim = c.int("dim")
    normal = None if shape is None or dim is None else shapes.normal_dim(dim, len(shape))
    if normal is not None and shape:
        shape = (*shape[:normal], c.fresh(normal), *shape[normal + 1 :])
    else:
        shape = None
    return c.make(
        shape,
        element.dtype,
        element.device,
        None,
        c.fresh_storage(),
        _through_element(c, element),
        parents=(element,),
    )


def _through_element(c: Call, element: TensorFact) -> Grad:
    return grad_through(c, (element,), element.dtype, complete=True)


def _sizes_in_common(c: Call, tensors: list[TensorFact], dim: int | None) -> Shape:
    """Returns the shape of a concatenation of tensors of one rank whose sizes differ: those sizes are unknown."""
    columns = list(zip(*(tensor.shape or () for tensor in tensors)))
    normal = shapes.normal_dim(dim, len(columns)) if dim is not None else None
    if normal is None:
        return None
    found: list[Dim] = []
    for i, sizes in enumerate(columns):
        size = sizes[0]
        for other in sizes[1:]:
            size = size + other if i == normal else size if size == other else c.fresh(i)
        found.append(size)
    return tuple(found)


def concatenated(c: Call, tensors: list[TensorFact], dim: int | None) -> TensorFact:
    """Returns the concatenation, row-major but for inputs that are all in one channels-last format."""
    try:
        shape = cat_shape(c, tensors, dim)
    except Broken as broken:
        ranks = {tensor.rank for tensor in tensors}
        if broken.fault.kind is not FaultKind.CONCATENATE or len(ranks) != 1:
            raise
        raise broken.showing(c.make(_sizes_in_common(c, tensors, dim), joined_dtype(c, tensors))) from None
    made = written_like(c, shape, joined_dtype(c, tensors), common_device(c, list(tensors)))
    return made if any(tensor.rank in (None, 4, 5) for tensor in tensors) else made.but(layout=ROW_MAJOR)


TABLE.row(
    "torch.cat",
    "torch.concat",
    signature="tensors, *rest, dim: int = 0",
    result=of_sequence(_cat),
    opinfo="cat",
)
TABLE.row(
    "torch.concatenate", signature="tensors, *rest, dim: int = 0", result=of_sequence(_cat), opinfo="cat"
)


# ---- stack --------------------------------------------------------------------------------------------------------------


def _stack(c: Call) -> Value:
    tensors = c.tensors("tensors")
    if tensors is None:
        return _unknown_stack(c)
    if not tensors:
        raise c.broken(FaultKind.ARGUMENT, tensors=())
    shape = stacked_shape(c, tensors, c.int("dim"))
    made = written_like(c, shape, joined_dtype(c, tensors), common_device(c, list(tensors)))
    made = with_first_tensor(made, len(tensors) if c.int("dim") == 0 else None)
    return made if any(tensor.rank in (None, 4, 5) for tensor in tensors) else made.but(layout=ROW_MAJOR)


def stacked_shape(c: Call, tensors: list[TensorFact], dim: int | None) -> Shape:
    """Returns the shape of a stack: all shapes must be equal, the new dim has their number."""
    known = [(tensor, tensor.shape) for tensor in tensors if tensor.shape is not None]
    if not known:
        return None
    first, shape = known[0]
    sizes = list(shape)
    for other, others in known[1:]:
        if shapes.same(shape, others) is Tri.NO:
            raise _do_not_join(c, tensors, None, first, other)
        sizes = [agreed(a, b) for a, b in zip(sizes, others, strict=True)]
    if dim is None:
        return None
    normal = shapes.normal_dim(dim, len(sizes) + 1)
    if normal is None:
        raise c.broken(FaultKind.DIM_RANGE, input=known[0], dim=dim, rank=len(sizes) + 1)
    return (*sizes[:normal], len(tensors), *sizes[normal:])


def _unknown_stack(c: Call) -> Value:
    value, dim = c.value("tensors"), c.int("dim")
    if not isinstance(value, Repeated) or not isinstance(value.element, TensorFact):
        return _unknown_join(c, value)
    element = value.element
    shape = None
    if element.shape is not None and dim is not None:
        normal = shapes.normal_dim(dim, len(element.shape) + 1)
        if normal is not None:
            count = value.length if value.length is not None else c.fresh(normal)
            shape = (*element.shape[:normal], count, *element.shape[normal:])
    layout = ROW_MAJOR if element.layout is ROW_MAJOR else None
    return c.make(
        shape,
        element.dtype,
        element.device,
        layout,
        c.fresh_storage(),
        _through_element(c, element),
        parents=(element,),
    )


TABLE.row("torch.stack", signature="tensors, *rest, dim: int = 0", result=of_sequence(_stack), opinfo="stack")


# ---- hstack, vstack, dstack, column_stack -------------------------------------------------------------------------------


def _stacked_along(rank: int, dim: int) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        tensors = c.tensors("tensors")
        if tensors is None:
            return _unknown_join(c, c.value("tensors"))
        if not tensors:
            raise c.broken(FaultKind.ARGUMENT, tensors=())
        if any(tensor.rank is None for tensor in tensors):
            return written_like(c, None, joined_dtype(c, tensors), common_device(c, list(tensors)))
        columns = [raised(c, tensor, rank) for tensor in tensors]
        # hstack joins vectors along their only dim
        return concatenated(c, columns, 0 if columns[0].rank == 1 else dim).but(
            dtype=joined_dtype(c, tensors), device=common_device(c, list(tensors))
        )

    return result


TABLE.row(
    "torch.hstack",
    signature="tensors, *rest",
    result=of_sequence(_stacked_along(1, 1), dim=False),
    opinfo="hstack",
)
for _name in ("torch.vstack", "torch.row_stack"):
    TABLE.row(
        _name,
        signature="tensors, *rest",
        result=of_sequence(_stacked_along(2, 0), dim=False),
        opinfo="vstack",
    )
TABLE.row(
    "torch.dstack",
    signature="tensors, *rest",
    result=of_sequence(_stacked_along(3, 2), dim=False),
    opinfo="dstack",
)


def _column_stack(c: Call) -> Value:
    tensors = c.tensors("tensors")
    if tensors is None:
        return _unknown_join(c, c.value("tensors"))
    if not tensors:
        raise c.broken(FaultKind.ARGUMENT, tensors=())
    columns: list[TensorFact] = []
    for tensor in tensors:
        if tensor.shape is None:
            return written_like(c, None, joined_dtype(c, tensors), common_device(c, list(tensors)))
        is_matrix = len(tensor.shape) > 1
        columns.append(tensor if is_matrix else reshape(c, tensor, (shapes.product(tensor.shape), 1)))
    return concatenated(c, columns, 1).but(
        dtype=joined_dtype(c, tensors), device=common_device(c, list(tensors))
    )


TABLE.row(
    "torch.column_stack",
    signature="tensors, *rest",
    result=of_sequence(_column_stack, dim=False),
    opinfo="column_stack",
)


# ---- meshgrid, cartesian_prod, block_diag -------------------------------------------------------------------------------


def _sequence(c: Call, name: str) -> list[TensorFact] | None:
    """Returns tensors passed one by one or as one list."""
    items = c.items(name)
    if items is not None and len(items) == 1 and isinstance(items[0], (ListRef, TupleValue)):
        items = c.context.elements(items[0])
    return list(items) if items is not None and are_tensors(items) else None


def _meshgrid(c: Call) -> Value:
    """Evaluates meshgrid: expanded views; `ij` by default: the i-th result varies along dim i."""
    tensors = _sequence(c, "tensors")
    if tensors is None or not tensors:
        return UNKNOWN_VALUE
    for tensor in tensors:
        if tensor.rank is not None and tensor.rank > 1:
            raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=tensor.rank)
        if tensor.dtype is not None and tensors[0].dtype is not None and tensor.dtype != tensors[0].dtype:
            raise c.broken(FaultKind.DTYPE_MISMATCH, left=tensors[0], right=tensor)
    indexing = "ij" if c.given("indexing") is Tri.NO else c.text("indexing")
    if indexing not in ("ij", "xy", None):
        raise c.broken(FaultKind.ARGUMENT, indexing=indexing)
    sizes: tuple[Dim, ...] | None = None
    if indexing is not None:
        sizes = tuple(
            c.fresh(i) if tensor.shape is None else shapes.product(tensor.shape)
            for i, tensor in enumerate(tensors)
        )
        if indexing == "xy" and len(sizes) > 1:
            sizes = (sizes[1], sizes[0], *sizes[2:])
    return TupleValue(
        tuple(
            c.make(sizes, t.dtype, t.device, None, t.storage, grad_of_view(c, t), parents=(t,))
            for t in tensors
        )
    )


TABLE.row("torch.meshgrid", signature="*tensors, indexing=None", result=_meshgrid, opinfo="meshgrid")


def _cartesian_prod(c: Call) -> Value:
    tensors = _sequence(c, "tensors")
    if not tensors:
        return UNKNOWN_VALUE
    for tensor in tensors:
        if tensor.rank is not None and tensor.rank != 1:
            raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=tensor.rank)
    if len(tensors) == 1:
        return tensors[0]
    sizes = [tensor.shape for tensor in tensors]
    shape = (shapes.product(one[0] for one in sizes), len(tensors)) if are_known(sizes) else None
    dtype = tensors[0].dtype if len({tensor.dtype for tensor in tensors}) == 1 else None
    return c.make(shape, dtype, common_device(c, list(tensors)), None, c.fresh_storage(), through(c, dtype))


TABLE.row("torch.cartesian_prod", signature="*tensors", result=_cartesian_prod, opinfo="cartesian_prod")


def _block_diag(c: Call) -> Value:
    tensors = _sequence(c, "tensors")
    if tensors is None:
        return UNKNOWN_VALUE
    rows: Dim = 0
    columns: Dim = 0
    for tensor in tensors:
        if tensor.rank is not None and tensor.rank > 2:
            raise c.broken(FaultKind.RANK, input=tensor, expected=2, got=tensor.rank)
        if tensor.shape is None:
            return c.make(None, joined_dtype(c, tensors), common_device(c, list(tensors)))
        height, width = (1, 1, *tensor.shape)[-2:]
        rows, columns = rows + height, columns + width
    dtype = joined_dtype(c, tensors)
    return written_like(c, (rows, columns), dtype, common_device(c, list(tensors))).but(layout=ROW_MAJOR)


TABLE.row("torch.block_diag", signature="*tensors", result=_block_diag, opinfo="block_diag")


_MOST_COMBINED = 64
"""Of larger combinations the number has thousands of digits."""


def _combinations(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if tensor.rank is not None and tensor.rank != 1:
        raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=tensor.rank)
    count = c.int("r")
    shape: Shape = None if not count or count < 0 else (c.fresh(), count)
    size, repeats = tensor.shape[0] if tensor.shape else None, c.flag("with_replacement")
    if count and 0 < count <= _MOST_COMBINED and isinstance(size, int) and repeats is not None:
        shape = (comb(size + count - 1 if repeats and size else size, count), count)
    return c.make(shape, tensor.dtype, tensor.device, None, c.fresh_storage(), through(c, tensor.dtype))


TABLE.row(
    "torch.combinations",
    signature="input, r: int = 2, with_replacement=False", result=_combinations, opinfo="combinations",
)  # fmt: skip
