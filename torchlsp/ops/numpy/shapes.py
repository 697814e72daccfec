"""Evaluates methods and functions that change the shape of NumPy arrays, index them or join them."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    ListRef,
    Parameter,
    Repeated,
    Scalar,
    SliceValue,
    TupleValue,
    Unknown,
    Value,
    as_dim,
    integer,
)  # fmt: skip
from torchlsp.ops.call import Call, ResultColumn, are_known
from torchlsp.ops.first_sizes import of_data, with_first
from torchlsp.ops.numpy.arrays import (
    array,
    as_array,
    common_dtype,
    dtype_or,
    is_tensor,
    new,
    same_shapes,
    sizes,
)
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import TABLE


def strides_of(made: ArrayValue) -> tuple[Dim, ...] | None:
    return layouts.strides_of(made.shape, made.layout)


def view_of_array(c: Call, made: ArrayValue, shape: Shape, layout: Layout) -> ArrayValue:
    """Returns the same memory in another shape, all dims in the direction they had."""
    return ArrayValue(shape, made.dtype, made.storage, c.origin(), layout, made.reversed)


def as_torch_does(c: Call, row: str, made: ArrayValue, *arguments: Value) -> Value:
    """Returns the result of torch's method for the array as a CPU tensor, where NumPy shares its law.

    Unknown where torch would refuse: NumPy may not.
    """
    method = TABLE.rows.get(row)
    if method is None:
        return UNKNOWN_VALUE
    fact = TensorFact(made.shape, made.dtype, CPU, made.layout, NO_GRAD, made.storage)
    result, faults = method.apply(row, Arguments((fact, *arguments)), c.context)
    if faults or not isinstance(result, TensorFact):
        return UNKNOWN_VALUE
    return ArrayValue(result.shape, made.dtype, result.storage, c.origin(), result.layout)


# ---- attributes ---------------------------------------------------------------------------------------------------------


def _of_sizes(answer: Callable[[tuple[Dim, ...]], Value]) -> ResultColumn[Call]:
    """Makes the result of an attribute that `answer` computes from the sizes of an array."""

    def result(c: Call) -> Value:
        made = c.value("input")
        return (
            answer(made.shape) if isinstance(made, ArrayValue) and made.shape is not None else UNKNOWN_VALUE
        )

    return result


TABLE.row(
    "ndarray.shape", signature="input",
    result=_of_sizes(lambda sizes: TupleValue(tuple(map(integer, sizes)))),
)  # fmt: skip
TABLE.row("ndarray.ndim", signature="input", result=_of_sizes(lambda sizes: integer(len(sizes))))
TABLE.row(
    "ndarray.size",
    signature="input",
    result=_of_sizes(lambda sizes: integer(shapes.product(sizes))),
)


# ---- the order of dims --------------------------------------------------------------------------------------------------


def permuted(c: Call, made: ArrayValue, order: list[int] | None) -> ArrayValue:
    """Returns a view with its dims in another order; those that are left out have size 1."""
    if order is None or made.shape is None or len(order) < len(made.shape):
        made = replace(made, reversed=False)  # the dim that runs backwards may be one of those
    if made.shape is None or order is None:
        return view_of_array(c, made, None, None)
    shape = tuple(made.shape[i] for i in order)
    strides = strides_of(made)
    return view_of_array(
        c, made, shape, strides and layouts.of_strides(shape, tuple(strides[i] for i in order))
    )


def _axis(c: Call, name: str, rank: int) -> int | None:
    axis = c.int(name)
    return axis % rank if axis is not None and -rank <= axis < rank else None


def _transpose(c: Call) -> Value:
    """Evaluates `a.transpose()`, which reverses all dims, and `a.transpose(2, 0, 1)` or `np.transpose(a, (2,
    0, 1))`, which permute."""
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    if made.shape is None:
        return view_of_array(c, made, None, None)
    rank = len(made.shape)
    given = c.value("axes")
    if (isinstance(given, Scalar) and given.kind == "none") or given == TupleValue(()):
        return permuted(c, made, list(range(rank))[::-1])
    if isinstance(given, TupleValue) and len(given.items) == 1 and given.items[0] == Scalar("none"):
        return permuted(c, made, list(range(rank))[::-1])
    order = c.ints("axes")
    if order is None:
        return view_of_array(c, made, shapes.fresh(rank, c.context.site), None)
    if not all(-rank <= axis < rank for axis in order):
        return UNKNOWN_VALUE
    normal = [axis % rank for axis in order]
    return permuted(c, made, normal) if sorted(normal) == list(range(rank)) else UNKNOWN_VALUE


TABLE.row("ndarray.transpose", signature="input, *axes", result=_transpose)
TABLE.row("numpy.transpose", "numpy.permute_dims", signature="input, axes=None", result=_transpose)
TABLE.row("ndarray.T", signature="input, axes=None", result=_transpose)


def _swapaxes(c: Call) -> Value:
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    if made.shape is None:
        return view_of_array(c, made, None, None)
    order = list(range(len(made.shape)))
    first, second = _axis(c, "axis1", len(order)), _axis(c, "axis2", len(order))
    if first is None or second is None:
        return view_of_array(c, made, shapes.fresh(len(order), c.context.site), None)
    order[first], order[second] = order[second], order[first]
    return permuted(c, made, order)


TABLE.row("numpy.swapaxes", "ndarray.swapaxes", signature="input, axis1, axis2", result=_swapaxes)


def _moveaxis(c: Call) -> Value:
    made = array(c, "input") if not is_tensor(c, "input") else None
    if made is None:
        return UNKNOWN_VALUE
    source, target = c.ints("source"), c.ints("destination")
    if made.shape is None or source is None or target is None or len(source) != len(target):
        return view_of_array(c, made, None, None)
    rank = len(made.shape)
    moved = {t % rank: s % rank for s, t in zip(source, target) if -rank <= s < rank and -rank <= t < rank}
    if len(moved) != len(source) or len(set(moved.values())) != len(source):
        return UNKNOWN_VALUE
    rest = iter(i for i in range(rank) if i not in moved.values())
    return permuted(c, made, [moved[i] if i in moved else next(rest) for i in range(rank)])


TABLE.row("numpy.moveaxis", signature="input, source, destination", result=_moveaxis)


# ---- other shapes -------------------------------------------------------------------------------------------------------


def _reshape(c: Call) -> Value:
    """Returns a view where strides allow it, else a row-major copy: torch's law."""
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    if c.text("order") != "C" or c.given("copy") is not Tri.NO:
        return ArrayValue(None, made.dtype, ANY_STORAGE, c.origin())
    found = as_torch_does(c, "Tensor.reshape", made, c.value("shape"))
    if isinstance(found, ArrayValue):
        return found
    return UNKNOWN_VALUE


TABLE.row("ndarray.reshape", signature="input, *shape, order='C', copy=None", result=_reshape)
TABLE.row("numpy.reshape", signature="input, shape, order='C', *, copy=None", result=_reshape)


def _flat(copies: bool) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        made = array(c, "input")
        if made is None:
            return UNKNOWN_VALUE
        total = shapes.numel(made.shape)
        shape = None if total is None else (total,)
        if copies:
            return new(c, shape, made.dtype)
        shares = made.layout is ROW_MAJOR and c.text("order") == "C"
        return ArrayValue(shape, made.dtype, made.storage if shares else ANY_STORAGE, c.origin(), ROW_MAJOR)

    return result


TABLE.row("ndarray.flatten", signature="input, order='C'", result=_flat(True))
TABLE.row("ndarray.ravel", "numpy.ravel", signature="input, order='C'", result=_flat(False))


def _squeeze(c: Call) -> Value:
    if is_tensor(c, "input"):
        return UNKNOWN_VALUE
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    if c.given("axis") is Tri.NO:
        if made.shape is None or any(dims.is_one(size) is Tri.UNKNOWN for size in made.shape):
            return view_of_array(c, made, None, None)
        keep = [i for i, size in enumerate(made.shape) if dims.is_one(size) is Tri.NO]
    else:
        axes = c.ints("axis")
        if (
            made.shape is None
            or axes is None
            or any(not -len(made.shape) <= i < len(made.shape) for i in axes)
        ):
            return view_of_array(c, made, None, None)
        gone = {i % len(made.shape) for i in axes}
        keep = [i for i in range(len(made.shape)) if i not in gone]
    return permuted(c, made, keep)


TABLE.row("ndarray.squeeze", "numpy.squeeze", signature="input, axis=None", result=_squeeze)


def _expand_dims(c: Call) -> Value:
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    axes = c.ints("axis")
    if made.shape is None or axes is None:
        return with_first(view_of_array(c, made, None, None), 1 if axes == (0,) else None)
    rank = len(made.shape) + len(axes)
    added = {axis % rank for axis in axes if -rank <= axis < rank}
    if len(added) != len(axes):
        return UNKNOWN_VALUE
    own = iter(made.shape)
    shape = tuple(1 if i in added else next(own) for i in range(rank))
    strides = strides_of(made)
    if strides is None:
        return view_of_array(c, made, shape, None)
    steps = iter(strides)
    return view_of_array(
        c,
        made,
        shape,
        layouts.of_strides(shape, tuple(0 if i in added else next(steps) for i in range(rank))),
    )


TABLE.row("numpy.expand_dims", signature="input, axis", result=_expand_dims)


def _at_least(rank: int) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        made = array(c, "input")
        if made is None or made.shape is None:
            return UNKNOWN_VALUE
        shape = (1,) * (rank - len(made.shape)) + made.shape
        return view_of_array(c, made, shape, ROW_MAJOR if made.layout is ROW_MAJOR else None)

    return result


TABLE.row("numpy.atleast_1d", signature="input", result=_at_least(1))
TABLE.row("numpy.atleast_2d", signature="input", result=_at_least(2))


# ---- indexing -----------------------------------------------------------------------------------------------------------


def _item(c: Call) -> Value:
    """Evaluates indexing: ints, slices, None and `...` give a view, as in torch. An index array gives a copy
    of unknown shape."""
    made = c.value("input")
    if not isinstance(made, ArrayValue):
        return UNKNOWN_VALUE
    index = c.value("index")
    parts = index.items if isinstance(index, TupleValue) else (index,)
    if any(isinstance(part, (TensorFact, ListRef, TupleValue, Repeated)) for part in parts):
        return ArrayValue(None, made.dtype, ANY_STORAGE, c.origin())
    if any(isinstance(part, ArrayValue) for part in parts):
        return _picked(c, made, parts)
    if any(isinstance(part, SliceValue) and _may_step_back(part) for part in parts):
        return _stepped_back(c, made, parts)
    found = as_torch_does(c, "Tensor.__getitem__", made, index)
    if not isinstance(found, ArrayValue):
        return ArrayValue(None, made.dtype, ANY_STORAGE, c.origin())
    if found.shape == ():  # a NumPy scalar, not a view
        return ArrayValue((), made.dtype, ANY_STORAGE, c.origin(), ROW_MAJOR)
    keeps_dims = all(
        isinstance(part, SliceValue) or part in (Scalar("none"), Scalar("ellipsis")) for part in parts
    )
    return replace(found, reversed=True, layout=None) if made.reversed and keeps_dims else found


def _stepped_back(c: Call, made: ArrayValue, parts: tuple[Value, ...]) -> Value:
    """Returns a view with dims that run backwards.

    `[::-1]` keeps every size, other bounds are not worked out.
    """
    steps = [as_dim(part.step) for part in parts if isinstance(part, SliceValue) and _may_step_back(part)]
    known = all(isinstance(step, int) and step < 0 for step in steps)
    whole = [one for one in map(_whole, parts) if one is not None]
    found = None
    if known and len(whole) == len(parts):
        found = as_torch_does(c, "Tensor.__getitem__", made, TupleValue(tuple(whole)))
    shape = found.shape if isinstance(found, ArrayValue) else None
    return ArrayValue(shape, made.dtype, made.storage, c.origin(), None, known and _can_reverse(made, shape))


def _whole(part: Value) -> Value | None:
    """Returns an index part with the sizes of the reversed one: `::-1` takes all, as `:` does."""
    none = Scalar("none")
    if not isinstance(part, SliceValue) or not _may_step_back(part):
        return part
    return (
        SliceValue(none, none, none)
        if (part.start, part.stop, part.step) == (none, none, Scalar("int", -1))
        else None
    )


def _may_step_back(part: SliceValue) -> bool:
    step = as_dim(part.step)
    none = isinstance(part.step, Scalar) and part.step.kind == "none"
    return not none and not (isinstance(step, int) and step > 0)


def _picked(c: Call, made: ArrayValue, parts: tuple[Value, ...]) -> Value:
    """Returns the result of one index array in front: its shape replaces the first dim."""
    picks = parts[0]
    shape: Shape = None
    if isinstance(picks, (ArrayValue, TensorFact)) and len(parts) == 1 and picks.dtype not in (None, "bool"):
        shape = (*picks.shape, *made.shape[1:]) if picks.shape is not None and made.shape else None
    return new(c, shape, made.dtype, None)


TABLE.row("ndarray.__getitem__", signature="input, index", result=_item)


# ---- joining ------------------------------------------------------------------------------------------------------------


def _arrays(c: Call, name: str) -> list[ArrayValue] | None:
    """Returns the arrays of a sequence argument, tensors in it converted."""
    value = c.value(name)
    if isinstance(value, ArrayValue):
        if not value.shape or not isinstance(value.shape[0], int) or not 0 < value.shape[0] <= 64:
            return None
        return [ArrayValue(value.shape[1:], value.dtype, value.storage, layout=value.layout)] * value.shape[0]
    items = c.items(name)
    if not items:
        return None
    made = [as_array(c, item) for item in items]
    return made if are_known(made) else None


def _stack(c: Call) -> Value:
    """Returns arrays of equal shapes stacked; a generator of unknown length gives a dim of unknown size."""
    value = c.value("arrays")
    if isinstance(value, Repeated):
        made = as_array(c, value.element)
        items = None if made is None else [made]
        count: Dim = c.fresh("count") if value.length is None else value.length
    else:
        items = _arrays(c, "arrays")
        count = 0 if items is None else len(items)
    if items is None:
        first = of_data(c, value) if c.int("axis") == 0 else None
        return with_first(new(c, None, dtype_or(c, None)), first)
    shape = same_shapes([item.shape for item in items])
    result: Shape = None
    if shape is not None:
        axis = _axis(c, "axis", len(shape) + 1)
        result = None if axis is None else (*shape[:axis], count, *shape[axis:])
    return new(c, result, dtype_or(c, common_dtype(items)))


TABLE.row("numpy.stack", signature="arrays, axis=0, out=None, *, dtype=None, casting=None", result=_stack)


def joined_shape(c: Call, items: list[ArrayValue], axis: int) -> Shape:
    """Returns the shape of arrays joined along `axis`; None as well where NumPy would refuse."""
    first = items[0].shape
    if not first or not -len(first) <= axis < len(first):
        return None
    axis %= len(first)
    total: Dim = 0
    others: list[Shape] = []
    for item in items:
        if item.shape is None or len(item.shape) != len(first):
            return None
        total = total + item.shape[axis]
        others.append(item.shape[:axis] + item.shape[axis + 1 :])
    rest = same_shapes(others)
    return None if rest is None else (*rest[:axis], total, *rest[axis:])


def _sum(sizes: list[Dim]) -> Dim:
    total: Dim = 0
    for size in sizes:
        total = total + size
    return total


def _concatenate(c: Call) -> Value:
    items = _arrays(c, "arrays")
    if items is None:
        return new(c, None, dtype_or(c, _dtype_of_unknown_many(c)), None)
    shape: Shape
    if c.given("axis") is Tri.NO:
        counts = [shapes.numel(item.shape) for item in items]
        shape = (_sum(counts),) if are_known(counts) else None
    else:
        axis = c.int("axis")
        shape = None if axis is None else joined_shape(c, items, axis)
    # several arrays in another order than row-major are joined in that order
    plain = all(item.layout is ROW_MAJOR for item in items)
    return new(c, shape, dtype_or(c, common_dtype(items)), ROW_MAJOR if plain else None)


def _dtype_of_unknown_many(c: Call) -> DType | None:
    value = c.value("arrays")
    made = as_array(c, value.element) if isinstance(value, Repeated) else None
    return None if made is None else made.dtype


TABLE.row(
    "numpy.concatenate", "numpy.concat", signature="arrays, axis=0, out=None, *, dtype=None, casting=None",
    result=_concatenate,
)  # fmt: skip


def _joined_along(axis_of: Callable[[int], int], least_rank: int) -> ResultColumn[Call]:
    """Makes the result column of `hstack`, `vstack`, `dstack`: joined after giving each enough dims."""

    def result(c: Call) -> Value:
        items = _arrays(c, "arrays")
        if items is None:
            return new(c, None, dtype_or(c, None), None)
        sizes = [item.shape for item in items]
        if not are_known(sizes):
            return new(c, None, dtype_or(c, common_dtype(items)), None)
        raised = [(1,) * (least_rank - len(one)) + one for one in sizes]
        items = [
            ArrayValue(one, item.dtype, layout=item.layout) for one, item in zip(raised, items, strict=True)
        ]
        shape = joined_shape(c, items, axis_of(len(raised[0])))
        plain = all(item.layout is ROW_MAJOR for item in items)
        return new(c, shape, dtype_or(c, common_dtype(items)), ROW_MAJOR if plain else None)

    return result


_STACK = "arrays, *, dtype=None, casting=None"
TABLE.row("numpy.vstack", "numpy.row_stack", signature=_STACK, result=_joined_along(lambda rank: 0, 2))
TABLE.row("numpy.hstack", signature=_STACK, result=_joined_along(lambda rank: 0 if rank == 1 else 1, 1))


def _repeat(c: Call) -> Value:
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    times = c.dim("repeats")
    if made.shape is None or times is None:
        return new(c, None, made.dtype)
    if c.given("axis") is Tri.NO:
        return new(c, (shapes.product(made.shape) * times,), made.dtype)
    axis = _axis(c, "axis", len(made.shape))
    shape = None if axis is None else (*made.shape[:axis], made.shape[axis] * times, *made.shape[axis + 1 :])
    return new(c, shape, made.dtype)


TABLE.row("numpy.repeat", "ndarray.repeat", signature="input, repeats, axis=None", result=_repeat)


def _tile(c: Call) -> Value:
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    times = sizes(c, "reps")
    if made.shape is None or times is None:
        return new(c, None, made.dtype, None)
    rank = max(len(times), len(made.shape))
    own = (1,) * (rank - len(made.shape)) + made.shape
    times = (1,) * (rank - len(times)) + times
    return new(c, tuple(size * count for size, count in zip(own, times)), made.dtype, None)


TABLE.row("numpy.tile", signature="input, reps", result=_tile)


def _broadcast_to(c: Call) -> Value:
    made = array(c, "input")
    return UNKNOWN_VALUE if made is None else view_of_array(c, replace(made, reversed=False), sizes(c), None)


TABLE.row("numpy.broadcast_to", signature="input, shape, subok=False", result=_broadcast_to)


def _same_shape(c: Call) -> Value:
    """Returns a copy with its elements reordered: shape and dtype stay."""
    if is_tensor(c, "input"):
        return UNKNOWN_VALUE
    made = array(c, "input")
    return UNKNOWN_VALUE if made is None else ArrayValue(made.shape, made.dtype, ANY_STORAGE, c.origin())


def _flipped(c: Call) -> Value:
    """Returns a view with negative strides, whatever kind of array was passed."""
    if isinstance(c.value("input"), Unknown | Parameter):
        return ArrayValue(origin=c.origin(), reversed=True)
    made = _same_shape(c)
    if not isinstance(made, ArrayValue):
        return made
    return replace(made, reversed=_can_reverse(c.value("input"), made.shape))


def _rotated(c: Call) -> Value:
    """Evaluates `rot90`, which swaps two dims and reverses one, or reverses both. Four quarters change
    nothing."""
    made, quarters = _same_shape(c), c.int("k")
    if not isinstance(made, ArrayValue) or quarters is None:
        return UNKNOWN_VALUE
    axes = c.ints("axes")
    shape = made.shape
    if shape is not None and quarters % 2:
        swaps = axes == (0, 1) and len(shape) >= 2
        shape = (shape[1], shape[0], *shape[2:]) if swaps else None
    turned = quarters % 4 != 0 and _can_reverse(c.value("input"), made.shape)
    return replace(made, shape=shape, reversed=turned)


def _can_reverse(source: Value, shape: Shape) -> bool:
    """Returns whether reversing a dim certainly leaves one that runs backwards.  Two reversals may cancel
    out."""
    backwards = isinstance(source, ArrayValue) and source.reversed
    return not backwards and shape != () and 0 not in (shape or ())


TABLE.row("numpy.flip", signature="input, axis=None", result=_flipped)
TABLE.row("numpy.flipud", "numpy.fliplr", signature="input", result=_flipped)
TABLE.row("numpy.rot90", signature="input, k=1, axes=(0, 1)", result=_rotated)
TABLE.row("numpy.roll", signature="input, shift, axis=None", result=_same_shape)


def _sort(c: Call) -> Value:
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    shape = made.shape
    if c.given("axis") is not Tri.YES:
        shape = None
    return ArrayValue(shape, "i64" if c.name.endswith("argsort") else made.dtype, ANY_STORAGE, c.origin())


_SORT = "input, axis=-1, kind=None, order=None, *, stable=None"
TABLE.row("numpy.sort", "numpy.argsort", "ndarray.argsort", signature=_SORT, result=_sort)


def _copied(c: Call) -> Value:
    """Evaluates `a.copy()`, which is row-major unless `order` says otherwise, and `np.copy(a)`, which keeps
    the order of the dims."""
    made = c.value("input")
    if not isinstance(made, ArrayValue):
        return UNKNOWN_VALUE
    return new(c, made.shape, made.dtype, ROW_MAJOR if c.text("order") == "C" else None)


TABLE.row("ndarray.copy", signature="input, order='C'", result=_copied)
