"""Evaluates tensors created from Python data and NumPy arrays: torch.tensor, as_tensor, from_numpy, the
legacy constructors."""

from __future__ import annotations

from torchlsp.core.records import dataclass
from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts.device import CPU, CUDA, Device
from torchlsp.facts.dtype import LEGACY_TENSOR_TYPES, DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, NO_GRAD, Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    ListRef,
    Parameter,
    Repeated,
    Scalar,
    Table,
    TupleValue,
    Unknown,
    Value,
    as_dim,
    as_int,
)
from torchlsp.ops.call import Call, ResultColumn, are_known
from torchlsp.ops.columns import fresh, given_device, given_requires_grad
from torchlsp.ops.first_sizes import first_size, of_data, with_first_tensor
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.creation import kept_layout, scalar_dtype, sizes_as_shape

_OPTIONS = "dtype=None, device=None, requires_grad=False, pin_memory=False, names=None"


@dataclass(frozen=True, slots=True)
class Inferred:
    """Holds what torch infers from nested data: `dtype` of its numbers, None where they are not known."""

    shape: Shape
    dtype: DType | None


UNKNOWN_DATA = Inferred(None, None)


def inferred(c: Call, data: Value, depth: int = 0) -> Inferred:
    """Returns the shape and dtype of nested lists of numbers.  Lists of different lengths are a fault.

    Source: `compute_sizes` and `infer_scalar_type` in torch/csrc/utils/tensor_new.cpp (torch 2.13).
    """
    data = c.context.held(data)
    match data:
        case TensorFact(shape=shape, dtype=dtype):
            if depth and any(dims.is_one(size) is Tri.NO for size in shape or ()):
                raise c.broken(FaultKind.SIZE, input=data, size=shape, expected=(), reason="no number")
            return Inferred(shape, dtype) if depth == 0 or shape == () else UNKNOWN_DATA
        case ArrayValue(shape=shape, dtype=dtype):
            return Inferred(shape, dtype)
        case Scalar(annotated=True) if depth == 0:
            return UNKNOWN_DATA  # an array or a tensor, where the annotation is wrong
        case Scalar(kind=kind) if kind in ("int", "float", "bool", "complex"):
            return Inferred((), scalar_dtype(c, data))
        case Repeated(element=element, length=length):
            item = inferred(c, element, depth + 1)
            size = c.fresh(f"length{depth}") if length is None else length
            return Inferred(None if item.shape is None else (size, *item.shape), item.dtype)
        case Table(dims=1, dtype=dtype, part=""):
            return Inferred((c.fresh(f"length{depth}"),), dtype)
    items = c.context.elements(data)
    if items is None:
        return UNKNOWN_DATA
    if not items:
        return Inferred((0,), c.context.default_dtype)
    found = [inferred(c, item, depth + 1) for item in items]
    return Inferred(_of_items(c, [item.shape for item in found]), _merged([item.dtype for item in found]))


def _of_items(c: Call, shapes: list[Shape]) -> Shape:
    """Returns the shape of a list of items of these shapes."""
    if not are_known(shapes):
        return None
    first = shapes[0]
    for shape in shapes[1:]:
        same_rank = len(shape) == len(first)
        if not same_rank or any(
            isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(first, shape, strict=False)
        ):
            raise c.broken(FaultKind.SIZE, size=shape, expected=first, reason="ragged")
    if any(shape != first for shape in shapes):
        return None
    return (len(shapes), *first)


def _merged(found: list[DType | None]) -> DType | None:
    result = found[0]
    for dtype in found[1:]:
        if result is None or dtype is None:
            return None
        result = dtypes.promote(result, dtype)
    return result


def refuse_reversed(c: Call, data: Value, wanted: Value | None = None) -> None:
    """Raises a fault for an array with a negative stride: torch has no such tensors.

    `wanted`: what the call gives for another array, where that is not a tensor of the same shape and dtype.
    """
    if isinstance(data, ArrayValue) and data.reversed:
        if wanted is None:
            wanted = c.make(data.shape, data.dtype, CPU, None, ANY_STORAGE, NO_GRAD)
        raise c.broken(FaultKind.NEGATIVE_STRIDES, input=data, via=c.name).giving(wanted)


def _dtype(c: Call, data: Inferred) -> DType | None:
    given = c.given("dtype")
    if given is Tri.YES:
        return c.dtype()
    return data.dtype if given is Tri.NO else None


def _device(c: Call, data: Value) -> Device | None:
    """Returns the device; data that is a tensor stays on its own, and what is not known may be one."""
    if isinstance(data, TensorFact) and c.given("device") is Tri.NO:
        return data.device
    if isinstance(data, Parameter) and data.default is None and c.given("device") is Tri.NO:
        return None
    return given_device(c)


def _tensor(c: Call) -> Value:
    """Evaluates torch.tensor, which always copies and always creates a leaf."""
    data = c.value("data")
    refuse_reversed(c, data)
    known = inferred(c, data)
    dtype = _dtype(c, known)
    layout: Layout = ROW_MAJOR
    if isinstance(data, TensorFact):
        layout = kept_layout(data)
    elif isinstance(data, ArrayValue):
        layout = kept_layout(TensorFact(data.shape, layout=data.layout))
    elif known is UNKNOWN_DATA:
        layout = None
    made = c.make(known.shape, dtype, _device(c, data), layout, fresh(c), given_requires_grad(c, dtype))
    made = with_first_tensor(made, of_data(c, data))
    return made.but(provenance="twice") if _holds_twice(c, data) else made


def _holds_twice(c: Call, data: Value) -> bool:
    """Returns whether this is a list of known integers of which one occurs more than once."""
    items = c.context.elements(data) if isinstance(data, (ListRef, TupleValue)) else None
    if not items or not isinstance(items[0], Scalar):
        return False
    numbers = [as_int(item) for item in items]
    return None not in numbers and len(set(numbers)) < len(numbers)


TABLE.row("torch.tensor", signature=f"data, *, {_OPTIONS}", result=_tensor)
TABLE.row("Tensor.new_tensor", signature=f"input, data, *, {_OPTIONS}", result=lambda c: _new_tensor(c))


def _new_tensor(c: Call) -> Value:
    """Evaluates `new_tensor`: as torch.tensor, converted to the dtype and device of the input where they are
    not passed."""
    source, data = c.tensor("input"), c.value("data")
    made = _tensor(c)
    if source is None or not isinstance(made, TensorFact):
        return UNKNOWN_VALUE
    if c.given("device") is Tri.NO and not isinstance(data, TensorFact):
        made = made.but(device=source.device)
    return made.but(dtype=source.dtype) if c.given("dtype") is Tri.NO else made


def _same_memory(c: Call, data: TensorFact | ArrayValue, dtype: DType | None) -> Storage:
    """Returns the storage: as_tensor shares memory when neither dtype nor device change."""
    if c.given("device") is not Tri.NO or dtype is None or data.dtype is None:
        is_either = isinstance(data, ArrayValue) and data.shape is None and data.storage.ids is not None
        return data.storage.join(c.fresh_storage()) if is_either else ANY_STORAGE
    if isinstance(data, ArrayValue) and not data.shape:
        return ANY_STORAGE  # a NumPy scalar is copied
    return data.storage if dtype == data.dtype else c.fresh_storage()


def _as_tensor(c: Call) -> Value:
    data = c.value("data")
    refuse_reversed(c, data)
    known = inferred(c, data)
    dtype = _dtype(c, known)
    if isinstance(data, TensorFact):
        if dtype is not None and dtype == data.dtype and c.given("device") is Tri.NO:
            return data
        grad = data.grad if dtype is None or dtypes.can_require_grad(dtype) else NO_GRAD
        grad = Grad(grad.requires, Tri.NO if grad.requires is Tri.YES else Tri.UNKNOWN)
        if dtype is None or c.given("device") is not Tri.NO or c.context.grad_mode is not Tri.YES:
            grad = Grad(Tri.NO, Tri.YES) if grad.requires is Tri.NO else Grad()
        return c.make(
            known.shape, dtype, _device(c, data), kept_layout(data), _same_memory(c, data, dtype), grad
        )
    if isinstance(data, ArrayValue):
        storage = _same_memory(c, data, dtype)
        same = storage.ids is not None and storage is data.storage
        layout = data.layout if same else kept_layout(TensorFact(data.shape, layout=data.layout))
        made = c.make(known.shape, dtype, given_device(c), layout, storage, NO_GRAD)
        return with_first_tensor(made, of_data(c, data))
    if known is UNKNOWN_DATA:
        device = given_device(c) if c.given("device") is Tri.YES else None
        may_be_tensor = isinstance(data, Parameter) or isinstance(data, Scalar) and data.annotated
        return c.make(None, dtype, device) if may_be_tensor else UNKNOWN_VALUE
    made = c.make(known.shape, dtype, given_device(c), ROW_MAJOR, fresh(c), NO_GRAD)
    return with_first_tensor(made, of_data(c, data))


TABLE.row("torch.as_tensor", signature="data, dtype=None, device=None", result=_as_tensor)


def _asarray(c: Call) -> Value:
    """Evaluates `asarray`: as as_tensor, where neither a copy nor grad is requested."""
    refuse_reversed(c, c.value("data"))
    if (
        c.given("copy") is Tri.NO
        and c.flag("requires_grad") is False
        and not isinstance(c.value("data"), TensorFact)
    ):
        return _as_tensor(c)
    known = inferred(c, c.value("data"))
    return c.make(known.shape, _dtype(c, known), _device(c, c.value("data")))


TABLE.row(
    "torch.asarray",
    signature="data, *, dtype=None, device=None, copy=None, requires_grad=False",
    result=_asarray,
)


def _from_numpy(c: Call) -> Value:
    """Returns the array's own memory and dtype; NumPy's float64 stays float64."""
    array = c.value("ndarray")
    if not isinstance(array, ArrayValue):
        return c.make(None, None, None, None, ANY_STORAGE, NO_GRAD)
    refuse_reversed(c, array)
    made = c.make(array.shape, array.dtype, CPU, array.layout, array.storage, NO_GRAD)
    return with_first_tensor(made, first_size(array))


TABLE.row("torch.from_numpy", signature="ndarray", result=_from_numpy)
TABLE.row("torch.frombuffer", signature="buffer, *, dtype, count=-1, offset=0, requires_grad=False",
          result=lambda c: c.make((c.fresh(),), c.dtype(), None, ROW_MAJOR, ANY_STORAGE, given_requires_grad(c, c.dtype())))  # fmt: skip

# ---- legacy constructors ------------------------------------------------------------------------------------------------


def _of_any_size(c: Call, rest: tuple[Value, ...] | None) -> Shape:
    """Returns the shape of a legacy constructor where at least the first size is not known."""
    if rest is None:
        return None
    return tuple(
        c.fresh(i) if (size := as_dim(one)) is None else size for i, one in enumerate((UNKNOWN_VALUE, *rest))
    )


def _may_be_data(value: Value) -> bool:
    """Returns whether a value may be a list or an array as well as a size: whatever a caller passes, and what is computed of it."""
    if isinstance(value, Parameter):
        return not isinstance(value.default, Scalar) or value.default.kind != "int"
    return isinstance(value, Unknown)


def _legacy(dtype: DType | None, device: Device | None = None) -> ResultColumn[Call]:
    """Evaluates `FloatTensor(2, 3)`, uninitialised memory of that size, and `FloatTensor([2, 3])`, which
    holds these numbers.

    `dtype` None: the default dtype.
    """

    def result(c: Call) -> Value:
        data, rest = c.context.held(c.value("data")), c.items("sizes")
        if c.given("size") is not Tri.NO:  # `FloatTensor(size=(2, 3))`
            return c.make(None, dtype or c.context.default_dtype, device, None, ANY_STORAGE, NO_GRAD)
        refuse_reversed(c, data)
        own = dtype or c.context.default_dtype
        place = device or c.context.default_device
        if isinstance(data, Scalar) and data.kind == "none":
            return c.make((0,), own, place, ROW_MAJOR, fresh(c), NO_GRAD)
        if rest and isinstance(data, TensorFact) or isinstance(data, Scalar) and data.value is None:
            # a size, whatever it is: no number alone is data here
            return c.make(_of_any_size(c, rest), own, place, ROW_MAJOR, fresh(c), NO_GRAD)
        if not rest and _may_be_data(data):
            return c.make(None, own, place, None, ANY_STORAGE, NO_GRAD)
        if as_dim(data) is not None and rest is not None:
            sizes = Call(c.name, {"size": TupleValue((data, *rest))}, c.context)
            return c.make(sizes_as_shape()(sizes), own, place, ROW_MAJOR, fresh(c), NO_GRAD)
        if as_dim(data) is not None:
            return c.make(None, own, place, ROW_MAJOR, fresh(c), NO_GRAD)
        if isinstance(data, TupleValue) and data.is_size:
            return c.make(sizes_as_shape("data")(c), own, place, ROW_MAJOR, fresh(c), NO_GRAD)
        if isinstance(data, ArrayValue):
            made = c.make(data.shape, own, place, None, data.storage.join(c.fresh_storage()), NO_GRAD)
            return with_first_tensor(made, first_size(data))
        if isinstance(data, TensorFact):
            return c.make(data.shape or None, own, place, None, ANY_STORAGE)
        known = inferred(c, data)
        if known is UNKNOWN_DATA:
            return c.make(None, own, place, None, ANY_STORAGE, NO_GRAD)
        made = c.make(known.shape, own, place, ROW_MAJOR, fresh(c), NO_GRAD)
        return with_first_tensor(made, of_data(c, data))

    return result


TABLE.row("torch.Tensor", signature="data=None, *sizes, device=None, size=None", result=_legacy(None))
for _name, _legacy_dtype in LEGACY_TENSOR_TYPES.items():
    TABLE.row(
        f"torch.{_name}", signature="data=None, *sizes, device=None, size=None", result=_legacy(_legacy_dtype)
    )
    TABLE.row(
        f"torch.cuda.{_name}",
        signature="data=None, *sizes, device=None, size=None",
        result=_legacy(_legacy_dtype, CUDA),
    )
