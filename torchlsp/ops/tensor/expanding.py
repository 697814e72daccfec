"""Evaluates operators that repeat elements: expand and broadcast_to as views with stride 0; repeat, tile,
repeat_interleave as copies."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact, is_certainly_torchs
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, ListRef, TupleValue, Value
from torchlsp.ops.call import Call, are_known, are_tensors
from torchlsp.ops.columns import broadcast_shapes, normal_dim, written_anew
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.reordering import of_input
from torchlsp.ops.tensor.shaping import viewed


def expanded(c: Call, tensor: TensorFact, target: tuple[Dim | None, ...]) -> TensorFact:
    """Returns a view in which sizes of 1 take the target's size with stride 0; -1 keeps a size.

    Source: `inferExpandGeometry` in ATen/ExpandUtils.cpp (torch 2.13).
    """
    if tensor.shape is None:
        shape = tuple(c.fresh(i) if size is None or size == -1 else size for i, size in enumerate(target))
        return viewed(c, tensor, shape, None)
    missing = len(target) - len(tensor.shape)
    if missing < 0:
        raise c.broken(FaultKind.EXPAND, input=tensor, target=target, dim=0, reason="rank")
    strides = tensor.strides
    new_shape: list[Dim] = []
    new_strides: list[Dim | None] = []
    for i, size in enumerate(target):
        own = tensor.shape[i - missing] if i >= missing else None
        stride = 0 if strides is None or own is None else strides[i - missing]
        if own is None:
            if size == -1:
                raise c.broken(FaultKind.EXPAND, input=tensor, target=target, dim=i, reason="new dim")
            new_shape.append(c.fresh(i) if size is None else size)
            new_strides.append(0)
            continue
        result, keeps = _expanded_size(c, tensor, target, i, own, size)
        new_shape.append(result)
        new_strides.append(stride if keeps is Tri.YES else 0 if keeps is Tri.NO else None)
    shape = tuple(new_shape)
    if shape == tensor.shape:
        return viewed(c, tensor, shape, tensor.layout)
    layout: Layout = None
    if strides is not None and are_known(new_strides):
        layout = layouts.of_strides(shape, tuple(new_strides))
    return viewed(c, tensor, shape, layout)


def _expanded_size(
    c: Call, tensor: TensorFact, target: tuple[Dim | None, ...], i: int, own: Dim, size: Dim | None
) -> tuple[Dim, Tri]:
    """Returns the size that a dim gets, and whether it keeps its stride."""
    if size == -1:
        return own, Tri.YES
    if size is None:
        return (c.fresh(i), Tri.UNKNOWN) if dims.is_one(own) is not Tri.NO else (own, Tri.YES)
    if size == own:
        return own, Tri.YES
    if dims.is_one(own) is Tri.YES:
        return size, Tri.NO
    same = dims.equal(own, size)
    if dims.is_one(own) is Tri.NO:
        if same is Tri.NO:
            raise c.broken(FaultKind.EXPAND, input=tensor, target=target, dim=i, reason="size", size=own)
        return own, Tri.YES
    return size, Tri.NO if same is Tri.NO else Tri.UNKNOWN


def _expand(c: Call, tensor: TensorFact) -> TensorFact:
    sizes = c.sizes("size")
    return viewed(c, tensor, None, None) if sizes is None else expanded(c, tensor, sizes)


TABLE.row(
    "Tensor.expand", signature="input, *size, implicit=False", result=of_input(_expand), opinfo="expand"
)
TABLE.row(
    "torch.broadcast_to", "Tensor.broadcast_to",
    signature="input, *size", result=of_input(_expand), opinfo="broadcast_to",
)  # fmt: skip


def _expand_as(c: Call, tensor: TensorFact) -> TensorFact:
    other = c.tensor("other")
    if other is None or other.shape is None:
        return viewed(c, tensor, None, None)
    return expanded(c, tensor, other.shape).but(assumed=tensor.assumed)


TABLE.row("Tensor.expand_as", signature="input, other", result=of_input(_expand_as), opinfo="expand_as")


def _broadcast_tensors(c: Call) -> Value:
    items = c.items("tensors")
    if items is not None and len(items) == 1 and isinstance(items[0], (ListRef, TupleValue)):
        items = c.context.elements(items[0])
    if not items or not are_tensors(items):
        return UNKNOWN_VALUE
    shape = broadcast_shapes(c, [item.shape for item in items], items[0], items[-1])
    if shape is None:
        return TupleValue(tuple(viewed(c, item, None, None) for item in items))
    return TupleValue(tuple(expanded(c, item, shape) for item in items))


TABLE.row(
    "torch.broadcast_tensors", signature="*tensors", result=_broadcast_tensors, opinfo="broadcast_tensors"
)


# ---- copies -------------------------------------------------------------------------------------------------------------


def repeated_shape(c: Call, tensor: TensorFact, repeats: tuple[Dim | None, ...]) -> Shape:
    if tensor.shape is None:
        return None
    missing = len(repeats) - len(tensor.shape)
    sizes = (1,) * missing + tensor.shape
    return tuple(
        c.fresh(i) if times is None else size * times
        for i, (size, times) in enumerate(zip(sizes, repeats, strict=True))
    )


def _repeat(c: Call, tensor: TensorFact) -> TensorFact:
    repeats = c.sizes("repeats")
    if repeats is not None and tensor.rank is not None and len(repeats) < tensor.rank:
        if not is_certainly_torchs(tensor):
            return written_anew(c, None, tensor.dtype, tensor.device)
        raise c.broken(FaultKind.SIZE, input=tensor, repeats=repeats, rank=tensor.rank)
    shape = None if repeats is None else repeated_shape(c, tensor, repeats)
    return written_anew(c, shape, tensor.dtype, tensor.device)


TABLE.row("Tensor.repeat", signature="input, *repeats", result=of_input(_repeat), opinfo="repeat")


def _tile(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `tile`: repeat, with missing factors taken as 1."""
    repeats = c.sizes("dims")
    shape = None
    if repeats is not None and tensor.rank is not None:
        shape = repeated_shape(c, tensor, (1,) * (tensor.rank - len(repeats)) + repeats)
    return written_anew(c, shape, tensor.dtype, tensor.device)


TABLE.row("torch.tile", "Tensor.tile", signature="input, *dims", result=of_input(_tile), opinfo="tile")


def _repeat_interleave(c: Call, tensor: TensorFact) -> Value:
    """Returns each element `repeats` times along `dim`; without a dim the tensor is flattened."""
    if c.given("repeats") is Tri.NO:
        # the form of one tensor: how often each index is repeated
        return written_anew(c, (c.fresh(),), tensor.dtype, tensor.device, NO_GRAD)
    size: Dim | None
    before: tuple[Dim, ...] = ()
    after: tuple[Dim, ...] = ()
    if c.given("dim") is Tri.NO:
        size = shapes.numel(tensor.shape)
    else:
        dim = normal_dim(c, "dim", tensor)
        if dim is None or not tensor.shape:
            return written_anew(c, None, tensor.dtype, tensor.device).but(layout=None)
        size, before, after = tensor.shape[dim], tensor.shape[:dim], tensor.shape[dim + 1 :]
    repeats = c.dim("repeats")
    if isinstance(repeats, int) and repeats < 0:
        raise c.broken(FaultKind.SIZE, input=tensor, repeats=repeats)
    output_size = c.dim("output_size")
    if output_size is not None:
        middle: Dim = output_size
    else:
        middle = c.fresh() if repeats is None or size is None else size * repeats
    return written_anew(c, (*before, middle, *after), tensor.dtype, tensor.device)


TABLE.row(
    "torch.repeat_interleave", "Tensor.repeat_interleave",
    signature="input, repeats=None, dim=None, *, output_size=None",
    result=of_input(_repeat_interleave), opinfo="repeat_interleave",
)  # fmt: skip
