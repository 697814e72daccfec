"""Operators that change a shape and keep the memory where strides allow: view, reshape, transpose, permute, flatten, …"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout, ViewAnswer
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, DTypeValue, Value
from torchlsp.ops.columns import fresh, normal_dim, row_major, same_device, same_dtype, same_shape, through, through_view, view_of
from torchlsp.ops.table import TABLE, Call

SAME_MEMORY = {"dtype": same_dtype, "device": same_device, "storage": view_of("input"), "grad": through_view}


def target_shape(c: Call, tensor: TensorFact, sizes: tuple[Dim | None, ...]) -> Shape:
    """The target of view and reshape with its -1 resolved.  Wrong element counts are a fault.

    A size that is not known becomes a fresh symbol; then no count is checked.
    """
    wildcards = [i for i, size in enumerate(sizes) if size == -1]
    if len(wildcards) > 1:
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="two -1")
    known = all(size is not None for size in sizes)
    named = [c.fresh(i) if size is None else size for i, size in enumerate(sizes)]
    total = shapes.numel(tensor.shape)
    if wildcards:
        rest: Dim = 1
        for i, size in enumerate(named):
            rest = rest if i == wildcards[0] else rest * size
        named[wildcards[0]] = _inferred(c, tensor, sizes, total, rest, known, wildcards[0])
    elif known and total is not None and dims.equal(total, shapes.numel(tuple(named))) is Tri.NO:
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="count")
    return tuple(named)


def _inferred(c: Call, tensor: TensorFact, sizes, total: Dim | None, rest: Dim, known: bool, index: int) -> Dim:
    if total is None or not known:
        return c.fresh(index)
    if rest == 0:
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="ambiguous")
    if isinstance(total, int) and isinstance(rest, int) and total % rest:
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="not divisible")
    return total // rest


def _viewed(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if isinstance(c.value("size"), DTypeValue) or _is_dtype(c):
        return _bitcast(c, tensor)
    sizes = c.sizes("size")
    if sizes is None:
        return c.make(None, tensor.dtype, tensor.device, None, tensor.storage, through_view(c, tensor.dtype))
    return view(c, tensor, target_shape(c, tensor, sizes))


def _is_dtype(c: Call) -> bool:
    items = c.items("size")
    return bool(items) and isinstance(items[0], DTypeValue)


def _bitcast(c: Call, tensor: TensorFact) -> Value:
    return c.make(None, None, tensor.device, None, tensor.storage)


def view(c: Call, tensor: TensorFact, target: Shape) -> TensorFact:
    """The same memory in another shape; a target that strides cannot express is a fault."""
    layout: Layout = None
    if tensor.layout is ROW_MAJOR:
        layout = ROW_MAJOR
    elif tensor.shape is not None and tensor.layout is not None and target is not None:
        answer, layout = layouts.view_strides(tensor.shape, tensor.layout, target)
        if answer is ViewAnswer.SPLIT_ACROSS_BORDER:
            raise c.broken(FaultKind.VIEW_STRIDES, tensor.assumed, input=tensor, target=target)
    return c.make(target, tensor.dtype, tensor.device, layout, tensor.storage, through_view(c, tensor.dtype))


def _reshaped(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    sizes = c.sizes("shape")
    return reshape(c, tensor, None if sizes is None else target_shape(c, tensor, sizes))


def reshape(c: Call, tensor: TensorFact, target: Shape) -> TensorFact:
    """A view where strides allow it, a row-major copy where they do not."""
    grad = through(c, tensor.dtype)
    viewed = through_view(c, tensor.dtype)
    if tensor.layout is ROW_MAJOR:
        return c.make(target, tensor.dtype, tensor.device, ROW_MAJOR, tensor.storage, viewed)
    either = tensor.storage.join(c.fresh_storage()) if tensor.storage.ids is not None else Storage()
    if tensor.shape is None or tensor.layout is None or target is None:
        return c.make(target, tensor.dtype, tensor.device, None, either, viewed.join(grad))
    answer, layout = layouts.view_strides(tensor.shape, tensor.layout, target)
    if answer is ViewAnswer.VIEWABLE:
        return c.make(target, tensor.dtype, tensor.device, layout, tensor.storage, viewed)
    if answer is ViewAnswer.SPLIT_ACROSS_BORDER:
        return c.make(target, tensor.dtype, tensor.device, ROW_MAJOR, c.fresh_storage(), grad)
    return c.make(target, tensor.dtype, tensor.device, None, either, viewed.join(grad))


TABLE.row("Tensor.view", signature="input, *size", result=_viewed, opinfo="view")
TABLE.row("torch.reshape", "Tensor.reshape", signature="input, *shape", opinfo="reshape", result=_reshaped)


def swapped(c: Call) -> tuple[int, int] | None:
    tensor = c.tensor("input")
    first, second = normal_dim(c, "dim0", tensor), normal_dim(c, "dim1", tensor)
    return None if first is None or second is None else (first, second)


def _swapped_order(c: Call) -> list[int] | None:
    pair = swapped(c)
    if pair is None:
        return None
    order = list(range(c.tensor("input").rank))
    if order:
        order[pair[0]], order[pair[1]] = order[pair[1]], order[pair[0]]
    return order


def permutation(order_of):
    """The columns of an operator that only reorders dims; `order_of(c)` gives the order, or None."""

    def shape(c: Call) -> Shape:
        order = order_of(c)
        return None if order is None else tuple(c.tensor("input").shape[i] for i in order)

    def layout(c: Call, result: Shape) -> Layout:
        order = order_of(c)
        strides = c.tensor("input").strides if order is not None else None
        return None if strides is None else layouts.of_strides(result, tuple(strides[i] for i in order))

    return {**SAME_MEMORY, "shape": shape, "layout": layout}


TABLE.row(
    "torch.transpose", "Tensor.transpose", "torch.swapaxes", "Tensor.swapaxes", "torch.swapdims", "Tensor.swapdims",
    signature="input, dim0: int, dim1: int", opinfo="transpose", **permutation(_swapped_order),
)  # fmt: skip


def _contiguous(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if tensor.is_contiguous() is Tri.YES and c.given("memory_format") is Tri.NO:
        return tensor
    if c.given("memory_format") is not Tri.NO:
        return c.make(tensor.shape, tensor.dtype, tensor.device, None, Storage(), through(c, tensor.dtype))
    storage = c.fresh_storage() if tensor.is_contiguous() is Tri.NO else Storage()
    return c.make(tensor.shape, tensor.dtype, tensor.device, ROW_MAJOR, storage, through(c, tensor.dtype)).but(
        assumed=tensor.assumed - {"layout"}
    )


TABLE.row("Tensor.contiguous", signature="input, memory_format=None", result=_contiguous, opinfo="contiguous")
