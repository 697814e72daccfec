"""Evaluates arithmetic, elementwise functions and reductions of NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    DTypeValue,
    Repeated,
    Scalar,
    Unknown,
    Value,
    as_dim,
)
from torchlsp.ops.call import Call, ResultColumn
from torchlsp.ops.first_sizes import with_first_of
from torchlsp.ops.numpy.arrays import (
    SCALAR_DTYPES,
    array,
    as_array,
    bits_of,
    dtype_or,
    is_tensor,
    new,
    promote,
    storage_of,
)  # fmt: skip
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.hostcopy import numpy_conversion

# ---- dtypes of operators ------------------------------------------------------------------------------------------------


Operand = ArrayValue | Scalar
DTypeLaw = Callable[[DType], DType | None]
"""The dtype of a result, given the operands' common dtype."""


def operands_dtype(c: Call, operands: Sequence[Operand | None]) -> DType | None:
    """Returns the common dtype of a ufunc's operands, Python numbers being weak.

    Unknown where NumPy 1 looks at values: a 0-d array or a number that may not fit beside an array of another dtype.
    """
    arrays = [value for value in operands if isinstance(value, ArrayValue)]
    numbers = [value for value in operands if isinstance(value, Scalar)]
    if not arrays or any(item.dtype is None for item in arrays):
        return None
    result = arrays[0].dtype
    if any(item.dtype != result for item in arrays):
        if any(item.shape is None or item.shape == () for item in arrays):
            return None
        for item in arrays[1:]:
            result = None if result is None else promote(result, item.dtype)
    zero_dim = all(item.shape is None or item.shape == () for item in arrays)
    for number in numbers:
        result = None if result is None else _with_number(result, number, zero_dim)
    return result


def _with_number(dtype: DType, number: Scalar, zero_dim: bool) -> DType | None:
    """Returns an array's dtype beside a Python number, which has only its kind as long as it fits."""
    own = SCALAR_DTYPES.get(number.kind)
    if own is None:
        return None
    category = dtypes.category(own)
    if category > dtypes.category(dtype):
        if own == "c128":
            return promote(dtype, "c64") if dtype in ("f32", "f64") and not zero_dim else None
        return own
    if category < dtypes.category(dtype) or own == dtype:
        return dtype if not zero_dim or bits_of(dtype) >= 64 else None
    if zero_dim and bits_of(dtype) < bits_of(own):
        return None
    fits = bits_of(dtype) >= 32 if own != "i64" else bits_of(dtype) == 64 and dtype[0] == "i"
    return dtype if fits or _is_small(number.value) else None


def _is_small(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value < 128


def _of_category(*allowed: int, **special: DType) -> DTypeLaw:
    """Makes a dtype law: the common dtype where its category is allowed; `special` maps single dtypes."""

    def law(common: DType) -> DType | None:
        if common in special:
            return special[common]
        return common if dtypes.category(common) in allowed else None

    return law


def _true_divide(common: DType) -> DType:
    return common if dtypes.category(common) >= 2 else "f64"


def _bool(common: DType) -> DType:
    return "bool"


ARITHMETIC = {
    "add": _of_category(0, 1, 2, 3),
    "sub": _of_category(1, 2, 3),
    "mul": _of_category(0, 1, 2, 3),
    "true_divide": _true_divide,
    "floor_divide": _of_category(1, 2, bool="i8"),
    "remainder": _of_category(1, 2, bool="i8"),
    "pow": _of_category(1, 2, 3),
    "and": _of_category(0, 1),
    "or": _of_category(0, 1),
    "xor": _of_category(0, 1),
    "lshift": _of_category(1),
    "rshift": _of_category(1),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _bool),
}
"""Python's operators to the dtype of their results, given the operands' common dtype."""

COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def _apply(
    c: Call, operands: Sequence[Operand | None], law: DTypeLaw, any_dtype: bool = False
) -> ArrayValue | None:
    """Returns the result of a ufunc for arrays and numbers; None when NumPy refuses, or one is not known."""
    for value in operands:
        if not isinstance(value, ArrayValue) and not (
            isinstance(value, Scalar) and value.kind in SCALAR_DTYPES
        ):
            return None
    try:
        shape = shapes.broadcast(
            [v.shape if isinstance(v, ArrayValue) else () for v in operands], c.context.site
        )
    except shapes.NotBroadcastable:
        return None
    common = operands_dtype(c, operands)
    if any_dtype:
        dtype = law("f64")
    else:
        dtype = None if common is None else law(common)
    return new(c, shape, dtype, layout_of_ufunc(operands))


def layout_of_ufunc(operands: Sequence[Operand | None]) -> Layout:
    arrays = [value for value in operands if isinstance(value, ArrayValue)]
    return ROW_MAJOR if all(item.layout is ROW_MAJOR for item in arrays) else None


def dtype_law(name: str, operands: Sequence[Operand | None]) -> DTypeLaw:
    """Returns the dtype law of an operator; a power of bool is unknown, `bool ** int` has int8."""
    if name == "pow" and any(isinstance(value, ArrayValue) and value.dtype == "bool" for value in operands):
        return _open
    return ARITHMETIC[name]


def _open(common: DType) -> None:
    return None


def _operator(name: str) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        left, right = c.value("input"), c.value("other")
        if isinstance(left, TensorFact) or isinstance(right, TensorFact):
            return _with_tensor(c, name, left, right)
        operands = [v if isinstance(v, Scalar) else as_array(c, v) for v in (left, right)]
        found = _apply(c, operands, dtype_law(name, operands), name in COMPARISONS)
        return UNKNOWN_VALUE if found is None else found

    return result


def _with_tensor(c: Call, name: str, left: Value, right: Value) -> Value:
    """Evaluates `tensor * array`, which NumPy computes: torch declines, `ndarray.__rmul__` converts the
    tensor, and the result becomes a CPU tensor again.  `array * tensor` is refused.  NumPy scalars go as
    Python numbers, and are not told apart from 0-d arrays here.  Measured on torch 2.13 with NumPy 2.4.
    """
    if not isinstance(left, TensorFact) or not isinstance(right, ArrayValue) or not right.shape:
        return UNKNOWN_VALUE
    if name in COMPARISONS or name not in _REFLECTED:
        return UNKNOWN_VALUE
    found = _apply(c, [numpy_conversion(c, left, f"ndarray.{name}"), right], ARITHMETIC[name])
    if found is None:
        return UNKNOWN_VALUE
    return c.make(found.shape, found.dtype, CPU, None, c.fresh_storage(), NO_GRAD)


_REFLECTED = frozenset({"add", "sub", "mul", "true_divide", "floor_divide"})


def _matmul(c: Call) -> Value:
    if is_tensor(c, "input") or is_tensor(c, "other"):
        return UNKNOWN_VALUE
    left, right = array(c, "input"), array(c, "other")
    if left is None or right is None:
        return UNKNOWN_VALUE
    dtype = operands_dtype(c, [left, right])
    shape = product_shape(c, left.shape, right.shape)
    return new(c, shape, dtype, None if shape is None or len(shape) > 2 else ROW_MAJOR)


def product_shape(c: Call, left: Shape, right: Shape) -> Shape:
    """Returns the shape of `@`; None as well where NumPy would refuse."""
    if not left or not right:
        return None
    a, b = (1, *left) if len(left) == 1 else left, (*right, 1) if len(right) == 1 else right
    try:
        batch = shapes.broadcast([a[:-2], b[:-2]], c.context.site)
    except shapes.NotBroadcastable:
        return None
    if shapes.same((a[-1],), (b[-2],)) is Tri.NO:
        return None
    return batch + (() if len(left) == 1 else (a[-2],)) + (() if len(right) == 1 else (b[-1],))


def _written(c: Call) -> Value:
    """Evaluates `a += b`: the array keeps its shape, dtype and memory."""
    target = c.value("input")
    return target if isinstance(target, ArrayValue) else UNKNOWN_VALUE


_SPELLINGS = {
    **{name: (f"__{name}__",) for name in ("and", "or", "xor", "lshift", "rshift")},
    "add": ("numpy.add",), "sub": ("numpy.subtract",), "mul": ("numpy.multiply",),
    "true_divide": ("numpy.divide", "numpy.true_divide"), "floor_divide": ("numpy.floor_divide",),
    "remainder": ("numpy.remainder", "numpy.mod"), "pow": ("numpy.power",),
    "eq": ("numpy.equal",), "ne": ("numpy.not_equal",), "lt": ("numpy.less",), "le": ("numpy.less_equal",),
    "gt": ("numpy.greater",), "ge": ("numpy.greater_equal",),
}  # fmt: skip


def _function(name: str) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        law = dtype_law(name, [array(c, "x1"), array(c, "x2")])
        return _ufunc(c, ("x1", "x2"), law, name in COMPARISONS)

    return result


def _operand(c: Call, name: str) -> Operand | None:
    """Returns an argument as a number or as an array, None where it is not known to be one."""
    value = c.value(name)
    return value if isinstance(value, Scalar) else as_array(c, value)


def _ufunc(c: Call, names: tuple[str, ...], law: DTypeLaw, any_dtype: bool = False) -> Value:
    """Returns the result of a ufunc that is called by name: sequences and tensors are converted first."""
    operands = [_operand(c, name) for name in names]
    if any(c.given(option) is not Tri.NO for option in ("out", "where", "dtype") if option in c.args):
        return UNKNOWN_VALUE
    if any(is_tensor(c, name) for name in names) or all(isinstance(one, Scalar) for one in operands):
        return UNKNOWN_VALUE  # a tensor again, by `Tensor.__array_wrap__`, or a number
    found = _apply(c, operands, law, any_dtype)
    return UNKNOWN_VALUE if found is None else found


_UFUNC = "out=None, *, where=None, casting='same_kind', order='K', dtype=None, subok=True"

for _name in ARITHMETIC:
    _methods = [name for name in _SPELLINGS.get(_name, ()) if not name.startswith("numpy.")]
    TABLE.row(
        f"ndarray.{_name}",
        *(f"ndarray.{method}" for method in _methods),
        signature="input, other",
        result=_operator(_name),
    )
    TABLE.row(f"ndarray.{_name}_", signature="input, other", result=_written, mutates="input")
    _functions = [name for name in _SPELLINGS.get(_name, ()) if name.startswith("numpy.")]
    if _functions:
        TABLE.row(*_functions, signature=f"x1, x2, {_UFUNC}", result=_function(_name))
TABLE.row("ndarray.matmul", signature="input, other", result=_matmul)
TABLE.row("numpy.matmul", signature="input, other, out=None", result=_matmul)


# ---- elementwise functions ----------------------------------------------------------------------------------------------


def _to_float(common: DType) -> DType:
    """Converts integers of 8, 16 and more bits to f16, f32 and f64."""
    if dtypes.category(common) >= 2:
        return common
    return {8: "f16", 16: "f32"}.get(bits_of(common), "f64")


def _real(common: DType) -> DType:
    return dtypes.real_of(common)


_ONE_ARGUMENT = {
    _to_float: """sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
        arctanh""".split(),
    _real: ["abs", "absolute"],
    _of_category(2): "floor ceil trunc cbrt deg2rad rad2deg radians degrees".split(),
    _of_category(1, 2): ["sign"],
    _of_category(1, 2, 3): "square negative positive conj conjugate".split(),
    _of_category(0, 1): "invert bitwise_not".split(),
    _bool: "isnan isinf isfinite logical_not".split(),
}  # fmt: skip


def _one(law: DTypeLaw) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        return _ufunc(c, ("x",), law)

    return result


for _law, _names in _ONE_ARGUMENT.items():
    for _name in _names:
        TABLE.row(f"numpy.{_name}", signature=f"x, {_UFUNC}", result=_one(_law))


def _two(law: DTypeLaw) -> ResultColumn[Call]:
    return lambda c: _ufunc(c, ("x1", "x2"), law)


TABLE.row(
    "numpy.maximum", "numpy.minimum", "numpy.fmax", "numpy.fmin", signature=f"x1, x2, {_UFUNC}",
    result=_two(_of_category(0, 1, 2, 3)),
)  # fmt: skip
TABLE.row("numpy.arctan2", "numpy.hypot", signature=f"x1, x2, {_UFUNC}", result=_two(_of_category(2)))
TABLE.row(
    "numpy.logical_and",
    "numpy.logical_or",
    "numpy.logical_xor",
    signature=f"x1, x2, {_UFUNC}",
    result=_two(_bool),
)


def _unary(law: DTypeLaw) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        value = c.value("input")
        found = _apply(c, [value], law) if isinstance(value, ArrayValue) else None
        return UNKNOWN_VALUE if found is None else found

    return result


TABLE.row("ndarray.neg", signature="input", result=_unary(_of_category(1, 2, 3)))
TABLE.row("ndarray.pos", signature="input", result=_unary(_of_category(1, 2, 3)))
TABLE.row("ndarray.invert", signature="input", result=_unary(_of_category(0, 1)))
TABLE.row("ndarray.abs", "ndarray.__abs__", signature="input", result=_unary(_real))
TABLE.row("ndarray.conj", "ndarray.conjugate", signature="input", result=_unary(_of_category(1, 2, 3)))


def _clip(c: Call) -> Value:
    made = array(c, "input")
    low, high = c.value("min"), c.value("max")
    if made is None:
        return UNKNOWN_VALUE
    if not isinstance(low, Scalar) or not isinstance(high, Scalar) or made.dtype is None:
        return new(c, None, None, None)
    kinds = {low.kind, high.kind} - {"none"}
    floating = made.dtype in ("f32", "f64") and kinds <= {"int", "float"}
    integral = made.dtype == "i64" and kinds <= {"int"}
    same = (floating or integral) and made.shape != () and made.shape is not None
    return new(c, made.shape, made.dtype if same else None, ROW_MAJOR if made.layout is ROW_MAJOR else None)


TABLE.row("numpy.clip", "ndarray.clip", signature="input, min=None, max=None, out=None", result=_clip)


def _where(c: Call) -> Value:
    """Evaluates `where` with three arguments: a choice, of the dtype that two arrays have in common.  One
    argument: indices."""
    condition = array(c, "condition")
    if condition is None or c.given("other") is not Tri.YES:
        return UNKNOWN_VALUE
    choices = [_operand(c, "input"), _operand(c, "other")]
    both = all(isinstance(choice, ArrayValue) for choice in choices)
    found = _apply(c, [condition, *choices], _bool, any_dtype=True)
    if found is None:
        return UNKNOWN_VALUE
    return new(c, found.shape, operands_dtype(c, choices) if both else None, found.layout)


TABLE.row("numpy.where", signature="condition, input=None, other=None", result=_where)


# ---- reductions ---------------------------------------------------------------------------------------------------------


def reduced_shape(c: Call, shape: Shape) -> Shape:
    """Returns the shape after reducing `axis` (None: all) with `keepdims`; None where NumPy would refuse."""
    keepdims = c.flag("keepdims") if "keepdims" in c.args else False
    given = c.given("axis")
    if given is Tri.NO and keepdims is False:
        return ()
    if shape is None or keepdims is None or given is Tri.UNKNOWN:
        return None
    axes = tuple(range(len(shape))) if given is Tri.NO else c.ints("axis")
    if axes is None or any(not -len(shape) <= axis < len(shape) for axis in axes):
        return None
    gone = {axis % len(shape) for axis in axes}
    return tuple(1 if i in gone else size for i, size in enumerate(shape) if keepdims or i not in gone)


def _summed(dtype: DType) -> DType:
    """Returns the dtype of sums: bool and small integers are summed in 64 bits."""
    if dtype == "bool":
        return "i64"
    return {"i": "i64", "u": "u64"}.get(dtype[0], dtype)


def _mean(dtype: DType) -> DType:
    return dtype if dtypes.category(dtype) >= 2 else "f64"


def _std(dtype: DType) -> DType:
    return dtypes.real_of(_mean(dtype))


def _same(dtype: DType) -> DType:
    return dtype


def _index(dtype: DType) -> DType:
    return "i64"


_REDUCTIONS = {
    "sum": _summed, "prod": _summed, "mean": _mean, "std": _std, "var": _std, "max": _same, "min": _same, "any": _bool,
    "all": _bool,
}  # fmt: skip


def _reduction(law: DTypeLaw, delegates: bool = True) -> ResultColumn[Call]:
    """Makes the result column of a reduction.

    `delegates`: it asks its argument for a method first, so that a tensor is not converted.
    """

    def result(c: Call) -> Value:
        if delegates and is_tensor(c, "input"):
            return UNKNOWN_VALUE
        made = None if isinstance(c.value("input"), Repeated) else array(c, "input")
        if made is None:
            return UNKNOWN_VALUE
        if any(c.given(option) is not Tri.NO for option in ("out", "where") if option in c.args):
            return UNKNOWN_VALUE
        fixed = law in (_bool, _index)
        dtype = law("f64") if fixed else None if made.dtype is None else law(made.dtype)
        if "dtype" in c.args:
            dtype = dtype_or(c, dtype)
        shape = reduced_shape(c, made.shape)
        return new(c, shape, dtype, ROW_MAJOR if shape == () else None)

    return result


def _product(c: Call) -> Value:
    """Evaluates `np.prod(x.shape)` of known sizes: a NumPy int, which torch takes as a size."""
    items = c.items("input")
    if (
        items
        and c.given("axis") is Tri.NO
        and all(isinstance(item, Scalar) and item.kind == "int" for item in items)
    ):
        total: Dim = 1
        for item in items:
            size = as_dim(item)
            if size is None:
                return UNKNOWN_VALUE
            total = total * size
        return Unknown(total)
    return _reduction(_summed)(c)


_REDUCE = "input, axis=None, dtype=None, out=None, *, keepdims=False, initial=None, where=None, ddof=0"
for _name, _law in _REDUCTIONS.items():
    TABLE.row(f"ndarray.{_name}", signature=_REDUCE, result=_reduction(_law))
    _aliases = {"max": ["numpy.amax"], "min": ["numpy.amin"]}.get(_name, [])
    TABLE.row(
        f"numpy.{_name}",
        *_aliases,
        signature=_REDUCE,
        result=_product if _name == "prod" else _reduction(_law),
    )
for _name, _law in {
    "nansum": _summed, "nanmean": _mean, "nanstd": _std, "nanvar": _std, "nanmax": _same, "nanmin": _same,
}.items():  # fmt: skip
    TABLE.row(f"numpy.{_name}", signature=_REDUCE, result=_reduction(_law, delegates=False))
TABLE.row(
    "numpy.median", signature="input, axis=None, out=None, overwrite_input=False, keepdims=False",
    result=_reduction(_mean, delegates=False),
)  # fmt: skip
for _name in ("argmax", "argmin"):
    for _place in ("numpy", "ndarray"):
        TABLE.row(
            f"{_place}.{_name}", signature="input, axis=None, out=None, *, keepdims=False",
            result=_reduction(_index, delegates=False),
        )  # fmt: skip


def _cumulative(c: Call) -> Value:
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    dtype = dtype_or(c, None if made.dtype is None else _summed(made.dtype))
    given = c.given("axis")
    if given is not Tri.NO:
        return new(c, made.shape if given is Tri.YES and made.shape != () else None, dtype, None)
    total = shapes.numel(made.shape)
    return new(c, None if total is None else (total,), dtype)


for _place in ("numpy", "ndarray"):
    TABLE.row(
        f"{_place}.cumsum",
        f"{_place}.cumprod",
        signature="input, axis=None, dtype=None, out=None",
        result=_cumulative,
    )


# ---- conversions --------------------------------------------------------------------------------------------------------


def _astype(c: Call) -> Value:
    """Returns a copy of another dtype; strides keep their order unless `order` says otherwise."""
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    dtype = dtype_or(c, None)
    order = c.text("order")
    layout = ROW_MAJOR if order == "C" or (made.layout is ROW_MAJOR and order in ("K", "A")) else None
    copied = (
        Tri.YES if c.flag("copy") is True or (dtype and made.dtype and dtype != made.dtype) else Tri.UNKNOWN
    )
    return with_first_of(ArrayValue(made.shape, dtype, storage_of(c, made, copied), c.origin(), layout), made)


TABLE.row(
    "ndarray.astype",
    signature="input, dtype, order='K', casting='unsafe', subok=True, copy=True",
    result=_astype,
)


def _dtype(c: Call) -> Value:
    value = c.value("input")
    return DTypeValue(value.dtype if isinstance(value, ArrayValue) else None, numpy=True)


TABLE.row("ndarray.dtype", signature="input", result=_dtype)


def _item(c: Call) -> Value:
    value = c.value("input")
    if not isinstance(value, ArrayValue) or value.dtype is None:
        return UNKNOWN_VALUE
    return Scalar(("bool", "int", "float", "complex")[dtypes.category(value.dtype)])


TABLE.row("ndarray.item", signature="input, *args", result=_item)


# ---- products -----------------------------------------------------------------------------------------------------------


def _dot(c: Call) -> Value:
    """Evaluates `np.dot`: a product with a number, else over the last dim of one and last but one of the other."""
    if is_tensor(c, "a") or is_tensor(c, "b"):
        return UNKNOWN_VALUE
    left, right = array(c, "a"), array(c, "b")
    if left is None or right is None or not left.shape or not right.shape:
        return UNKNOWN_VALUE
    dtype = operands_dtype(c, [left, right])
    if len(left.shape) > 2 or len(right.shape) > 2:
        return new(c, None, dtype, None)
    return new(c, product_shape(c, left.shape, right.shape), dtype, None)


TABLE.row("numpy.dot", signature="a, b, out=None", result=_dot)
TABLE.row("ndarray.dot", signature="a, b, out=None", result=_dot)


def _norm(c: Call) -> Value:
    """Returns the norm of all elements, or of vectors along one axis."""
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    dtype = None if made.dtype is None else dtypes.real_of(_mean(made.dtype))
    if c.given("axis") is Tri.NO and c.given("ord") is not Tri.NO:
        return new(c, None, dtype, None)
    return new(c, reduced_shape(c, made.shape), dtype, None)


TABLE.row("numpy.linalg.norm", signature="input, ord=None, axis=None, keepdims=False", result=_norm)
