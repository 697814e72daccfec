"""Evaluates `x[...]` and `x[...] = y`: basic indexing gives views, tensors, lists and masks as indices give
copies.

Source: torch/csrc/autograd/python_variable_indexing.cpp and ATen/native/IndexingUtils.h (torch 2.13).  Integers select
before lists and tensors are applied, so that (unlike in NumPy) they never move the indexed dims to the front.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeGuard

from torchlsp.core.records import dataclass, field
from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim, Poly, Quotient
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, ONLY_SHAPED, Grad, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    AnnotatedInt,
    ArrayValue,
    ListRef,
    RankValue,
    Repeated,
    Scalar,
    SliceValue,
    TupleValue,
    Value,
    as_dim,
)
from torchlsp.ops.call import Call, are_known
from torchlsp.ops.columns import grad_of_view, grad_through, refuse_other_device
from torchlsp.ops.first_sizes import with_first_view, with_second_one
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.narrowing import assigned, mask_of_bytes, refuse_conversion
from torchlsp.ops.tensor.shaping import viewed
from torchlsp.ops.tensor.slicing import index_in_range
from torchlsp.ops.writing import after_write, refuse_write

INDEX_DTYPES = frozenset({"i64", "i32"})
MASK_DTYPES = frozenset({"bool", "u8"})


@dataclass(frozen=True, slots=True)
class Advanced:
    """Holds a list, array or tensor as an index.  `shape` None: of unknown rank.

    A mask has its own `mask` shape and takes that many dims; its `shape` is one size, the number of its true elements.
    A mask of unknown rank has no `shape` and the `mask` shape `()`.
    """

    shape: Shape
    mask: Shape = None
    contiguous: bool = True
    values: tuple[int, ...] | None = None

    @property
    def takes(self) -> int:
        return 1 if self.mask is None else len(self.mask)


@dataclass(slots=True)
class _IndexWalk:
    """The view that basic indexing returns, dim by dim, and the advanced indices at their dims."""

    sizes: list[Dim] = field(default_factory=list)
    strides: list[Dim | None] = field(default_factory=list)
    advanced: list[tuple[int, Advanced]] = field(default_factory=list)

    def add(self, size: Dim, stride: Dim | None) -> None:
        self.sizes.append(size)
        self.strides.append(stride)


class _UnknownIndex(Enum):
    UNKNOWN_INDEX = "an item of which it is not known what kind of index it is"


UNKNOWN_INDEX = _UnknownIndex.UNKNOWN_INDEX
IndexItem = Scalar | SliceValue | Advanced | _UnknownIndex
"""The content of brackets: a Scalar is an int, None, an Ellipsis or a bool."""


def classified(c: Call, tensor: TensorFact, value: Value, position: int) -> IndexItem:
    """Returns an item as Scalar int / none / ellipsis / bool, SliceValue, Advanced or UNKNOWN_INDEX."""
    match value:
        case AnnotatedInt():
            return UNKNOWN_INDEX
        case Scalar(kind="int" | "none" | "ellipsis" | "bool") | SliceValue():
            return value
        case RankValue():
            return Scalar("int")
        case TensorFact():
            return _tensor_index(c, tensor, value, position)
        case ArrayValue(shape=shape, dtype=dtype) if shape:
            if dtype == "bool":
                return Advanced((c.fresh(f"mask{position}"),), mask=shape)
            return Advanced(shape) if dtype in INDEX_DTYPES else UNKNOWN_INDEX
        case ListRef() | TupleValue():
            return _sequence_index(c, c.context.elements(value), position)
        case Scalar(kind="float" | "complex", value=number) if number is not None:
            # One that is annotated as a float may be an int: Python's typing takes it for one.
            raise c.broken(FaultKind.INDEX, input=tensor, index=value, reason="no integer")
        case Repeated(element=Scalar(kind="int"), length=length):
            return Advanced((c.fresh(f"index{position}") if length is None else length,))
    return UNKNOWN_INDEX


def _tensor_index(c: Call, tensor: TensorFact, index: TensorFact, position: int) -> IndexItem:
    if index.shape and index.device is not None and index.device != CPU and c.name != "Tensor.__setitem__":
        # indices on the CPU go with any tensor; index_put_ brings its indices to the tensor's device
        refuse_other_device(c, tensor, index)
    if index.dtype is None:
        return UNKNOWN_INDEX
    if index.dtype in MASK_DTYPES:
        mask_of_bytes(c, tensor, index)
        if index.shape is None:
            return Advanced(None, mask=(), contiguous=index.layout is ROW_MAJOR)
        if not index.shape:
            return Scalar("bool")
        return Advanced((c.fresh(f"mask{position}"),), mask=index.shape, contiguous=index.layout is ROW_MAJOR)
    if index.dtype not in INDEX_DTYPES and not (index.shape == () and index.dtype in ("i8", "i16")):
        if index.shape is not None and (index.shape or index.dtype not in ("i8", "i16")):
            raise c.broken(FaultKind.INDEX_DTYPE, input=index, tensor=tensor)
        return UNKNOWN_INDEX
    if index.shape == ():
        return Scalar("int")
    return Advanced(index.shape, contiguous=index.layout is ROW_MAJOR)


def _sequence_index(c: Call, items: tuple[Value, ...] | None, position: int) -> IndexItem:
    """Returns `[0, 2]` and `[True, False]` as indices; nested ones are unknown."""
    if items is None:
        return UNKNOWN_INDEX
    numbers = [item for item in items if isinstance(item, Scalar)]
    if len(numbers) < len(items):
        return UNKNOWN_INDEX
    kinds = {item.kind for item in numbers}
    if kinds <= {"int"}:
        values = tuple(item.value for item in numbers)
        return Advanced((len(items),), values=values if all(isinstance(one, int) for one in values) else None)
    if kinds == {"bool"}:
        known = all(item.is_known for item in numbers)
        count = sum(bool(item.value) for item in numbers) if known else c.fresh(f"mask{position}")
        return Advanced((count,), mask=(len(items),))
    return UNKNOWN_INDEX


def _takes(item: IndexItem) -> int:
    """Returns how many of the tensor's dims an item is certain to use up."""
    if isinstance(item, Advanced):
        return item.takes
    if isinstance(item, Scalar):
        return 1 if item.kind == "int" else 0
    return 1 if isinstance(item, SliceValue) else 0


def index_items(c: Call, value: Value) -> tuple[Value, ...]:
    """Returns the items between the brackets, one by one.

    A list of lists is a tuple of lists to torch, and left unknown.
    """
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, ListRef):
        items = c.context.elements(value)
        if items is None or any(not isinstance(item, Scalar) for item in items):
            return (UNKNOWN_VALUE,)
    return (value,)


# ---- reading ------------------------------------------------------------------------------------------------------------


def index(c: Call, tensor: TensorFact, items: tuple[Value, ...]) -> TensorFact:
    """Returns `tensor[items]`."""
    read = [classified(c, tensor, item, i) for i, item in enumerate(items)]
    taken = sum(_takes(item) for item in read)
    if tensor.rank is not None and taken > tensor.rank:
        if len(read) == 1 and isinstance(read[0], Advanced) and read[0].mask is not None:
            raise c.broken(
                FaultKind.MASK_SHAPE, input=tensor, mask=read[0].mask, dim=None, mask_dim=None, spreads=False
            )
        raise c.broken(FaultKind.INDEX, input=tensor, count=taken, rank=tensor.rank)
    _refuse_backwards(c, tensor, read)
    if any(item is UNKNOWN_INDEX for item in read):
        return _either(c, tensor)
    copies = any(isinstance(item, Advanced) or _is(item, "bool") for item in read)
    if tensor.shape is None or any(isinstance(item, Advanced) and item.shape is None for item in read):
        if any(isinstance(item, Advanced) and item.shape is None and item.mask is None for item in read):
            return _either(c, tensor)  # an index tensor of unknown rank may be 0-d, which selects
        if not copies:
            made = viewed(c, tensor, None, ROW_MAJOR if _keeps_row_major(c, tensor, read) else None)
            if read and _is(read[0], "none"):
                return with_first_view(made, 1)
            return with_second_one(made) if len(read) > 1 and _is(read[1], "none") else made
        alone = len(read) == 1 and isinstance(read[0], Advanced) and read[0].contiguous
        return _copied(c, tensor, None, ROW_MAJOR if alone and tensor.layout is ROW_MAJOR else None)
    walk = _walked(c, tensor, tensor.shape, read)
    if not walk.advanced:
        return viewed(c, tensor, tuple(walk.sizes), _view_layout(walk))
    return _gathered(c, tensor, walk)


def _refuse_backwards(c: Call, tensor: TensorFact, read: list[IndexItem]) -> None:
    """Raises a fault for a step below 1, whatever the sizes are.

    What has only shown its shape is an array, then.
    """
    if ONLY_SHAPED in tensor.assumed:
        return
    steps = [as_dim(item.step) for item in read if isinstance(item, SliceValue)]
    step = next((step for step in steps if isinstance(step, int) and step <= 0), None)
    if step is not None:
        flips = _flips(read)
        alone = flips is not None and all(_is_whole(item) or _reverses(item) for item in read)
        raise c.broken(FaultKind.NEGATIVE_STEP, input=tensor, step=step, flips=flips, alone=alone)


def _flips(read: list[IndexItem]) -> tuple[int, ...] | None:
    """Returns the dims of the result that `::-1` reverses, those after an Ellipsis counted from the end.

    None when reversing them is not all that steps below 1 stand for.
    """
    ellipsis = next((i for i, item in enumerate(read) if _is(item, "ellipsis")), len(read))
    found: list[int] = []
    for items, place, onwards in ((read[:ellipsis], 0, 1), (read[:ellipsis:-1], -1, -1)):
        for item in items:
            if isinstance(item, SliceValue):
                step = as_dim(item.step)
                if _reverses(item):
                    found.append(place)
                elif not _is(item.step, "none") and not (isinstance(step, int) and step > 0):
                    return None
            elif not _is(item, "int") and not _is(item, "none"):
                return None
            place += 0 if _is(item, "int") else onwards
    return tuple(found)


def _reverses(item: IndexItem) -> bool:
    if not isinstance(item, SliceValue) or as_dim(item.step) != -1:
        return False
    return _is(item.start, "none") and _is(item.stop, "none")


def _is(item: object, kind: str) -> TypeGuard[Scalar]:
    return isinstance(item, Scalar) and item.kind == kind


def _either(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns a view or a copy, of unknown shape."""
    grad = grad_of_view(c, tensor).join(_grad_of_copy(c, tensor))
    return c.make(None, tensor.dtype, tensor.device, None, ANY_STORAGE, grad, parents=(tensor,))


def _grad_of_copy(c: Call, tensor: TensorFact) -> Grad:
    return grad_through(c, (tensor,), tensor.dtype, complete=True)


def _copied(c: Call, tensor: TensorFact, shape: Shape, layout: Layout) -> TensorFact:
    grad = _grad_of_copy(c, tensor)
    return c.make(shape, tensor.dtype, tensor.device, layout, c.fresh_storage(), grad, parents=(tensor,))


def _keeps_row_major(c: Call, tensor: TensorFact, read: list[IndexItem]) -> bool:
    """Returns whether the view of a row-major tensor of unknown rank is row-major: integers first, then one
    range of step 1."""
    if tensor.layout is not ROW_MAJOR:
        return False
    cut = False
    for item in read:
        if _is(item, "none"):
            continue
        if cut and not _is_whole(item):
            return False
        if not _is(item, "int"):
            cut = True
            if isinstance(item, SliceValue) and not _is(item.step, "none") and as_dim(item.step) != 1:
                return False
    return True


def _is_whole(item: IndexItem) -> bool:
    if _is(item, "ellipsis"):
        return True
    return (
        isinstance(item, SliceValue)
        and _is(item.start, "none")
        and _is(item.stop, "none")
        and _is(item.step, "none")
    )


def _walked(c: Call, tensor: TensorFact, shape: tuple[Dim, ...], read: list[IndexItem]) -> _IndexWalk:
    """Applies the items to dims in order, an Ellipsis and the end standing for the dims that are left."""
    walk = _IndexWalk()
    strides = tensor.strides
    spare = len(shape) - sum(_takes(item) for item in read)
    at = 0

    def keep(count: int) -> None:
        nonlocal at
        for _ in range(count):
            walk.add(shape[at], None if strides is None else strides[at])
            at += 1

    for i, item in enumerate(read):
        if _is(item, "ellipsis"):
            keep(spare)
            spare = 0
        elif _is(item, "none"):
            walk.add(1, 1)
        elif _is(item, "bool"):
            size = c.fresh(f"mask{i}") if item.value is None else int(item.value)
            walk.advanced.append((len(walk.sizes), Advanced((size,), mask=(1,))))
            walk.add(1, 1)
        elif _is(item, "int"):
            index_in_range(c, tensor, at, item.value, shape[at])
            at += 1
        elif isinstance(item, SliceValue):
            size, step = sliced_size(c, shape[at], item, i)
            stride = None if strides is None or step is None else strides[at] * step
            walk.add(size, stride)
            at += 1
        elif isinstance(item, Advanced):
            _fits(c, tensor, shape, at, item)
            walk.advanced.append((len(walk.sizes), item))
            keep(item.takes)
    keep(len(shape) - at)
    return walk


def _fits(c: Call, tensor: TensorFact, shape: tuple[Dim, ...], at: int, item: Advanced) -> None:
    """Raises a fault for a mask of another shape than the dims it takes, and for indices out of range."""
    if item.mask is not None:
        for i, size in enumerate(item.mask):
            if dims.equal(size, shape[at + i]) is Tri.NO:
                spreads = shapes.same(_spread_over(item.mask, shape), shape) is Tri.YES
                raise c.broken(
                    FaultKind.MASK_SHAPE,
                    input=tensor,
                    mask=item.mask,
                    dim=at + i,
                    mask_dim=i,
                    spreads=spreads,
                )
    for value in item.values or ():
        index_in_range(c, tensor, at, value, shape[at])


def _spread_over(mask: tuple[Dim, ...], shape: tuple[Dim, ...]) -> Shape:
    """Returns the shape that a mask would broadcast to together with the whole tensor."""
    try:
        return shapes.broadcast([mask, shape], "mask")
    except shapes.NotBroadcastable:
        return None


def _view_layout(walk: _IndexWalk) -> Layout:
    if not are_known(walk.strides):
        return None
    return layouts.of_strides(tuple(walk.sizes), tuple(walk.strides))


def _gathered(c: Call, tensor: TensorFact, walk: _IndexWalk) -> TensorFact:
    """Returns the copy that advanced indices create: their common shape replaces their dims, or is in front.

    Row-major where the view and the indices are.  Measured (torch 2.13, CPU): 20,000 random indexings.
    """
    try:
        common = shapes.broadcast([item.shape for _, item in walk.advanced], c.context.site) or ()
    except shapes.NotBroadcastable as clash:
        raise c.broken(
            FaultKind.BROADCAST,
            input=tensor,
            left=TensorFact(walk.advanced[0][1].shape),
            right=TensorFact(walk.advanced[-1][1].shape),
            left_size=clash.left,
            right_size=clash.right,
            shapes=tuple(item.shape for _, item in walk.advanced),
            dim=clash.dim,
        ) from None
    taken = [dim for start, item in walk.advanced for dim in range(start, start + item.takes)]
    adjacent = taken == list(range(taken[0], taken[0] + len(taken)))
    kept = [size for i, size in enumerate(walk.sizes) if i not in taken]
    place = taken[0] if adjacent else 0
    shape = (*kept[:place], *common, *kept[place:])
    row_major = _view_layout(walk) is ROW_MAJOR and all(item.contiguous for _, item in walk.advanced)
    return _copied(c, tensor, shape, ROW_MAJOR if row_major else None)


# ---- slices -------------------------------------------------------------------------------------------------------------


def sliced_size(c: Call, size: Dim, item: SliceValue, name: object) -> tuple[Dim, Dim | None]:
    """Returns (size, step) of a slice of a dim of this size, as Python cuts ranges.

    Of a symbolic size: what `[1:]` and `[:-1]` leave is exact, sizes being generic; `[:n]` is not known where `n` may lie
    beyond the end.
    """
    step: Dim | None = 1 if _is(item.step, "none") else as_dim(item.step)
    start = 0 if _is(item.start, "none") else as_dim(item.start)
    stop = size if _is(item.stop, "none") else as_dim(item.stop)
    unknown = c.fresh(f"slice{name}")
    if start is None or stop is None or step is None:
        return unknown, step
    if isinstance(size, int) and isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return len(range(size)[start:stop:step]), step
    length = _length(start, stop, size)
    if length is None:
        if start == 0 and step == 1 and _is_several(stop) and _is_several(size):
            return c.free(f"part{name}"), step  # the lesser of two generic sizes is one
        return unknown, step
    if step == 1:
        return length, step
    return (length + step - 1) // step, step


def _is_several(size: Dim) -> bool:
    """Returns whether a size is more than one, symbols being read as generic sizes."""
    return size > 1 if isinstance(size, int) else dims.is_generic_one(size) is Tri.NO


def _length(start: Dim, stop: Dim, size: Dim) -> Dim | None:
    """Returns the number of indices from start to stop of a dim, one of the three being symbolic. None when
    not known."""
    span = stop - start
    if span == 1 and (not isinstance(start, int) or start >= 0) and (not isinstance(stop, int) or stop > 0):
        return 1  # x[i : i + 1], x[:1]; i = -1 is a mistake of its own
    first, last = _start(start, size), _stop(stop, size)
    if first is None or last is None:
        return None
    length = last - first
    if isinstance(length, int):
        return max(length, 0)
    return length if not _certainly_at_most(last, first) else 0


def _start(value: Dim, size: Dim) -> Dim | None:
    """Returns a start counted from the front.

    `[k:]` and `[-1:]` take for granted that there are so many indices.
    """
    if isinstance(value, int) and not isinstance(size, int):
        return value if value >= 0 else size - 1 if value == -1 else None
    return _stop(value, size)


def _stop(value: Dim, size: Dim) -> Dim | None:
    """Returns a stop counted from the front and cut at the size; None when that is not known.  `[:-k]` takes
    k for granted."""
    if isinstance(value, int):
        if isinstance(size, int):
            return max(size + value, 0) if value < 0 else min(value, size)
        if value < 0:
            return size + value
        return value if value == 0 or _certainly_at_most(value, size) else None
    beyond = value - size
    if isinstance(beyond, int):
        return size if beyond > 0 else value  # T - 1 of T, as -1
    if not _certainly_at_most(0, value):
        return None
    if _certainly_at_most(value, size):
        return value
    return size if _certainly_at_most(size, value) else None


def _certainly_at_most(a: Dim, b: Dim) -> bool:
    """Returns whether `a <= b` for all sizes: by the formula, or as `n//k <= n`."""
    low = dims.lower_bound(b - a)
    if low is not None and low >= 0:
        return True
    if isinstance(a, Poly) and len(a.terms) == 1:
        ((monomial, coefficient),) = a.terms
        if (
            coefficient == 1
            and len(monomial) == 1
            and monomial[0][1] == 1
            and isinstance(monomial[0][0], Quotient)
        ):
            quotient = monomial[0][0]
            return (
                quotient.numerator == b
                and isinstance(quotient.denominator, int)
                and quotient.denominator >= 1
            )
    return False


# ---- rows ---------------------------------------------------------------------------------------------------------------


def _getitem(c: Call) -> Value:
    tensor = c.tensor("input")
    return UNKNOWN_VALUE if tensor is None else index(c, tensor, index_items(c, c.value("index")))


TABLE.row("Tensor.__getitem__", signature="input, index", result=_getitem, opinfo="__getitem__")


def _setitem(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    refuse_write(c, tensor.but(layout=None))
    place = index(c, tensor, index_items(c, c.value("index")))
    value = c.value("value")
    copies = place.storage.ids is not None and place.storage != tensor.storage
    if not copies:
        refuse_write(c, place.but(grad=tensor.grad))
    if isinstance(value, TensorFact):
        _assignable(c, place, value)
        if copies and value.shape and dims.equal(shapes.product(value.shape), 1) is Tri.NO:
            refuse_conversion(
                c, tensor, value
            )  # index_put_ does not convert, but for one element under a mask
    assigned(c, tensor, value)
    # an index never brings gradients: what is written is what the value brings
    return after_write(Call(c.name, {"input": tensor, "value": value}, c.context), tensor)


def _assignable(c: Call, place: TensorFact, value: TensorFact) -> None:
    """Raises a fault when the value does not expand to the indexed shape.

    Its leading sizes of 1 are dropped.
    """
    if place.shape is None or value.shape is None:
        return
    given = list(value.shape)
    while given and len(given) > len(place.shape) and dims.is_one(given[0]) is not Tri.NO:
        given.pop(0)
    if len(given) > len(place.shape):
        raise c.broken(FaultKind.EXPAND, input=value, target=place.shape, dim=0)
    for back in range(1, len(given) + 1):
        size, target = given[-back], place.shape[-back]
        if dims.is_one(size) is Tri.NO and dims.equal(size, target) is Tri.NO:
            raise c.broken(FaultKind.EXPAND, input=value, target=place.shape, dim=-back)


TABLE.row("Tensor.__setitem__", signature="input, index, value", mutates="input", result=_setitem)
