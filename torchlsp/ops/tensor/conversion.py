"""Evaluates operators that change dtype, device or the kind of value: to, float, cuda, numpy, item, detach,
clone."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from torchlsp.facts import device as devices
from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import CPU, CUDA, SOME_CUDA, Device
from torchlsp.facts.dim import is_one
from torchlsp.facts.dtype import LEGACY_TENSOR_TYPES, DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.tensor import ANY_STORAGE, NO_GRAD, UNKNOWN_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    NONE,
    UNKNOWN_VALUE,
    ArrayValue,
    DeviceValue,
    DTypeValue,
    External,
    MemoryFormat,
    Repeated,
    Scalar,
    Value,
)
from torchlsp.ops.call import PYTHON_TYPES, Call, ResultColumn
from torchlsp.ops.columns import through_of
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.creation import kept_layout
from torchlsp.ops.tensor.hostcopy import numpy_conversion
from torchlsp.ops.tensor.narrowing import to_bytes
from torchlsp.ops.tensor.shaping import with_memory_format


class _Keep(Enum):
    KEEP = "as it is"


T = TypeVar("T")
_KEEP = _Keep.KEEP
"""A dtype or device that a conversion leaves as it is."""


def converted(
    c: Call,
    tensor: TensorFact,
    dtype: DType | None | _Keep = _KEEP,
    device: Device | None | _Keep = _KEEP,
    copy: bool | None = False,
) -> TensorFact:
    """Returns the tensor in another dtype and on another device; None stands for one that is not known.

    torch hands back the tensor itself when nothing changes and no copy is asked for; else it writes new memory that keeps
    the order of dims.
    """
    new_dtype: DType | None = tensor.dtype if dtype is _Keep.KEEP else dtype
    new_device: Device | None = tensor.device if device is _Keep.KEEP else device
    to_bytes(c, tensor, new_dtype)
    unchanged = _unchanged(tensor, dtype, device)
    if unchanged is Tri.YES and copy is False:
        return tensor
    made = c.make(
        tensor.shape, new_dtype, new_device, kept_layout(tensor), c.fresh_storage(), through_of("input")(c, new_dtype),
        tensor.provenance,
    )  # fmt: skip
    if new_dtype is None and made.grad.requires is Tri.YES:
        made = made.but(grad=UNKNOWN_GRAD)  # the new dtype may be one without gradients
    if unchanged is Tri.NO or copy is True:
        return made
    layout = made.layout if made.layout == tensor.layout else None
    storage = tensor.storage.join(made.storage) if tensor.storage.ids is not None else ANY_STORAGE
    return made.but(layout=layout, storage=storage, grad=made.grad.join(tensor.grad))


def _unchanged(tensor: TensorFact, dtype: DType | None | _Keep, device: Device | None | _Keep) -> Tri:
    if dtype is _Keep.KEEP:
        same_dtype = Tri.YES
    else:
        same_dtype = Tri.of(None if dtype is None or tensor.dtype is None else dtype == tensor.dtype)
    if device is _Keep.KEEP:
        return same_dtype
    return same_dtype.both(devices.same(tensor.device, device))


def _as_device(c: Call, value: Value) -> Device | None:
    return Call(c.name, {"device": value}, c.context).device()


def _to(c: Call) -> Value:
    """Evaluates `to(dtype)`, `to(device)`, `to(device, dtype)`, `to(other)`, each with non_blocking, copy and
    memory_format."""
    tensor, target = c.tensor("input"), c.items("target")
    if tensor is None:
        return UNKNOWN_VALUE
    if target is None:
        return _to_unknown(c, tensor)
    device, dtype = c.value("device"), c.value("dtype")
    flags: list[Value] = []
    match target:
        case ():
            pass
        case (TensorFact() as other, *flags):
            return _with_format(c, converted(c, tensor, other.dtype, other.device, _copy(c, flags)))
        case (DTypeValue() as dtype, *flags):
            pass
        case (External(name=name), *flags) if name in PYTHON_TYPES:
            dtype = DTypeValue(PYTHON_TYPES[name])
        case (DeviceValue() | Scalar(kind="str" | "int" | "none") as device, *rest):
            dtype, flags = (rest[0], rest[1:]) if rest else (dtype, [])
        case _:
            return _to_unknown(c, tensor)
    example = c.tensor("other")
    if example is not None:
        return _with_format(c, converted(c, tensor, example.dtype, example.device, _copy(c, flags)))
    new_dtype = _asked(dtype, lambda: dtype.dtype if isinstance(dtype, DTypeValue) else None)
    new_device = _asked(device, lambda: _as_device(c, device))
    return _with_format(c, converted(c, tensor, new_dtype, new_device, _copy(c, flags)))


def _asked(value: Value, answer: Callable[[], T]) -> T | _Keep:
    """Returns _KEEP for an absent argument, else what is known of it."""
    return _KEEP if value == NONE else answer()


def _copy(c: Call, flags: list[Value]) -> bool | None:
    """Returns the `copy` argument: the second flag after the target, or by name."""
    if len(flags) > 1:
        return flags[1].value if isinstance(flags[1], Scalar) and isinstance(flags[1].value, bool) else None
    return c.flag("copy")


def _with_format(c: Call, made: TensorFact) -> Value:
    """Returns a conversion's result in the memory format that is asked for.

    Where nothing else changes torch looks at `suggest_memory_format`, which is not contiguity: only strides in the order
    of channels-last count as a format of their own, so `x.t().to(memory_format=torch.contiguous_format)` is `x.t()`.
    """
    wanted = c.value("memory_format")
    if wanted in (NONE, MemoryFormat("preserve_format")):
        return made
    if not isinstance(wanted, MemoryFormat):
        return made.but(
            layout=None, storage=ANY_STORAGE, grad=made.grad.join(through_of("input")(c, made.dtype))
        )
    tensor = c.tensor("input")
    in_format = with_memory_format(c, made, wanted.name)
    if made.storage == c.fresh_storage():
        return in_format.but(storage=made.storage, grad=made.grad)
    if (
        wanted.name == "contiguous_format"
        and made is tensor
        and made.rank is not None
        and made.rank not in (4, 5)
    ):
        return made
    ordinary = (
        made.layout is ROW_MAJOR
        and made.shape is not None
        and all(is_one(size) is Tri.NO for size in made.shape)
    )
    if made is tensor and (ordinary or (wanted.name == "contiguous_format" and made.layout is ROW_MAJOR)):
        return in_format if ordinary else made.but(storage=ANY_STORAGE, grad=UNKNOWN_GRAD)
    return made.but(layout=None, storage=ANY_STORAGE, grad=in_format.grad.join(made.grad))


def _to_unknown(c: Call, tensor: TensorFact) -> Value:
    """Evaluates `to` with an unknown target: a device, a dtype or a tensor.  Sizes and the order of dims
    stay."""
    return _with_format(c, converted(c, tensor, None, None, None))


TABLE.row("Tensor.to", signature="input, *target, device=None, dtype=None, other=None, non_blocking=False, copy=False, "
          "memory_format=None", result=_to, opinfo="to")  # fmt: skip


def _cast(dtype: DType) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        return UNKNOWN_VALUE if tensor is None else _with_format(c, converted(c, tensor, dtype))

    return result


for _name, _dtype in {
    "float": "f32", "double": "f64", "half": "f16", "bfloat16": "bf16", "long": "i64", "int": "i32", "short": "i16", "char": "i8",
    "byte": "u8", "bool": "bool", "cfloat": "c64", "cdouble": "c128", "chalf": "c32",
}.items():  # fmt: skip
    TABLE.row(f"Tensor.{_name}", signature="input, memory_format=None", result=_cast(_dtype), opinfo=_name)


def _moved(device: Device) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        if tensor is None:
            return UNKNOWN_VALUE
        given = c.value("device") if "device" in c.args else NONE
        target = device if given == NONE else _as_device(c, given)
        if target is None and device == CUDA:
            target = SOME_CUDA
        return _with_format(c, converted(c, tensor, device=target))

    return result


TABLE.row("Tensor.cpu", signature="input, memory_format=None", result=_moved(CPU))
TABLE.row(
    "Tensor.cuda", signature="input, device=None, non_blocking=False, memory_format=None", result=_moved(CUDA)
)


def _type(c: Call) -> Value:
    """Evaluates `x.type()`, which is a string; with a dtype or a legacy type it converts."""
    tensor, dtype = c.tensor("input"), c.value("dtype")
    if tensor is None:
        return UNKNOWN_VALUE
    if dtype == NONE:
        return Scalar("str")
    if isinstance(dtype, DTypeValue):
        return converted(c, tensor, dtype.dtype)
    name = dtype.name if isinstance(dtype, External) else c.text("dtype") or ""
    place, _, last = name.removeprefix("torch.").rpartition(".")
    known = LEGACY_TENSOR_TYPES.get(last)
    if known is None:
        return converted(c, tensor, None, None, None)
    return converted(c, tensor, known, CUDA if place == "cuda" else CPU if not place else None)


TABLE.row("Tensor.type", signature="input, dtype=None, non_blocking=False", result=_type)


def _type_as(c: Call) -> Value:
    tensor, other = c.tensor("input"), c.tensor("other")
    if tensor is None:
        return UNKNOWN_VALUE
    return (
        converted(c, tensor, None, None, None)
        if other is None
        else converted(c, tensor, other.dtype, other.device)
    )


TABLE.row("Tensor.type_as", signature="input, other", result=_type_as)

# ---- to Python and NumPy ------------------------------------------------------------------------------------------------


def _numpy(c: Call) -> Value:
    tensor, force = c.tensor("input"), c.flag("force")
    if tensor is None:
        return UNKNOWN_VALUE
    if force is False:
        return numpy_conversion(c, tensor, "Tensor.numpy")
    dtype = None if tensor.dtype == "bf16" else tensor.dtype
    shares = tensor.device == CPU and force is True
    return ArrayValue(tensor.shape, dtype, tensor.storage if shares else ANY_STORAGE, c.origin(tensor))


TABLE.row("Tensor.numpy", signature="input, *, force=False", result=_numpy)


def _array(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    array = numpy_conversion(c, tensor, "Tensor.__array__")
    return array if c.given("dtype") is Tri.NO else ArrayValue(array.shape, None, ANY_STORAGE, array.origin)


TABLE.row("Tensor.__array__", signature="input, dtype=None, copy=None", result=_array)


def scalar_kind(dtype: DType | None) -> str | None:
    """Returns the Python type of one element: int, float, bool, complex."""
    if dtype is None:
        return None
    return ("bool", "int", "float", "complex")[dtypes.category(dtype)]


def _item(c: Call) -> Value:
    """Returns one Python number; more or fewer than one element is a fault."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    count = shapes.numel(tensor.shape)
    if count is not None and dims.equal(count, 1) is Tri.NO:
        raise c.broken(
            FaultKind.SIZE, tensor.assumed & {"tensor"}, input=tensor, size=count, expected=1, reason="item"
        )
    kind = scalar_kind(tensor.dtype)
    return UNKNOWN_VALUE if kind is None else Scalar(kind)


TABLE.row("Tensor.item", result=_item, opinfo="item")


def _tolist(c: Call) -> Value:
    """Returns nested lists of numbers; a number for a 0-d tensor."""
    tensor = c.tensor("input")
    kind = None if tensor is None else scalar_kind(tensor.dtype)
    if kind is None or tensor is None or tensor.shape is None:
        return UNKNOWN_VALUE
    value: Value = Scalar(kind)
    for size in reversed(tensor.shape):
        value = Repeated(value, size)
    return value


TABLE.row("Tensor.tolist", result=_tolist)

# ---- the same values elsewhere ------------------------------------------------------------------------------------------


def _detached(c: Call) -> Value:
    """Returns the same memory outside the graph, which is no parameter of a module any more."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    made = None if tensor.provenance in ("parameter", "buffer") else tensor.provenance
    return c.make(tensor.shape, tensor.dtype, tensor.device, tensor.layout, tensor.storage, NO_GRAD, made)


TABLE.row("torch.detach", "Tensor.detach", result=_detached)
TABLE.row("Tensor.data", result=_detached)


def _cloned(c: Call) -> Value:
    tensor, wanted = c.tensor("input"), c.value("memory_format")
    if tensor is None:
        return UNKNOWN_VALUE
    made = converted(c, tensor, copy=True)
    if wanted in (NONE, MemoryFormat("preserve_format")):
        return made
    layout: Layout = None
    if isinstance(wanted, MemoryFormat):
        layout = (
            ROW_MAJOR
            if wanted.name == "contiguous_format"
            else with_memory_format(c, made, wanted.name).layout
        )
    return made.but(layout=layout, assumed=made.assumed - {"layout"} if layout is ROW_MAJOR else made.assumed)


TABLE.row(
    "torch.clone", "Tensor.clone", signature="input, *, memory_format=None", opinfo="clone", result=_cloned
)
for _name in ("pin_memory", "share_memory_"):
    TABLE.row(f"Tensor.{_name}", result=lambda c: c.tensor("input") or UNKNOWN_VALUE)
