"""Evaluates the functions that create NumPy arrays, and defines the dtype laws.

The laws hold for NumPy 1.26 and NumPy 2 alike; where the two differ (a 0-d operand of another dtype) the answer is unknown.
No row reports a NumPy error; only the conversion of a tensor that torch refuses is a fault (`hostcopy`).
"""

from __future__ import annotations

from functools import cache

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim, Poly
from torchlsp.facts.dtype import DType
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    DTypeValue,
    External,
    ImageValue,
    ListRef,
    Parameter,
    Repeated,
    Scalar,
    Table,
    TupleValue,
    Unknown,
    Value,
)  # fmt: skip
from torchlsp.ops.call import Call, ResultColumn, are_known
from torchlsp.ops.first_sizes import of_data, with_first
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.hostcopy import numpy_conversion

SCALAR_DTYPES: dict[str, DType] = {"bool": "bool", "int": "i64", "float": "f64", "complex": "c128"}
"""The dtype of `np.array` of Python numbers. int is int64 (NumPy 2, and NumPy 1 outside Windows)."""

_CODES: dict[str, DType] = {
    "?": "bool", "b": "i8", "b1": "bool", "B": "u8", "i1": "i8", "u1": "u8", "i2": "i16", "h": "i16", "u2": "u16", "i4": "i32",
    "i": "i32", "u4": "u32", "i8": "i64", "l": "i64", "q": "i64", "u8": "u64", "f2": "f16", "e": "f16", "f4": "f32", "f": "f32",
    "f8": "f64", "d": "f64", "c8": "c64", "F": "c64", "c16": "c128", "D": "c128", "complex": "c128",
}  # fmt: skip

_BITS = {"8": 8, "16": 16, "32": 32, "64": 64, "128": 128}


def bits_of(dtype: DType) -> int:
    return _BITS[dtype.lstrip("bfiuc")] if dtype != "bool" else 8


@cache
def promote(a: DType, b: DType) -> DType | None:
    """Returns `numpy.promote_types`; None for dtypes that NumPy does not have."""
    if a not in NUMPY_DTYPES or b not in NUMPY_DTYPES:
        return None
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    low, high = sorted((a, b), key=lambda dtype: (dtypes.category(dtype), bits_of(dtype)))
    if dtypes.category(high) == 3:
        real = promote(low if dtypes.category(low) < 3 else _real_part(low), _real_part(high))
        return "c128" if real == "f64" else "c64"
    if dtypes.category(high) == 2:
        if dtypes.category(low) == 2:
            return high
        needed = {8: "f16", 16: "f32"}.get(bits_of(low), "f64")
        return max(needed, high, key=bits_of)
    if a[0] == b[0]:
        return high
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    if bits_of(signed) > bits_of(unsigned):
        return signed
    return f"i{bits_of(unsigned) * 2}" if bits_of(unsigned) < 64 else "f64"


NUMPY_DTYPES = frozenset({"bool", "f16", "f32", "f64", "c64", "c128"}) | dtypes.INTEGRAL


def _real_part(dtype: DType) -> DType:
    return {"c64": "f32", "c128": "f64"}[dtype]


def dtype_named(value: Value) -> DType | None:
    """Returns a `dtype=` argument as NumPy reads it: a scalar type, a Python type, a name or a type code."""
    match value:
        case DTypeValue(dtype=dtype, numpy=True):
            return dtype
        case External(name=name) if name.startswith("builtins."):
            return SCALAR_DTYPES.get(name.removeprefix("builtins."))
        case External(name=name) if name.startswith("numpy."):
            return dtypes.of_numpy(name.removeprefix("numpy."))
        case Scalar(value=str(text)):
            code = text.lstrip("<=|")
            return _CODES.get(code) or dtypes.of_numpy(text)
    return None


def dtype_or(c: Call, otherwise: DType | None, name: str = "dtype") -> DType | None:
    """Returns the `dtype` argument, or `otherwise` where it is absent."""
    given = c.given(name)
    if given is Tri.NO:
        return otherwise
    return dtype_named(c.value(name)) if given is Tri.YES else None


# ---- what a value is as an array ----------------------------------------------------------------------------------------


WRAPPING_BACK = frozenset(
    f"numpy.{name}"
    for name in """argsort argwhere clip linalg.inv matmul moveaxis nonzero permute_dims repeat reshape squeeze swapaxes
    transpose""".split()
)
"""Functions that give a tensor where they are given one, by its own method or by `Tensor.__array_wrap__`, as ufuncs do."""


def array(c: Call, name: str) -> ArrayValue | None:
    """Returns `numpy.asarray` of an argument; None when it is not known to be an array of numbers, or the result is none."""
    value = c.value(name)
    if isinstance(value, Scalar) and value.annotated:
        return None  # an array of some dims, where the annotation is wrong
    made = as_array(c, value)
    return None if isinstance(value, TensorFact) and c.name in WRAPPING_BACK else made


def as_array(c: Call, value: Value) -> ArrayValue | None:
    """Returns the array of an array, a number, a tensor or nested sequences of them.

    A tensor, also one inside a sequence, is converted as torch does it: that may raise `Broken`.
    """
    value = c.context.held(value)
    match value:
        case ArrayValue():
            return value
        case TensorFact():
            return numpy_conversion(c, value, c.name)
        case ImageValue(channels=channels) if channels is not None:
            sizes = tuple(
                c.free(n) if s is None else s for n, s in (("height", value.height), ("width", value.width))
            )
            return ArrayValue(sizes if channels == 1 else (*sizes, channels), "u8", layout=ROW_MAJOR)
        case Scalar(kind=kind, value=number) if kind in SCALAR_DTYPES:
            too_wide = kind == "int" and type(number) is int and not -(2**63) <= number < 2**63
            return None if too_wide else ArrayValue((), SCALAR_DTYPES[kind], layout=ROW_MAJOR)
        case Repeated(element=element, length=length):
            inner = as_array(c, element)
            if inner is None or inner.shape is None:
                return None
            outer = c.fresh("length") if length is None else length
            return ArrayValue((outer, *inner.shape), inner.dtype, layout=ROW_MAJOR)
        case TupleValue() | ListRef():
            return _of_items(c, value)
        case Table(dims=count, dtype=dtype, part=""):
            return ArrayValue(tuple(c.fresh(f"d{i}") for i in range(count)), dtype)
    return None


def _of_items(c: Call, value: Value) -> ArrayValue | None:
    items = c.context.elements(value)
    if items is None or any(isinstance(item, (Unknown, Parameter)) for item in items):
        return None
    if not items:
        return ArrayValue((0,), "f64", layout=ROW_MAJOR)
    return stacked([as_array(c, item) for item in items])


def stacked(arrays: list[ArrayValue | None]) -> ArrayValue | None:
    """Returns arrays stacked in a new first dim, with their common dtype; None where NumPy would refuse."""
    if not are_known(arrays):
        return None
    shape = same_shapes([item.shape for item in arrays])
    if shape is None:
        return None
    return ArrayValue((len(arrays), *shape), common_dtype(arrays), layout=ROW_MAJOR)


def same_shapes(found: list[Shape]) -> Shape:
    """Returns the one shape that all these must be; None when one is unknown or they certainly differ."""
    if not found or any(shape is None or shapes.same(shape, found[0]) is Tri.NO for shape in found):
        return None
    return found[0]


def common_dtype(arrays: list[ArrayValue]) -> DType | None:
    """Returns the dtype of arrays joined: no value-based rule applies, 0-d ones count like any other."""
    result: DType | None = "bool"
    for item in arrays:
        result = None if result is None or item.dtype is None else promote(result, item.dtype)
    return result


def is_tensor(c: Call, name: str) -> bool:
    return isinstance(c.value(name), TensorFact)


def new(c: Call, shape: Shape, dtype: DType | None, layout: Layout = ROW_MAJOR) -> ArrayValue:
    """Returns a new array, row-major unless said otherwise."""
    return ArrayValue(shape, dtype, c.fresh_storage(), c.origin(), layout)


def sizes(c: Call, name: str = "shape") -> Shape:
    """Returns a shape argument: an int, or a sequence of ints.

    A bare parameter may be either, and is unknown.
    """
    if isinstance(c.value(name), (Parameter, Unknown)):
        return None
    found = c.sizes(name)
    return (
        None if found is None else tuple(c.fresh(i) if size is None else size for i, size in enumerate(found))
    )


def is_c_order(c: Call) -> bool:
    """Returns whether `order` gives row-major results for row-major inputs, as when it is absent."""
    return c.given("order") is Tri.NO or c.text("order") in ("C", "K", "A")


# ---- functions that make arrays -----------------------------------------------------------------------------------------


def _filled(c: Call) -> Value:
    return new(c, sizes(c), dtype_or(c, "f64"), ROW_MAJOR if is_c_order(c) else None)


TABLE.row(
    "numpy.zeros", "numpy.ones", "numpy.empty",
    signature="shape, dtype=None, order='C', *, device=None, like=None", result=_filled,
)  # fmt: skip


def _full(c: Call) -> Value:
    value = array(c, "fill_value")
    return new(c, sizes(c), dtype_or(c, value.dtype if value else None), ROW_MAJOR if is_c_order(c) else None)


TABLE.row(
    "numpy.full",
    signature="shape, fill_value, dtype=None, order='C', *, device=None, like=None",
    result=_full,
)


def _like(c: Call) -> Value:
    prototype = array(c, "a")
    if prototype is None:
        return UNKNOWN_VALUE
    shape = prototype.shape if c.given("shape") is Tri.NO else sizes(c)
    plain = is_c_order(c) and prototype.layout is ROW_MAJOR
    return new(c, shape, dtype_or(c, prototype.dtype), ROW_MAJOR if plain else None)


_LIKE = "dtype=None, order='K', subok=True, shape=None, *, device=None"
TABLE.row("numpy.zeros_like", "numpy.ones_like", signature=f"a, {_LIKE}", result=_like)
TABLE.row("numpy.empty_like", signature=f"a, {_LIKE}", result=_like)
TABLE.row("numpy.full_like", signature=f"a, fill_value, {_LIKE}", result=_like)


def _arange(c: Call) -> Value:
    """Evaluates `arange(stop)` or `arange(start, stop[, step])`. Int64 for ints, float64 as soon as one is a
    float."""
    bounds = [c.value(name) for name in ("start", "stop", "step")]
    if c.given("stop") is Tri.NO:
        bounds[:2] = [Scalar("int", 0), bounds[0]]
    kinds = [value.kind if isinstance(value, Scalar) else None for value in bounds]
    by_kind = "f64" if "float" in kinds else "i64" if set(kinds) == {"int"} else None
    start, stop, step = (value.value if isinstance(value, Scalar) else None for value in bounds)
    return new(c, (_steps(c, start, stop, step),), dtype_or(c, by_kind))


def _steps(c: Call, start: object, stop: object, step: object) -> Dim:
    if isinstance(start, bool) or isinstance(stop, bool) or isinstance(step, bool):
        return c.fresh("steps")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step:
        return max(0, -((start - stop) // step))
    if (
        isinstance(start, (int, Poly))
        and isinstance(stop, (int, Poly))
        and step == 1
        and isinstance(step, int)
    ):
        length = stop - start
        least = dims.lower_bound(length)
        if least is not None and least >= 0:
            return length
    return c.fresh("steps")


TABLE.row(
    "numpy.arange",
    signature="start, stop=None, step=1, dtype=None, *, device=None, like=None",
    result=_arange,
)


def _spaced(c: Call) -> Value:
    """Evaluates `linspace`, `logspace`, `geomspace` between two numbers."""
    ends = [array(c, "start"), array(c, "stop")]
    if "retstep" in c.args and c.flag("retstep") is not False:
        return UNKNOWN_VALUE
    if not are_known(ends) or any(end.shape != () for end in ends):
        return new(c, None, None)
    num = c.dim("num")
    dtype = None if any(end.dtype is None or end.dtype in dtypes.COMPLEX for end in ends) else "f64"
    return new(c, (c.fresh("num") if num is None else num,), dtype_or(c, dtype))


TABLE.row(
    "numpy.linspace",
    signature="start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None", result=_spaced,
)  # fmt: skip
TABLE.row(
    "numpy.logspace",
    signature="start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0",
    result=_spaced,
)
TABLE.row(
    "numpy.geomspace", signature="start, stop, num=50, endpoint=True, dtype=None, axis=0", result=_spaced
)


def _eye(c: Call) -> Value:
    rows = c.dim("N")
    columns = rows if c.given("M") is Tri.NO else c.dim("M")
    if rows is None or columns is None:
        rows, columns = c.fresh("N") if rows is None else rows, c.fresh("M") if columns is None else columns
    return new(c, (rows, columns), dtype_or(c, "f64"), ROW_MAJOR if is_c_order(c) else None)


TABLE.row(
    "numpy.eye", signature="N, M=None, k=0, dtype=None, order='C', *, device=None, like=None", result=_eye
)
TABLE.row("numpy.identity", signature="N, dtype=None, *, M=None, order='C', like=None", result=_eye)


def _array(c: Call) -> Value:
    """Evaluates `numpy.array`: a copy, of the dtype of its numbers or of the one passed."""
    made = array(c, "object")
    if made is None:
        first = of_data(c, c.value("object")) if c.int("ndmin") == 0 or "ndmin" not in c.args else None
        return with_first(new(c, None, dtype_or(c, None), None), first)
    shape = made.shape
    ndmin = c.int("ndmin") if "ndmin" in c.args else 0
    if ndmin is None or (shape is None and ndmin):
        shape = None
    elif shape is not None:
        shape = shapes.padded(shape, ndmin)
    plain = is_c_order(c) and made.layout is ROW_MAJOR
    copied = c.flag("copy") is True
    return ArrayValue(
        shape,
        dtype_or(c, made.dtype),
        c.fresh_storage() if copied else ANY_STORAGE,
        c.origin(),
        ROW_MAJOR if plain else None,
    )


TABLE.row(
    "numpy.array",
    signature="object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None",
    result=_array,
)


def _asarray(c: Call) -> Value:
    """Returns the array itself where nothing has to change, else a copy.

    A tensor's array shares the tensor's memory.
    """
    made = array(c, "a")
    if made is None:
        first = of_data(c, c.value("a"))
        if first is not None:  # a list is copied
            return with_first(ArrayValue(None, dtype_or(c, None), c.fresh_storage(), c.origin()), first)
        return ArrayValue(None, dtype_or(c, None), ANY_STORAGE, c.origin())
    dtype = dtype_or(c, made.dtype)
    shares = isinstance(c.value("a"), (ArrayValue, TensorFact))
    same = shares and dtype is not None and dtype == made.dtype
    order = c.text("order")
    if c.given("copy") is not Tri.NO or c.given("dtype") is Tri.UNKNOWN or order in ("F",):
        return ArrayValue(made.shape, dtype, ANY_STORAGE, c.origin())
    row_major = made.layout is ROW_MAJOR
    if same and (order not in ("C",) or row_major):
        return ArrayValue(made.shape, dtype, made.storage, c.origin(), made.layout)
    storage = (
        ANY_STORAGE
        if shares and (dtype is None or made.dtype is None or order is not None)
        else c.fresh_storage()
    )
    return ArrayValue(
        made.shape, dtype, storage, c.origin(), ROW_MAJOR if row_major or order == "C" else None
    )


_ASARRAY = "dtype=None, order=None, *, device=None, copy=None, like=None"
TABLE.row("numpy.asarray", "numpy.asanyarray", signature=f"a, {_ASARRAY}", result=_asarray)


def _contiguous(c: Call) -> Value:
    """Evaluates `ascontiguousarray`, which gives a number one dim."""
    found = _asarray(c)
    if isinstance(found, ArrayValue) and found.shape == ():
        return replace(found, shape=(1,), layout=ROW_MAJOR)
    return found


TABLE.row(
    "numpy.ascontiguousarray",
    signature="a, dtype=None, *, order='C', copy=None, like=None",
    result=_contiguous,
)


def _copied(c: Call) -> Value:
    made = array(c, "a")
    if made is None:
        return new(c, None, None, None)
    return new(c, made.shape, made.dtype, ROW_MAJOR if made.layout is ROW_MAJOR and is_c_order(c) else None)


TABLE.row("numpy.copy", signature="a, order='K', subok=False", result=_copied)


def _from_text(c: Call) -> Value:
    """Evaluates readers of files and buffers: float64 of one dim or more, unless a dtype is passed."""
    return new(c, None, dtype_or(c, "f64"), None)


TABLE.row(
    "numpy.fromfile", "numpy.fromstring", signature="file, dtype=None, count=-1, sep='', offset=0, *, like=None",
    result=_from_text,
)  # fmt: skip


def _scalar_type(dtype: DType | None) -> ResultColumn[Call]:
    def made(c: Call) -> Value:
        """Evaluates `numpy.float32(x)`: a NumPy scalar of a number, an array of an array."""
        if is_tensor(c, "input"):
            return UNKNOWN_VALUE  # float64, a Python float too, takes the tensor's __float__
        value = array(c, "input")
        return UNKNOWN_VALUE if value is None else new(c, value.shape, dtype)

    return made


for _name in (
    "float64 float32 float16 int64 int32 int16 int8 uint8 uint16 uint32 uint64 complex64 complex128 bool_ double single half"
).split():
    TABLE.row(f"numpy.{_name}", signature="input=0", result=_scalar_type(dtypes.of_numpy(_name)))


def storage_of(c: Call, source: ArrayValue, copied: Tri) -> Storage:
    if copied is Tri.UNKNOWN:
        return source.storage.join(c.fresh_storage()) if source.storage.ids is not None else ANY_STORAGE
    return c.fresh_storage() if copied is Tri.YES else source.storage
