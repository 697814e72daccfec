"""Evaluates factories: tensors from sizes, and from the tensors that they resemble."""

from __future__ import annotations

import math

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout, is_dense, of_strides
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import MemoryFormat, Parameter, Scalar, Value, as_dim, integer
from torchlsp.ops.call import Call, Columns, DTypeColumn, ShapeColumn, are_known
from torchlsp.ops.columns import (
    but,
    default_dtype,
    fixed,
    fresh,
    given_device,
    given_dtype_or,
    given_requires_grad,
    row_major,
    same_dtype,
    same_shape,
)
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.table import TABLE

OPTIONS = "dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False"


def sizes_as_shape(name: str = "size") -> ShapeColumn[Call]:
    """Makes the column of the shape that a size argument asks for; a negative size is a fault."""

    def shape(c: Call) -> Shape:
        sizes = c.sizes(name)
        if sizes is None:
            return None
        for size in sizes:
            if isinstance(size, int) and size < 0:
                raise c.broken(FaultKind.SIZE, size=size, reason="negative")
        return tuple(c.fresh(i) if size is None else size for i, size in enumerate(sizes))

    return shape


_GIVEN_OR_DEFAULT = given_dtype_or(default_dtype)


def factory(dtype: DTypeColumn[Call] = _GIVEN_OR_DEFAULT, shape: ShapeColumn[Call] | None = None) -> Columns:
    """Makes all columns of a factory: new row-major memory, a leaf."""
    return {
        "shape": shape or sizes_as_shape(), "dtype": dtype, "device": given_device, "layout": row_major, "storage": fresh,
        "grad": given_requires_grad,
    }  # fmt: skip


_SIZED = f"*size, {OPTIONS}, names=None, memory_format=None"
for _name in ("zeros", "ones", "empty"):
    TABLE.row(f"torch.{_name}", signature=_SIZED, opinfo=_name, **factory())


def _floating_samples(c: Call) -> None:
    """Raises a fault for integers of `rand` and `randn`; without elements, `randn_like` accepts them."""
    tensor = c.tensor("input")
    dtype = (
        c.dtype()
        if c.given("dtype") is Tri.YES
        else tensor.dtype
        if tensor and c.given("dtype") is Tri.NO
        else None
    )
    if dtype is None or not (dtype == "bool" or dtype in dtypes.INTEGRAL):
        return
    if tensor is None or (tensor.shape is not None and 0 not in tensor.shape):
        raise c.broken(FaultKind.RANDOM_DTYPE, input=tensor, dtype=dtype)


for _name in ("rand", "randn"):
    TABLE.row(
        f"torch.{_name}", signature=f"{_SIZED}, generator=None", faults=[_floating_samples], **factory()
    )


def scalar_dtype(c: Call, value: Value) -> DType | None:
    """Returns the dtype that torch gives a tensor of one Python number."""
    if isinstance(value, TensorFact):
        return value.dtype
    if not isinstance(value, Scalar):
        return None
    default = c.context.default_dtype
    match value.kind:
        case "float":
            return default
        case "complex":
            return None if default is None else dtypes.complex_of(default)
    return {"bool": "bool", "int": "i64"}.get(value.kind)


def _filled_dtype(c: Call) -> DType | None:
    return scalar_dtype(c, c.value("fill_value"))


TABLE.row("torch.full", signature=f"size, fill_value, *, {OPTIONS}, names=None", opinfo="full",
          **factory(given_dtype_or(_filled_dtype)))  # fmt: skip
TABLE.row(
    "torch.scalar_tensor", signature=f"s, *, {OPTIONS}", opinfo="scalar_tensor", **factory(shape=lambda c: ())
)


def _randint(c: Call) -> Value:
    """Evaluates `randint(high, size)` or `randint(low, high, size)`."""
    if c.given("size") is Tri.NO and c.dim("high") is None:
        # Bound as `low, high`: what stands second is the size.
        c.args |= {"low": integer(0), "high": c.value("low"), "size": c.value("high")}
    dtype = given_dtype_or(fixed("i64"))(c)
    shape = sizes_as_shape()(c)
    low, high = c.dim("low"), c.dim("high")
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise c.broken(FaultKind.ARGUMENT, argument="high", low=low, high=high)
    return c.make(shape, dtype, given_device(c), ROW_MAJOR, fresh(c), given_requires_grad(c, dtype))


TABLE.row(
    "torch.randint",
    signature=f"low, high=None, size=None, *, {OPTIONS}, generator=None",
    opinfo="randint",
    result=_randint,
)
TABLE.row("torch.randperm", signature=f"n, *, {OPTIONS}, generator=None",
          **factory(given_dtype_or(fixed("i64")), lambda c: _one_size(c, "n")))  # fmt: skip


def _one_size(c: Call, name: str) -> tuple[Dim]:
    size = c.dim(name)
    if isinstance(size, int) and size < 0:
        raise c.broken(FaultKind.SIZE, size=size, reason="negative")
    return (c.fresh() if size is None else size,)


def _eye_shape(c: Call) -> Shape:
    rows = _one_size(c, "n")[0]
    given = c.given("m")
    return (rows, rows if given is Tri.NO else _one_size(c, "m")[0])


TABLE.row("torch.eye", signature=f"n, m=None, *, {OPTIONS}", opinfo="eye", **factory(shape=_eye_shape))

# ---- ranges -------------------------------------------------------------------------------------------------------------


def _bounds(c: Call) -> tuple[Value, Value, Value]:
    """Returns start, end and step of `arange(end)`, `arange(start, end)`, `arange(start, end, step)`."""
    if c.given("start") is Tri.NO:
        return Scalar("int", 0), c.value("end"), c.value("step")
    if c.given("end") is Tri.NO:
        return Scalar("int", 0), c.value("start"), c.value("step")
    return c.value("start"), c.value("end"), c.value("step")


def _range_dtype(c: Call) -> DType | None:
    """Returns int64 when every bound is an int, else the default dtype."""
    kinds = [bound.kind if isinstance(bound, Scalar) else None for bound in _bounds(c)]
    if "float" in kinds:
        return c.context.default_dtype
    return "i64" if set(kinds) <= {"int", "bool"} else None


def _range_shape(c: Call) -> Shape:
    if c.given("end") is Tri.UNKNOWN and not isinstance(c.value("end"), Parameter):
        return (c.fresh(),)
    bounds = _bounds(c)
    first, last, by = (bound.value if isinstance(bound, Scalar) else None for bound in bounds)
    if isinstance(first, (int, float)) and isinstance(last, (int, float)) and isinstance(by, (int, float)):
        if by == 0 or (last - first) / by < 0 or not all(map(math.isfinite, (first, last, by))):
            raise c.broken(FaultKind.ARGUMENT, argument="step", start=first, end=last, step=by)
        if isinstance(first, int) and isinstance(last, int) and isinstance(by, int):
            return (-((first - last) // by),)
        given = c.dtype()
        whole = c.given("dtype") is Tri.NO or (given is not None and dtypes.can_require_grad(given))
        return (math.ceil((last - first) / by) if whole else c.fresh(),)
    start, end, step = (as_dim(bound) for bound in bounds)
    if start is None or end is None or not isinstance(step, int) or step < 1:
        return (c.fresh(),)
    return ((end - start + step - 1) // step,)


TABLE.row("torch.arange", signature=f"start=None, end=None, step=1, *, {OPTIONS}", opinfo="arange",
          **factory(given_dtype_or(_range_dtype), _range_shape))  # fmt: skip


def _spaced_dtype(c: Call) -> DType | None:
    """Returns the dtype of evenly spaced values: complex for a complex bound, else the default dtype."""
    bounds = [c.value("start"), c.value("end")]
    if any(not isinstance(bound, (Scalar, TensorFact)) for bound in bounds):
        return None
    found = [scalar_dtype(c, bound) for bound in bounds]
    if None in found or any(dtype in dtypes.COMPLEX for dtype in found):
        return None
    return c.context.default_dtype


_STEPS = factory(given_dtype_or(_spaced_dtype), lambda c: _one_size(c, "steps"))
TABLE.row("torch.linspace", signature=f"start, end, steps, *, {OPTIONS}", opinfo="linspace", **_STEPS)
TABLE.row(
    "torch.logspace", signature=f"start, end, steps, base=10.0, *, {OPTIONS}", opinfo="logspace", **_STEPS
)

for _name in ("hann", "hamming", "blackman", "bartlett"):
    TABLE.row(f"torch.{_name}_window", signature=f"window_length, periodic=True, *, {OPTIONS}",
              **factory(shape=lambda c: _one_size(c, "window_length")))  # fmt: skip
TABLE.row("torch.kaiser_window", signature=f"window_length, periodic=True, beta=12.0, *, {OPTIONS}",
          **factory(shape=lambda c: _one_size(c, "window_length")))  # fmt: skip
for _name in ("hann", "hamming", "blackman", "bartlett", "cosine", "nuttall"):
    TABLE.row(f"torch.signal.windows.{_name}", signature=f"M, *, sym=True, {OPTIONS}", opinfo=f"signal.windows.{_name}",
              **factory(shape=lambda c: _one_size(c, "M")))  # fmt: skip

# ---- triangles ------------------------------------------------------------------------------------------------


def _triangle_size(c: Call) -> Dim:
    rows, columns, offset = c.int("row"), c.int("col"), c.int("offset")
    if rows is None or columns is None or offset is None or rows < 0 or columns < 0:
        return c.fresh("triangle")
    if c.name.endswith("tril_indices"):
        return _below_diagonal(rows, columns, offset + 1)
    return rows * columns - _below_diagonal(rows, columns, offset)


def _below_diagonal(rows: int, columns: int, first: int) -> int:
    """Returns the number of elements of a triangle whose rows have `first`, `first + 1`, … elements, as far as there are
    columns."""
    begun = min(max(-first, 0), rows)
    full = min(max(columns - first, begun), rows)
    return (full - begun) * (2 * first + begun + full - 1) // 2 + (rows - full) * columns


for _name in ("tril_indices", "triu_indices"):
    TABLE.row(f"torch.{_name}", signature=f"row, col, offset=0, *, {OPTIONS}", opinfo=_name,
              **factory(given_dtype_or(fixed("i64")), lambda c: (2, _triangle_size(c))))  # fmt: skip


# ---- like another tensor ------------------------------------------------------------------------------------------------


def like_device(c: Call) -> Device | None:
    given = c.given("device")
    if given is Tri.YES:
        return c.device()
    tensor = c.tensor("input")
    return tensor.device if tensor is not None and given is Tri.NO else None


def like_layout(c: Call, shape: Shape) -> Layout:
    """Returns the layout of `…_like`: dense strides stay, others become dense in the same order of dims."""
    tensor, wanted = c.tensor("input"), c.value("memory_format")
    if isinstance(wanted, MemoryFormat) and wanted.name == "contiguous_format":
        return ROW_MAJOR
    if tensor is None or (
        c.given("memory_format") is not Tri.NO and wanted != MemoryFormat("preserve_format")
    ):
        return None
    return kept_layout(tensor)


def kept_layout(tensor: TensorFact) -> Layout:
    """Returns the layout of a copy in torch.preserve_format."""
    if tensor.layout is None or tensor.layout is ROW_MAJOR:
        return tensor.layout
    if tensor.shape is not None and is_dense(tensor.shape, tensor.layout) is Tri.YES:
        return tensor.layout
    return elementwise_layout([tensor], tensor.shape)


_LIKE_COLUMNS: Columns = {
    "shape": same_shape, "dtype": given_dtype_or(same_dtype), "device": like_device, "layout": like_layout, "storage": fresh,
    "grad": given_requires_grad,
}  # fmt: skip
_LIKE = f"{OPTIONS}, memory_format=None"
for _name in ("zeros", "ones", "empty", "rand", "randn"):
    TABLE.row(f"torch.{_name}_like", signature=f"input, *, {_LIKE}", opinfo=f"{_name}_like",
              faults=[_floating_samples] if "rand" in _name else [], **_LIKE_COLUMNS)  # fmt: skip
TABLE.row("torch.full_like", signature=f"input, fill_value, *, {_LIKE}", opinfo="full_like", **_LIKE_COLUMNS)
TABLE.row(
    "torch.randint_like",
    signature=f"input, low, high=None, *, {_LIKE}",
    opinfo="randint_like",
    **_LIKE_COLUMNS,
)

_NEW_COLUMNS = but(_LIKE_COLUMNS, shape=sizes_as_shape(), layout=row_major)
for _name in ("zeros", "ones", "empty"):
    TABLE.row(
        f"Tensor.new_{_name}", signature=f"input, *size, {OPTIONS}", opinfo=f"new_{_name}", **_NEW_COLUMNS
    )
TABLE.row(
    "Tensor.new_full", signature=f"input, size, fill_value, *, {OPTIONS}", opinfo="new_full", **_NEW_COLUMNS
)


def _strided(c: Call, dtype: DType | None, device: Device | None) -> Value:
    shape, strides = sizes_as_shape()(c), c.sizes("stride")
    layout: Layout = None
    if shape is not None and strides is not None and are_known(strides):
        if len(shape) != len(strides):
            raise c.broken(FaultKind.SIZE, size=shape, expected=strides, reason="strides")
        layout = of_strides(shape, strides)
    return c.make(shape, dtype, device, layout, fresh(c), given_requires_grad(c, dtype))


TABLE.row("torch.empty_strided", signature=f"size, stride, *, {OPTIONS}", opinfo="empty_strided",
          result=lambda c: _strided(c, given_dtype_or(default_dtype)(c), given_device(c)))  # fmt: skip
TABLE.row("Tensor.new_empty_strided", signature=f"input, size, stride, {OPTIONS}", opinfo="new_empty_strided",
          result=lambda c: _strided(c, given_dtype_or(same_dtype)(c), like_device(c)))  # fmt: skip
