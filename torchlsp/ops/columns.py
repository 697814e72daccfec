"""Defines columns that many rows share: small functions of a call, and functions that create such functions.

A shape column takes the call; layout columns take the call and the result's shape; grad columns the call and the result's
dtype.  Long because one place to look for a shared column beats several.
"""

from __future__ import annotations

from typing import Literal, overload

from torchlsp.facts import device as devices
from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import (
    ANY_STORAGE,
    NO_GRAD,
    UNKNOWN_GRAD,
    UNKNOWN_TENSOR,
    Grad,
    Storage,
    TensorFact,
)
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    ArrayValue,
    BoundExternal,
    External,
    Imported,
    Parameter,
    Scalar,
    TupleValue,
    Unknown,
    Value,
)
from torchlsp.ops.call import (
    Call,
    Columns,
    DeviceColumn,
    DTypeColumn,
    GradColumn,
    LayoutColumn,
    ShapeColumn,
    SomeColumns,
    StorageColumn,
)
from torchlsp.ops.default_device import report_default_device
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.outer import report_outer

_BINARY = ("input", "other")
NOT_FLOATING = frozenset({"bool"}) | dtypes.INTEGRAL

# ---- shapes -------------------------------------------------------------------------------------------------------------


def same_shape(c: Call, name: str = "input") -> Shape:
    tensor = c.tensor(name)
    return tensor.shape if tensor else None


def shape_of(name: str) -> ShapeColumn[Call]:
    return lambda c: same_shape(c, name)


_NUMBERS = frozenset({"bool", "int", "float", "complex"})


def broadcast(*names: str) -> ShapeColumn[Call]:
    """Makes the shape column of torch's broadcasting; a Python number counts as 0-d.

    With None or a text as an operand there is no result: its shape is unknown.
    """

    def shape(c: Call) -> Shape:
        found: list[Shape] = []
        for name in names:
            value = c.value(name)
            if isinstance(value, TensorFact):
                found.append(value.shape)
            elif isinstance(value, Scalar) and value.kind in _NUMBERS:
                found.append(())
            elif isinstance(value, ArrayValue):
                found.append(value.shape)
            else:
                found.append(None)
        if names == _BINARY:
            first, second = found
            if first is not None and second is not None and len(first) + len(second) == 3:
                left, right = c.value("input"), c.value("other")
                if isinstance(left, TensorFact) and isinstance(right, TensorFact):
                    report_outer(c, left, right)
        try:
            return shapes.broadcast(found, c.context.site)
        except shapes.NotBroadcastable as clash:
            raise c.broken(
                FaultKind.BROADCAST, left=c.value(names[0]), right=c.value(names[-1]), dim=clash.dim,
                left_size=clash.left, right_size=clash.right,
            ) from clash  # fmt: skip

    return shape


@overload
def broadcast_shapes(
    c: Call, found: list[tuple[Dim, ...]], left: TensorFact, right: TensorFact, trailing: int = 0
) -> tuple[Dim, ...]: ...
@overload
def broadcast_shapes(
    c: Call, found: list[Shape], left: TensorFact, right: TensorFact, trailing: int = 0
) -> Shape: ...
def broadcast_shapes(
    c: Call,
    found: list[tuple[Dim, ...]] | list[Shape],
    left: TensorFact,
    right: TensorFact,
    trailing: int = 0,
) -> Shape:
    """Returns these shapes of `left` and `right` broadcast; sizes that cannot broadcast are a fault.

    `trailing`: how many dims behind these the tensors have, as the two of a matrix behind the batch dims.
    """
    try:
        return shapes.broadcast(found, c.context.site)
    except shapes.NotBroadcastable as clash:
        raise c.broken(
            FaultKind.BROADCAST,
            left=left,
            right=right,
            dim=clash.dim - trailing,
            left_size=clash.left,
            right_size=clash.right,
        ) from None


def normal_dim(c: Call, name: str, tensor: TensorFact | None, extra: int = 0) -> int | None:
    """Returns the dim argument counted from the front.

    None when it or the rank is unknown, a fault out of range.

    `extra`: dims that the result has more than the input (1 for unsqueeze and stack).
    """
    dim = c.int(name)
    if dim is None or tensor is None or tensor.rank is None:
        return None
    found = shapes.normal_dim(dim, tensor.rank + extra)
    if found is None:
        raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=dim, rank=tensor.rank + extra)
    return found


def normal_dims(c: Call, name: str, tensor: TensorFact | None) -> tuple[int, ...] | None:
    """Returns a dim argument of one or several dims, each counted from the front."""
    given = c.ints(name)
    if given is None or tensor is None or tensor.rank is None:
        return None
    found = []
    for dim in given:
        normal = shapes.normal_dim(dim, tensor.rank)
        if normal is None:
            raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=dim, rank=tensor.rank)
        found.append(normal)
    return tuple(found)


def reduced(c: Call) -> Shape:
    """Returns the shape after reducing `dim` (absent or None: all dims) with `keepdim`."""
    tensor = c.tensor("input")
    if tensor is None:
        return None
    keepdim = c.flag("keepdim") if "keepdim" in c.args else False
    given = c.given("dim") if "dim" in c.args else Tri.NO
    if given is Tri.UNKNOWN or tensor.shape is None:
        return () if given is Tri.NO and keepdim is False else None
    if given is Tri.NO:
        dims: tuple[int, ...] | None = tuple(range(len(tensor.shape)))
    else:
        dims = normal_dims(c, "dim", tensor)
        if dims == ():  # an empty tuple of dims reduces them all
            dims = tuple(range(len(tensor.shape)))
        elif dims is not None and len(set(dims)) < len(dims):
            raise c.broken(FaultKind.ARGUMENT, input=tensor, argument="dim", value=dims, reason="repeated")
    if dims is None or keepdim is None:
        return None
    return tuple(1 if i in dims else size for i, size in enumerate(tensor.shape) if keepdim or i not in dims)


# ---- dtypes -------------------------------------------------------------------------------------------------------------


def same_dtype(c: Call, name: str = "input") -> DType | None:
    tensor = c.tensor(name)
    return tensor.dtype if tensor else None


def fixed(dtype: DType) -> DTypeColumn[Call]:
    return lambda c: dtype


def operand_type(value: Value) -> tuple[DType | None, int | None]:
    """Returns an operand as `dtype.result_type` takes it: (dtype, group)."""
    if isinstance(value, TensorFact):
        return value.dtype, None if value.shape is None else (2 if value.shape else 1)
    if isinstance(value, Scalar):
        return {"bool": "bool", "int": "i64", "float": "f64", "complex": "c128"}.get(value.kind), 0
    if isinstance(value, ArrayValue):
        return value.dtype, None if value.shape is None else (2 if value.shape else 1)
    if isinstance(value, Unknown) and value.size is not None:
        return None, None
    return None, None


def promoted(*names: str) -> DTypeColumn[Call]:
    """Makes the dtype column of torch's result type over these arguments."""

    def dtype(c: Call) -> DType | None:
        return dtypes.result_type(
            [operand_type(c.value(name)) for name in names], c.context.default_dtype or "f32"
        )

    return dtype


def promoted_to_float(*names: str) -> DTypeColumn[Call]:
    """Makes the dtype column with integers and bool made the default dtype: sqrt, true division, mean."""
    inner = promoted(*names)

    def dtype(c: Call) -> DType | None:
        found = inner(c)
        if found is None:
            return None
        return widened(c, found) if dtypes.can_require_grad(found) else c.context.default_dtype

    return dtype


def widened(c: Call, dtype: DType | None) -> DType | None:
    """Returns the dtype of an operator that autocast may run in float32: exp, pow, sum, softmax, …

    Source: https://docs.pytorch.org/docs/2.13/amp.html, the lists of operators that autocast to float32.
    """
    return None if dtype in ("f16", "bf16") and c.context.autocast is not Tri.NO else dtype


def given_dtype_or(otherwise: DTypeColumn[Call]) -> DTypeColumn[Call]:
    """Makes the column of the `dtype` argument, or of what `otherwise` gives when it is absent."""

    def dtype(c: Call) -> DType | None:
        given = c.given("dtype")
        if given is Tri.YES:
            return c.dtype()
        return otherwise(c) if given is Tri.NO else None

    return dtype


def default_dtype(c: Call) -> DType | None:
    return c.context.default_dtype


# ---- devices ------------------------------------------------------------------------------------------------------------


def same_device(c: Call, name: str = "input") -> Device | None:
    tensor = c.tensor(name)
    return tensor.device if tensor else None


def given_device(c: Call) -> Device | None:
    """Returns the `device` argument, or the default device."""
    given = c.given("device") if "device" in c.args else Tri.NO
    if given is Tri.YES:
        return c.device()
    return c.context.default_device if given is Tri.NO else None


def together(*names: str) -> DeviceColumn[Call]:
    """Makes the column of the device that these tensors share.

    A 0-d CPU tensor goes with any; known different ones are a fault.
    """

    def device(c: Call) -> Device | None:
        return common_device(c, [c.value(name) for name in names])

    return device


def common_device(c: Call, operands: list[Value]) -> Device | None:
    found: Device | None = None
    first: TensorFact | None = None
    known = True
    for value in operands:
        if isinstance(value, Scalar):
            continue
        if not isinstance(value, TensorFact) or value.device is None:
            known = False
            continue
        if value.shape == () and value.device == devices.CPU:
            continue
        if value.shape is None and value.device == devices.CPU:
            known = known and len(operands) == 1  # may be 0-d, and then it does not decide
        if first is None:
            first, found = value, value.device
            continue
        same = devices.same(found, value.device)
        # Only a CPU tensor without dims may stand beside a GPU's.
        if all(one.shape is not None or one.device != devices.CPU for one in (first, value)):
            refuse_other_device(c, first, value)
        if same is not Tri.YES:
            known = False
    if not known and len(operands) > 1:
        report_default_device(c, operands)
    if first is None and known:
        return devices.CPU
    return found if known else None


def refuse_other_device(c: Call, left: TensorFact, right: TensorFact, role: str = "") -> None:
    """Raises a fault for two tensors on different devices; `role` says what the second one is.

    *CUDA if available* beside the CPU is one where there is CUDA.

    Some operators take a meta tensor beside a real one, so that is left alone.
    """
    a, b = left.device, right.device
    if devices.META in (a, b):
        return
    if devices.same(a, b) is Tri.NO:
        raise c.broken(FaultKind.DEVICE_MISMATCH, left=left, right=right, role=role)
    if a is not None and b is not None and a.relative is not b.relative and devices.CPU in (a, b):
        raise c.broken(FaultKind.DEVICE_MISMATCH, {"cuda"}, left=left, right=right, role=role)


# ---- layouts ------------------------------------------------------------------------------------------------------------


def row_major(c: Call, shape: Shape) -> Layout:
    """Returns row-major, the layout of a new result in torch.contiguous_format."""
    return ROW_MAJOR


def preserved(*names: str) -> LayoutColumn[Call]:
    """Makes the layout column of elementwise results, whose order of dims in memory follows the operands."""

    def layout(c: Call, shape: Shape) -> Layout:
        deciding: list[TensorFact] = []
        for name in names:
            value = c.value(name)
            if isinstance(value, Scalar):
                continue
            if not isinstance(value, TensorFact):
                return None
            if value.shape == ():
                continue
            deciding.append(value)
        return elementwise_layout(deciding, shape)

    return layout


# ---- storage ------------------------------------------------------------------------------------------------------------


def fresh(c: Call) -> Storage:
    return c.fresh_storage()


def view_of(name: str = "input") -> StorageColumn[Call]:
    """Makes the storage column of a view: the same memory as the argument's."""

    def storage(c: Call) -> Storage:
        tensor = c.tensor(name)
        return tensor.storage if tensor else ANY_STORAGE

    return storage


# ---- grad ---------------------------------------------------------------------------------------------------------------


def through(c: Call, dtype: DType | None) -> Grad:
    """Returns the grad of a differentiable operator of all its tensor arguments."""
    return grad_through(c, c.parents(), dtype)


def through_of(*names: str) -> GradColumn[Call]:
    """Makes the grad column of a differentiable operator of these arguments only."""

    def grad(c: Call, dtype: DType | None) -> Grad:
        tensors = [c.value(name) for name in names]
        return grad_through(c, tuple(t for t in tensors if isinstance(t, TensorFact)), dtype, all(
            isinstance(t, (TensorFact, Scalar)) for t in tensors
        ))  # fmt: skip

    return grad


def grad_through(
    c: Call, parents: tuple[TensorFact, ...], dtype: DType | None, complete: bool | None = None
) -> Grad:
    """Returns the grad of a differentiable result: grad mode, some input and the dtype decide.

    `complete`: False when an argument is not known, so that it may be one more tensor that requires grad.
    """
    if dtype is not None and not dtypes.can_require_grad(dtype):
        return NO_GRAD
    if complete is None:
        complete = knows_all_tensors(c)
    needed = Tri.NO if complete else Tri.UNKNOWN
    for parent in parents:
        needed = needed.either(parent.grad.requires)
    requires = needed.both(c.context.grad_mode)
    if dtype is None and requires is Tri.YES:
        requires = Tri.YES if all(p.grad.requires is not Tri.UNKNOWN for p in parents) else Tri.UNKNOWN
    return Grad(requires, requires.negated())


def through_view(c: Call, dtype: DType | None) -> Grad:
    """Returns the grad of a view of `input`: as `input`, without grad mode too (then as a leaf).

    Source: `DifferentiableViewMeta::requires_grad` (torch 2.13): a view asks its base.
    """
    return grad_of_view(c, c.tensor("input"))


def grad_of_view(c: Call, base: TensorFact | None) -> Grad:
    if base is None:
        return UNKNOWN_GRAD
    requires = base.grad.requires
    if c.context.grad_mode is not Tri.YES and base.grad.leaf is not Tri.NO and _is_computed(base):
        requires = requires.both(Tri.UNKNOWN)
    return Grad(requires, requires.both(c.context.grad_mode).negated())


def _is_computed(leaf: TensorFact) -> bool:
    """Returns whether a leaf may be a view of another tensor, which a view of it asks: `x.t().requires_grad_()`."""
    origin = leaf.origin
    while origin is not None and origin.op == "Tensor.requires_grad_" and origin.parents:
        origin = origin.parents[0].origin
    return origin is not None and bool(origin.parents)


def knows_all_tensors(c: Call) -> bool:
    """Returns whether no argument is unknown, so that it might be one more tensor."""
    return all(_is_plain(value, c) for value in c.args.values())


def _is_plain(value: Value, c: Call) -> bool:
    if isinstance(value, Unknown):
        return value.size is not None
    if isinstance(value, (Parameter, External, BoundExternal, Imported)):
        return False  # an attribute of an unknown base class may be a tensor
    items = c.context.elements(value) if isinstance(value, TupleValue) else None
    return items is None or all(_is_plain(item, c) for item in items)


def no_grad(c: Call, dtype: DType | None) -> Grad:
    """Returns the grad of results that never require it: comparisons, indices, detach."""
    return NO_GRAD


def given_requires_grad(c: Call, dtype: DType | None) -> Grad:
    """Returns the grad of a new leaf, with `requires_grad` as given.  Asking it of integers is a fault."""
    flag = c.flag("requires_grad") if "requires_grad" in c.args else False
    if flag and dtype is not None and not dtypes.can_require_grad(dtype):
        raise c.broken(FaultKind.GRAD_DTYPE, dtype=dtype)
    return Grad(Tri.of(flag), Tri.YES)


# ---- several results ----------------------------------------------------------------------------------------------------


def named(names: tuple[str, ...], *results: TensorFact) -> TupleValue:
    """Returns a named tuple of results: `values, indices`."""
    return TupleValue(tuple(results), names)


def pointwise(*names: str, dtype: DTypeColumn[Call] | None = None) -> Columns:
    """Makes all six columns of an elementwise operator.

    `TABLE.row("torch.add", …, **pointwise("input", "other"))`.
    """
    return {
        "shape": broadcast(*names) if len(names) > 1 else shape_of(names[0]),
        "dtype": dtype or promoted(*names),
        "device": together(*names) if len(names) > 1 else lambda c: same_device(c, names[0]),
        "layout": preserved(*names),
        "storage": fresh,
        "grad": through_of(*names),
    }


ColumnName = Literal["shape", "dtype", "device", "layout", "storage", "grad"]


def but(
    columns: Columns,
    *,
    shape: ShapeColumn[Call] | None = None,
    dtype: DTypeColumn[Call] | None = None,
    layout: LayoutColumn[Call] | None = None,
    grad: GradColumn[Call] | None = None,
) -> Columns:
    """Returns these columns with some replaced."""
    return {
        **columns, "shape": shape or columns["shape"], "dtype": dtype or columns["dtype"],
        "layout": layout or columns["layout"], "grad": grad or columns["grad"],
    }  # fmt: skip


def leaving_out(columns: Columns, *names: ColumnName) -> SomeColumns:
    """Returns these columns without the named ones, which are unknown then."""
    left: SomeColumns = {**columns}
    for name in names:
        left[name] = None
    return left


# ---- whole results ------------------------------------------------------------------------------------------------------


def written_anew(
    c: Call, shape: Shape, dtype: DType | None, device: Device | None, grad: Grad | None = None
) -> TensorFact:
    """Returns a result in new row-major memory; it depends on no assumed layout.

    `grad`: when not given, that of a differentiable operator of all its tensor arguments.
    """
    made = c.make(
        shape, dtype, device, ROW_MAJOR, c.fresh_storage(), through(c, dtype) if grad is None else grad
    )
    return made.but(assumed=made.assumed - {"layout"})


def written_like(
    c: Call, shape: Shape, dtype: DType | None, device: Device | None, grad: Grad | None = None
) -> TensorFact:
    """Returns a result in memory of its own, row-major when all tensor arguments are, else unknown."""
    layout = ROW_MAJOR if knows_all_tensors(c) and all(p.layout is ROW_MAJOR for p in c.parents()) else None
    return c.make(
        shape, dtype, device, layout, c.fresh_storage(), through(c, dtype) if grad is None else grad
    )


def one_dtype(c: Call, *operands: Value) -> DType | None:
    """Returns the dtype that these tensors must share; different ones are a fault.

    Unknown under autocast, which casts.

    An argument that is absent, or no tensor, does not take part.
    """
    if c.context.autocast is not Tri.NO:
        return None
    first: TensorFact | None = None
    for operand in operands:
        if not isinstance(operand, TensorFact) or operand.dtype is None:
            continue
        if first is None:
            first = operand
        elif operand.dtype != first.dtype:
            raise c.broken(FaultKind.DTYPE_MISMATCH, left=first, right=operand)
    return first.dtype if first else None


def certainly_expands(c: Call, tensor: TensorFact | None, target: Shape) -> None:
    """Raises a fault when the tensor certainly does not expand to the target, as addmm's `input` must."""
    if tensor is None or tensor.shape is None or target is None:
        return
    if len(tensor.shape) > len(target):
        raise c.broken(FaultKind.EXPAND, input=tensor, target=target, dim=0)
    for back in range(1, len(tensor.shape) + 1):
        size = tensor.shape[-back]
        if dims.equal(size, 1) is Tri.NO and dims.equal(size, target[-back]) is Tri.NO:
            raise c.broken(FaultKind.EXPAND, input=tensor, target=target, dim=-back)


def rank_is(c: Call, tensor: TensorFact | None, *expected: int) -> None:
    """Raises a fault when the rank is known and none of these."""
    if tensor is not None and tensor.rank is not None and tensor.rank not in expected:
        only = expected[0] if len(expected) == 1 else expected
        raise c.broken(FaultKind.RANK, input=tensor, expected=only, got=tensor.rank)


def rank_is_at_least(c: Call, tensor: TensorFact | None, least: int) -> None:
    if tensor is not None and tensor.rank is not None and tensor.rank < least:
        raise c.broken(FaultKind.RANK, input=tensor, expected=least, got=tensor.rank)


def tensor_or_unknown(c: Call, name: str) -> TensorFact:
    """Returns an argument that must be a tensor; one of which nothing is known where it is not visible."""
    return c.tensor(name) or UNKNOWN_TENSOR
