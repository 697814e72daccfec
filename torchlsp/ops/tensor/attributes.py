"""Evaluates attributes of tensors: shape, size, dtype, device, strides, and the predicates of these.

A row named `Tensor.shape` with the signature `input` is an attribute: the interpreter asks for it under that name.
"""

from __future__ import annotations

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact, free_size
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    Condition,
    DeviceValue,
    DTypeValue,
    MemoryFormat,
    Scalar,
    ShapeOf,
    TupleValue,
    Value,
    integer,
)
from torchlsp.ops.call import Call, ResultColumn, TensorLaw
from torchlsp.ops.columns import grad_of_view, normal_dim, promoted, through_of
from torchlsp.ops.first_sizes import first_size
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.shaping import is_in_memory_format


def of_tensor(answer: TensorLaw) -> ResultColumn[Call]:
    """Makes the result column of a query about `input`, unknown for anything but a tensor."""

    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        return UNKNOWN_VALUE if tensor is None else answer(c, tensor)

    return result


def truth(answer: Tri) -> Scalar:
    """Returns a Python bool, known or not."""
    return Scalar("bool", None if answer is Tri.UNKNOWN else answer is Tri.YES)


# ---- sizes --------------------------------------------------------------------------------------------------------------


def _shape(c: Call, tensor: TensorFact) -> Value:
    if tensor.shape is None:
        return ShapeOf(tensor)
    return TupleValue(tuple(integer(size) for size in tensor.shape), is_size=True)


def _size(c: Call, tensor: TensorFact) -> Value:
    """Returns torch.Size, or one size with `dim`."""
    if c.given("dim") is Tri.NO:
        return _shape(c, tensor)
    given = c.int("dim")
    if tensor.shape == ():
        raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=given, rank=0)
    if tensor.shape is None:
        if given == 0 and (first := first_size(tensor)) is not None:
            return integer(first)
        return Scalar("int", None if given is None else free_size(tensor, given))
    dim = normal_dim(c, "dim", tensor)
    return Scalar("int") if dim is None else integer(tensor.shape[dim])


def _rank(c: Call, tensor: TensorFact) -> Value:
    return Scalar("int", tensor.rank)


def _numel(c: Call, tensor: TensorFact) -> Value:
    return Scalar("int", shapes.numel(tensor.shape))


def _stride(c: Call, tensor: TensorFact) -> Value:
    strides = tensor.strides
    # a size of 1 may have any stride: the fact's own is one of many
    if not all(shapes.is_one(size) is Tri.NO for size in tensor.shape or ()):
        strides = None
    if c.given("dim") is Tri.NO:
        return UNKNOWN_VALUE if strides is None else TupleValue(tuple(map(integer, strides)))
    dim = normal_dim(c, "dim", tensor)
    return Scalar("int") if strides is None or dim is None else integer(strides[dim])


def _length(c: Call, tensor: TensorFact) -> Value:
    """Evaluates `len(x)`; a 0-d tensor has none."""
    if tensor.shape is None:
        return Scalar("int")
    if not tensor.shape:
        raise c.broken(FaultKind.RANK, input=tensor, expected="1 or more", got=0)
    return integer(tensor.shape[0])


TABLE.row("Tensor.shape", result=of_tensor(_shape))
TABLE.row("Tensor.size", signature="input, dim=None", result=of_tensor(_size))
TABLE.row("Tensor.dim", "Tensor.ndimension", "Tensor.ndim", result=of_tensor(_rank))
TABLE.row("torch.numel", "Tensor.numel", "Tensor.nelement", result=of_tensor(_numel))
TABLE.row("Tensor.stride", signature="input, dim=None", result=of_tensor(_stride))
TABLE.row("Tensor.__len__", result=of_tensor(_length))
for _name in ("storage_offset", "data_ptr", "get_device", "_version", "output_nr"):
    TABLE.row(f"Tensor.{_name}", result=of_tensor(lambda c, tensor: Scalar("int")))

# ---- dtype --------------------------------------------------------------------------------------------------------------

_BYTES = {"bool": 1, "bf16": 2, "f8_e4m3fn": 1, "f8_e5m2": 1}


def bytes_of(dtype: DType) -> int:
    """Returns the bytes of one element."""
    return _BYTES[dtype] if dtype in _BYTES else int(dtype.strip("iufc")) // 8


def _dtype(c: Call, tensor: TensorFact) -> Value:
    return DTypeValue(tensor.dtype)


def _is_kind(kinds: frozenset[str]) -> ResultColumn[Call]:
    def answer(c: Call, tensor: TensorFact) -> Value:
        return Scalar("bool", None if tensor.dtype is None else tensor.dtype in kinds)

    return of_tensor(answer)


TABLE.row("Tensor.dtype", result=of_tensor(_dtype))
TABLE.row("torch.is_floating_point", "Tensor.is_floating_point", result=_is_kind(dtypes.FLOATING))
TABLE.row("torch.is_complex", "Tensor.is_complex", result=_is_kind(dtypes.COMPLEX))
TABLE.row("Tensor.is_signed", result=_is_kind(
    (dtypes.FLOATING | dtypes.COMPLEX | dtypes.INTEGRAL) - {"u8", "u16", "u32", "u64"}
))  # fmt: skip


def _element_size(c: Call, tensor: TensorFact) -> Value:
    return Scalar("int", None if tensor.dtype is None else bytes_of(tensor.dtype))


def _nbytes(c: Call, tensor: TensorFact) -> Value:
    count = shapes.numel(tensor.shape)
    return Scalar("int", None if tensor.dtype is None or count is None else count * bytes_of(tensor.dtype))


TABLE.row("Tensor.element_size", "Tensor.itemsize", result=of_tensor(_element_size))
TABLE.row("Tensor.nbytes", result=of_tensor(_nbytes))


def _result_type(c: Call) -> Value:
    return DTypeValue(promoted("input", "other")(c))


def _promote_types(c: Call) -> Value:
    left, right = c.dtype("type1"), c.dtype("type2")
    return DTypeValue(None if left is None or right is None else dtypes.promote(left, right))


def _can_cast(c: Call) -> Value:
    source, target = c.dtype("from_"), c.dtype("to")
    return Scalar("bool", None if source is None or target is None else dtypes.can_cast(source, target))


TABLE.row("torch.result_type", signature="input, other", result=_result_type)
TABLE.row("torch.promote_types", signature="type1, type2", result=_promote_types)
TABLE.row("torch.can_cast", signature="from_, to", result=_can_cast)

# ---- device -------------------------------------------------------------------------------------------------------------


def _device(c: Call, tensor: TensorFact) -> Value:
    return DeviceValue(tensor.device, "tensor")


def _is_on(kind: str) -> ResultColumn[Call]:
    def answer(c: Call, tensor: TensorFact) -> Value:
        device = tensor.device
        if device is None:
            return Scalar("bool")
        if device.relative:
            return (
                Condition("cuda", negated=kind == "cpu") if kind in ("cuda", "cpu") else Scalar("bool", False)
            )
        return Scalar("bool", device.kind == kind)

    return of_tensor(answer)


TABLE.row("Tensor.device", result=of_tensor(_device))
for _kind in ("cuda", "cpu", "meta", "mps", "xpu"):
    TABLE.row(f"Tensor.is_{_kind}", result=_is_on(_kind))
TABLE.row(
    "Tensor.is_pinned", signature="input, device=None", result=of_tensor(lambda c, tensor: Scalar("bool"))
)
TABLE.row("Tensor.is_shared", result=of_tensor(lambda c, tensor: Scalar("bool")))

# ---- layout -------------------------------------------------------------------------------------------------------------


def _is_contiguous(c: Call, tensor: TensorFact) -> Value:
    wanted = c.value("memory_format")
    if c.given("memory_format") is Tri.NO:
        return truth(tensor.is_contiguous())
    if not isinstance(wanted, MemoryFormat) or 1 in (tensor.shape or (1,)):
        return Scalar("bool")
    return truth(is_in_memory_format(tensor, wanted.name))


TABLE.row("Tensor.is_contiguous", signature="input, *, memory_format=None", result=of_tensor(_is_contiguous))

# ---- grad ---------------------------------------------------------------------------------------------------------------

TABLE.row("Tensor.requires_grad", result=of_tensor(lambda c, tensor: truth(tensor.grad.requires)))
TABLE.row("Tensor.is_leaf", result=of_tensor(lambda c, tensor: truth(tensor.grad.leaf)))
TABLE.row("Tensor.grad", "Tensor.grad_fn", result=of_tensor(lambda c, tensor: UNKNOWN_VALUE))

# ---- parts of complex numbers -------------------------------------------------------------------------------------------


def _part(c: Call, tensor: TensorFact) -> Value:
    """Evaluates `.real` and `.imag`: of complex numbers views of every other number. `.real` of real ones is
    the tensor itself."""
    if tensor.dtype is None:
        return c.make(tensor.shape, None, tensor.device, None, tensor.storage, grad_of_view(c, tensor))
    if tensor.dtype not in dtypes.COMPLEX:
        if c.name.endswith("imag"):
            raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="complex")
        return tensor
    strides = tensor.strides
    doubled = None if strides is None else tuple(2 * stride for stride in strides)
    return c.make(
        tensor.shape, dtypes.real_of(tensor.dtype), tensor.device, layouts.of_strides(tensor.shape, doubled), tensor.storage,
        grad_of_view(c, tensor),
    )  # fmt: skip


TABLE.row("torch.real", "Tensor.real", opinfo="real", result=of_tensor(_part))
TABLE.row("torch.imag", "Tensor.imag", opinfo="imag", result=of_tensor(_part))


def _conjugated(c: Call, tensor: TensorFact) -> Value:
    """Returns a lazy view of complex numbers, the tensor itself of real ones."""
    if tensor.dtype is None:
        return c.make(tensor.shape, None, tensor.device, tensor.layout, tensor.storage)
    if tensor.dtype not in dtypes.COMPLEX:
        return tensor
    return tensor.but(grad=grad_of_view(c, tensor), origin=c.origin(tensor))


TABLE.row("torch.conj", "Tensor.conj", opinfo="conj", result=of_tensor(_conjugated))


def _resolved(c: Call, tensor: TensorFact) -> Value:
    """Returns a copy only where the lazy bit is set, which the facts do not carry."""
    if tensor.dtype is not None and tensor.dtype not in dtypes.COMPLEX:
        return tensor
    grad = through_of("input")(c, tensor.dtype).join(tensor.grad)
    return c.make(tensor.shape, tensor.dtype, tensor.device, None, grad=grad)


TABLE.row("torch.resolve_conj", "Tensor.resolve_conj", opinfo="resolve_conj", result=of_tensor(_resolved))

# ---- is it one at all ---------------------------------------------------------------------------------------------------


def _is_tensor(c: Call) -> Value:
    value = c.value("obj")
    return Scalar(
        "bool", True if isinstance(value, TensorFact) else False if isinstance(value, Scalar) else None
    )


TABLE.row("torch.is_tensor", signature="obj", result=_is_tensor)
TABLE.row("Tensor.is_same_size", signature="input, other",
          result=of_tensor(lambda c, tensor: truth(_same_size(tensor, c.tensor("other")))))  # fmt: skip
TABLE.row("Tensor.__contains__", signature="input, element", result=lambda c: Scalar("bool"))


def _same_size(tensor: TensorFact, other: TensorFact | None) -> Tri:
    return Tri.UNKNOWN if other is None else shapes.same(tensor.shape, other.shape)
