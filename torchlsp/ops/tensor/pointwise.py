"""Evaluates elementwise operators: arithmetic, comparisons, logic, bits, and the functions of torch.special
that are methods too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Parameter, Scalar, TupleValue, Unknown, Value
from torchlsp.ops.call import Call, Check, Columns
from torchlsp.ops.class_dim import flat_index_beside_labels
from torchlsp.ops.columns import (
    broadcast,
    but,
    fixed,
    fresh,
    knows_all_tensors,
    no_grad,
    operand_type,
    pointwise,
    preserved,
    promoted,
    promoted_to_float,
    row_major,
    same_dtype,
    through_of,
    together,
    widened,
)  # fmt: skip
from torchlsp.ops.table import TABLE
from torchlsp.ops.writing import after_write, refuse_write, written


def refuses(*names: str, kinds: frozenset[str]) -> Check[Call]:
    """Makes the check that refuses any of these arguments whose dtype is among `kinds`."""

    def check(c: Call) -> None:
        for name in names:
            tensor = c.tensor(name)
            if tensor is not None and tensor.dtype in kinds:
                raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, argument=name)

    return check


def refuses_result(kinds: frozenset[str], *names: str) -> Check[Call]:
    """Makes the check that refuses operands whose result type is among `kinds`."""
    result = promoted(*names)

    def check(c: Call) -> None:
        dtype = result(c)
        if dtype in kinds:
            tensors = [tensor for name in names if (tensor := c.tensor(name))]
            refused = next(
                (tensor for tensor in tensors if tensor.dtype in kinds), tensors[0] if tensors else None
            )
            raise c.broken(FaultKind.DTYPE, input=refused, dtype=dtype)

    return check


def takes_tensors(*names: str) -> Check[Call]:
    """Makes the check that refuses a Python number where torch takes tensors only: `torch.maximum(x, 0)`."""

    def check(c: Call) -> None:
        for name in names:
            value = c.value(name)
            if isinstance(value, Scalar) and value.kind in ("int", "float", "bool", "complex"):
                raise c.broken(FaultKind.ARGUMENT, argument=name, value=value, expected="tensor")

    return check


BOOL = frozenset({"bool"})
COMPLEX = dtypes.COMPLEX
NOT_INTEGRAL = dtypes.FLOATING | dtypes.COMPLEX


def _names(name: str) -> tuple[str, str]:
    return f"torch.{name}", f"Tensor.{name}"


# ---- one operand --------------------------------------------------------------------------------------------------------

_FLOAT_UNARY = pointwise("input", dtype=promoted_to_float("input"))
_SAME_UNARY = pointwise("input", dtype=same_dtype)

for _name in (
    "sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf erfc erfinv lgamma digamma reciprocal sinc i0 deg2rad rad2deg"
).split():
    TABLE.row(*_names(_name), inplace=True, opinfo=_name, **_FLOAT_UNARY)

for _alias, _opinfo in {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}.items():  # fmt: skip
    TABLE.row(*_names(_alias), inplace=True, opinfo=_opinfo, **_FLOAT_UNARY)

for _special in "entr erfcx i0e i1 i1e ndtri log_ndtr bessel_j0 bessel_j1 bessel_y0 bessel_y1".split():
    TABLE.row(f"torch.special.{_special}", opinfo=f"special.{_special}", **_FLOAT_UNARY)
for _special, _opinfo in {
    "expm1": "expm1", "exp2": "exp2", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "gammaln": "lgamma",
    "digamma": "digamma", "log1p": "log1p", "sinc": "sinc", "i0": "i0", "expit": "sigmoid", "psi": "digamma",
}.items():  # fmt: skip
    TABLE.row(f"torch.special.{_special}", opinfo=_opinfo, **_FLOAT_UNARY)

TABLE.row("torch.special.ndtr", opinfo="special.ndtr", **_FLOAT_UNARY)
TABLE.row(
    "torch.sigmoid", "Tensor.sigmoid", inplace=True, opinfo="sigmoid", provenance="sigmoid", **_FLOAT_UNARY
)  # fmt: skip


def _square_dtype(c: Call) -> DType | None:
    """Returns the dtype of `square`, which is `pow(2)`: bool becomes int64."""
    tensor = c.tensor("input")
    return (
        None if tensor is None or tensor.dtype is None else "i64" if tensor.dtype == "bool" else tensor.dtype
    )


TABLE.row(
    "torch.square", "Tensor.square", inplace=True, opinfo="square", **pointwise("input", dtype=_square_dtype)
)
TABLE.row("torch.positive", "Tensor.positive", opinfo="positive", faults=[refuses("input", kinds=BOOL)],
          result=lambda c: c.tensor("input") or UNKNOWN_VALUE)  # fmt: skip

TABLE.row(
    "torch.neg", "Tensor.neg", "torch.negative", "Tensor.negative", inplace=True, opinfo="neg",
    faults=[refuses("input", kinds=BOOL)], **_SAME_UNARY,
)  # fmt: skip
for _name in "floor ceil trunc frac fix".split():
    TABLE.row(*_names(_name), inplace=True, opinfo="trunc" if _name == "fix" else _name,
              faults=[refuses("input", kinds=COMPLEX)], **_SAME_UNARY)  # fmt: skip
TABLE.row(
    "torch.round", "Tensor.round", signature="input, *, decimals=0", inplace=True, opinfo="round",
    faults=[refuses("input", kinds=COMPLEX)], **_SAME_UNARY,
)  # fmt: skip
TABLE.row(
    "torch.sign",
    "Tensor.sign",
    inplace=True,
    opinfo="sign",
    faults=[refuses("input", kinds=COMPLEX)],
    **_SAME_UNARY,
)
TABLE.row("torch.sgn", "Tensor.sgn", inplace=True, opinfo="sgn", **_SAME_UNARY)


def _real_dtype(c: Call) -> DType | None:
    tensor = c.tensor("input")
    return None if tensor is None or tensor.dtype is None else dtypes.real_of(tensor.dtype)


TABLE.row(
    "torch.abs",
    "Tensor.abs",
    "torch.absolute",
    "Tensor.absolute",
    opinfo="abs",
    **pointwise("input", dtype=_real_dtype),
)
for _name in ("abs_", "absolute_"):
    TABLE.row(f"Tensor.{_name}", mutates="input", opinfo="abs", result=lambda c: _written(c, _SAME_UNARY))


def _written(c: Call, columns: Columns) -> Value:
    target = c.tensor("input")
    if target is None:
        return UNKNOWN_VALUE
    return written(c, target, columns["shape"], columns["dtype"], columns["device"])


def _angle_dtype(c: Call) -> DType | None:
    tensor = c.tensor("input")
    if tensor is None or tensor.dtype is None:
        return None
    if tensor.dtype in dtypes.COMPLEX:
        return dtypes.real_of(tensor.dtype)
    return tensor.dtype if tensor.dtype in dtypes.FLOATING else c.context.default_dtype


TABLE.row("torch.angle", "Tensor.angle", opinfo="angle", **pointwise("input", dtype=_angle_dtype))
TABLE.row("torch.nan_to_num", "Tensor.nan_to_num", signature="input, nan=0.0, posinf=None, neginf=None", inplace=True,
          opinfo="nan_to_num", **_SAME_UNARY)  # fmt: skip
TABLE.row(
    "torch.logit", "Tensor.logit", signature="input, eps=None", inplace=True, opinfo="logit", **_FLOAT_UNARY
)
TABLE.row("torch.special.logit", signature="input, eps=None", opinfo="logit", **_FLOAT_UNARY)
TABLE.row("torch.mvlgamma", "Tensor.mvlgamma", signature="input, p", inplace=True, **_FLOAT_UNARY)
TABLE.row("torch.polygamma", signature="n, input", **_FLOAT_UNARY)

_BOOL_UNARY = but(pointwise("input", dtype=fixed("bool")), grad=no_grad)

for _name in "isfinite isinf isnan isreal isposinf isneginf signbit".split():
    TABLE.row(*_names(_name), opinfo=_name, **_BOOL_UNARY)
TABLE.row("torch.logical_not", "Tensor.logical_not", opinfo="logical_not", **_BOOL_UNARY)
TABLE.row("torch.bitwise_not", "Tensor.bitwise_not", inplace=True, opinfo="bitwise_not",
          faults=[refuses("input", kinds=NOT_INTEGRAL)], **but(_SAME_UNARY, grad=no_grad))  # fmt: skip

# ---- two operands -------------------------------------------------------------------------------------------------------

_BINARY = pointwise("input", "other")
_FLOAT_BINARY = pointwise("input", "other", dtype=promoted_to_float("input", "other"))
_BOOL_BINARY = but(pointwise("input", "other", dtype=fixed("bool")), grad=no_grad)
_INTEGRAL_BINARY = but(_BINARY, grad=no_grad)
_REFUSE_FLOATING = refuses_result(NOT_INTEGRAL, "input", "other")


def refuse_bool_minus(c: Call) -> None:
    """Raises a fault for `sub` of bool operands: `~` or `^` is meant."""
    for name in ("input", "other"):
        value = c.value(name)
        is_bool = (
            isinstance(value, TensorFact)
            and value.dtype == "bool"
            or isinstance(value, Scalar)
            and value.kind == "bool"
        )
        if is_bool:
            tensor = c.tensor("input") or c.tensor("other")
            raise c.broken(FaultKind.DTYPE, input=tensor, dtype="bool", argument=name)


TABLE.row(
    "torch.add", "Tensor.add", signature="input, other, *, alpha=1", inplace=True, opinfo="add", **_BINARY
)
TABLE.row("torch.sub", "Tensor.sub", "torch.subtract", "Tensor.subtract", signature="input, other, *, alpha=1", inplace=True,
          opinfo="sub", faults=[refuse_bool_minus], **_BINARY)  # fmt: skip
TABLE.row("torch.rsub", signature="input, other, *, alpha=1", opinfo="rsub", faults=[refuse_bool_minus],
          **but(_BINARY, layout=preserved("other", "input")))  # fmt: skip
TABLE.row("torch.mul", "Tensor.mul", "torch.multiply", "Tensor.multiply", signature="input, other", inplace=True, opinfo="mul",
          **_BINARY)  # fmt: skip


def _divided_dtype(c: Call) -> DType | None:
    """Returns the dtype of a division: floats; with a rounding mode the operands' own type."""
    given = c.given("rounding_mode")
    if given is Tri.UNKNOWN:
        return None
    return (_TRUE_QUOTIENT if given is Tri.NO else _QUOTIENT)(c)


_TRUE_QUOTIENT, _QUOTIENT = promoted_to_float("input", "other"), promoted("input", "other")

TABLE.row("torch.div", "Tensor.div", "torch.divide", "Tensor.divide", signature="input, other, *, rounding_mode=None",
          inplace=True, opinfo="div", **pointwise("input", "other", dtype=_divided_dtype))  # fmt: skip
TABLE.row("torch.true_divide", "Tensor.true_divide", signature="input, other", inplace=True, opinfo="true_divide",
          **_FLOAT_BINARY)  # fmt: skip
TABLE.row(
    "torch.floor_divide",
    "Tensor.floor_divide",
    signature="input, other",
    inplace=True,
    opinfo="floor_divide",
    **_BINARY,
)
for _name in "remainder fmod".split():
    TABLE.row(*_names(_name), signature="input, other", inplace=True, opinfo=_name,
              faults=[refuses_result(COMPLEX, "input", "other")], **_BINARY)  # fmt: skip
TABLE.row(
    "torch.pow",
    "Tensor.pow",
    signature="input, exponent",
    inplace=True,
    opinfo="pow",
    **pointwise("input", "exponent", dtype=lambda c: widened(c, promoted("input", "exponent")(c))),
)
TABLE.row("torch.float_power", "Tensor.float_power", signature="input, exponent", opinfo="float_power",
          **pointwise("input", "exponent", dtype=lambda c: _float_power_dtype(c)))  # fmt: skip


def _float_power_dtype(c: Call) -> DType | None:
    result = promoted("input", "exponent")(c)
    return None if result is None else "c128" if result in dtypes.COMPLEX else "f64"


_BOTH_TENSORS = takes_tensors("input", "other")
for _name in "atan2 arctan2 xlogy copysign".split():
    TABLE.row(*_names(_name), signature="input, other", inplace=True, opinfo={"arctan2": "atan2"}.get(_name, _name),
              faults=[_BOTH_TENSORS] if "atan2" in _name or "arctan2" in _name else [], **_FLOAT_BINARY)  # fmt: skip
for _special in "xlog1py zeta".split():
    TABLE.row(
        f"torch.special.{_special}", signature="input, other", opinfo=f"special.{_special}", **_FLOAT_BINARY
    )
TABLE.row("torch.special.xlogy", signature="input, other", opinfo="xlogy", **_FLOAT_BINARY)
for _name in "logaddexp logaddexp2".split():
    TABLE.row(*_names(_name), signature="input, other", opinfo=_name, faults=[_BOTH_TENSORS], **_BINARY)
for _name in "maximum minimum fmax fmin".split():
    TABLE.row(*_names(_name), signature="input, other", opinfo=_name,
              faults=[_BOTH_TENSORS, refuses_result(COMPLEX, "input", "other")], **_BINARY)  # fmt: skip
for _name in "hypot nextafter".split():
    TABLE.row(
        *_names(_name),
        signature="input, other",
        inplace=True,
        opinfo=_name,
        faults=[_BOTH_TENSORS],
        **_BINARY,
    )
for _name in "gcd lcm".split():
    TABLE.row(
        *_names(_name),
        signature="input, other",
        inplace=True,
        opinfo=_name,
        faults=[_BOTH_TENSORS, _REFUSE_FLOATING],
        **_INTEGRAL_BINARY,
    )
TABLE.row("torch.heaviside", "Tensor.heaviside", signature="input, values", inplace=True, opinfo="heaviside",
          **but(pointwise("input", "values"), grad=no_grad))  # fmt: skip


def _row_major_of_row_major(c: Call, shape: Shape) -> Layout:
    all_row_major = all(operand.layout is ROW_MAJOR for operand in c.parents())
    return ROW_MAJOR if all_row_major and knows_all_tensors(c) else None


TABLE.row("torch.ldexp", "Tensor.ldexp", signature="input, other", inplace=True, opinfo="ldexp",
          **but(_FLOAT_BINARY, layout=_row_major_of_row_major))  # fmt: skip

_COMPARISONS = {
    "eq": (), "ne": ("not_equal",), "lt": ("less",), "le": ("less_equal",), "gt": ("greater",), "ge": ("greater_equal",),
}  # fmt: skip
for _name, _aliases in _COMPARISONS.items():
    TABLE.row(
        *(name for alias in (_name, *_aliases) for name in _names(alias)), signature="input, other", opinfo=_name,
        **_BOOL_BINARY,
        faults=[
            flat_index_beside_labels if _name in ("eq", "ne") else refuses_result(COMPLEX, "input", "other")
        ],
    )  # fmt: skip
TABLE.row("torch.isclose", "Tensor.isclose", signature="input, other, rtol=1e-05, atol=1e-08, equal_nan=False", opinfo="isclose",
          faults=[_BOTH_TENSORS], **_BOOL_BINARY)  # fmt: skip

for _name in "logical_and logical_or logical_xor".split():
    TABLE.row(*_names(_name), signature="input, other", opinfo=_name, faults=[_BOTH_TENSORS], **_BOOL_BINARY)
for _name in (
    "eq ne lt le gt ge not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not"
).split():
    _sig = "input" if _name == "logical_not" else "input, other"
    TABLE.row(
        f"Tensor.{_name}_",
        signature=_sig,
        mutates="input",
        opinfo=next((short for short, long in _COMPARISONS.items() if _name in long), _name),
        result=lambda c: _compared_in_place(c),
    )


_BROADCAST = broadcast("input", "other")


def _compared_in_place(c: Call) -> Value:
    """Evaluates a comparison in place, which writes 0 and 1 in the target's own dtype."""
    target = c.tensor("input")
    if target is None:
        return UNKNOWN_VALUE
    return written(c, target, _BROADCAST if "other" in c.args else None)


for _name in "bitwise_and bitwise_or bitwise_xor".split():
    TABLE.row(
        *_names(_name),
        signature="input, other",
        inplace=True,
        opinfo=_name,
        faults=[_REFUSE_FLOATING],
        **_INTEGRAL_BINARY,
    )
for _name in "bitwise_left_shift bitwise_right_shift".split():
    TABLE.row(*_names(_name), signature="input, other", inplace=True, opinfo=_name, **_INTEGRAL_BINARY)

# ---- more than two operands ---------------------------------------------------------------------------------------------


def _given_operands(*names: str) -> Callable[[Call], tuple[str, ...] | None]:
    """Makes the function that returns the names whose arguments are passed, None when that is not known."""

    def given(c: Call) -> tuple[str, ...] | None:
        answers = {name: c.given(name) for name in names}
        if Tri.UNKNOWN in answers.values():
            return None
        return tuple(name for name, answer in answers.items() if answer is Tri.YES)

    return given


P = ParamSpec("P")
T = TypeVar("T")


def _over_given(*names: str) -> Columns:
    """Makes the columns of an elementwise operator some of whose operands may be None: clamp."""
    given = _given_operands(*names)

    def column(
        make: Callable[..., Callable[Concatenate[Call, P], T]],
    ) -> Callable[Concatenate[Call, P], T | None]:
        def answer(c: Call, /, *rest: P.args, **options: P.kwargs) -> T | None:
            present = given(c)
            return None if present is None else make(*present)(c, *rest, **options)

        return answer

    return {
        "shape": column(broadcast), "dtype": column(promoted), "device": column(together), "layout": column(preserved),
        "storage": fresh, "grad": through_of(*names),
    }  # fmt: skip


def _some_bound(c: Call) -> None:
    if c.given("min") is Tri.NO and c.given("max") is Tri.NO:
        raise c.broken(FaultKind.ARGUMENT, input=c.tensor("input"), argument="min")


TABLE.row("torch.clamp", "Tensor.clamp", "torch.clip", "Tensor.clip", signature="input, min=None, max=None", inplace=True,
          opinfo="clamp", faults=[_some_bound, refuses("input", kinds=COMPLEX)], **_over_given("input", "min", "max"))  # fmt: skip
for _name, _bound in (("clamp_min", "min"), ("clamp_max", "max")):
    TABLE.row(
        *_names(_name), signature=f"input, {_bound}", inplace=True, opinfo=_name, **pointwise("input", _bound)
    )


def _chosen_by_unknown(c: Call) -> Value:
    """Evaluates a choice by an unknown condition of any shape, with which the known operand broadcasts."""
    is_unseen = isinstance(c.value("condition"), (Unknown, Parameter))
    if not is_unseen or c.tensor("input") is None and c.tensor("other") is None:
        return UNKNOWN_VALUE
    if Tri.NO in (c.given("input"), c.given("other")):
        return UNKNOWN_VALUE
    dtype = promoted("input", "other")(c)
    device = together("condition", "input", "other")(c)
    return c.make(None, dtype, device, None, fresh(c), through_of("input", "other")(c, dtype))


def _where(c: Call) -> Value:
    """Evaluates `where`: with a condition alone it gives index tensors of unknown length. The condition takes
    no part in the dtype."""
    condition = c.tensor("condition")
    if c.given("input") is Tri.UNKNOWN and c.given("other") is Tri.UNKNOWN:
        return UNKNOWN_VALUE
    if condition is None:
        return _chosen_by_unknown(c)
    if c.given("input") is Tri.NO and c.given("other") is Tri.NO:
        if condition.rank is None:
            return UNKNOWN_VALUE
        length = c.fresh("nonzero")
        one = c.make((length,), "i64", condition.device, None, ANY_STORAGE, NO_GRAD)
        return TupleValue((one,) * max(condition.rank, 1))
    if condition.dtype is not None and condition.dtype not in ("bool", "u8"):
        raise c.broken(
            FaultKind.DTYPE, input=condition, dtype=condition.dtype, expected="bool", argument="condition"
        )
    shape = broadcast("condition", "input", "other")(c)
    dtype = promoted("input", "other")(c)
    return c.make(
        shape, dtype, together("condition", "input", "other")(c), preserved("condition", "input", "other")(c, shape), fresh(c),
        through_of("input", "other")(c, dtype),
    )  # fmt: skip


TABLE.row("torch.where", signature="condition, input=None, other=None", opinfo="where", result=_where)
TABLE.row("Tensor.where", signature="input, condition, other", result=_where)


def refuse_other_dtype(*names: str) -> Check[Call]:
    """Makes the check that these tensors have one dtype, for operators that do not promote."""

    def check(c: Call) -> None:
        tensors = [
            tensor for name in names if (tensor := c.tensor(name)) is not None and tensor.dtype is not None
        ]
        for tensor in tensors[1:]:
            if tensor.dtype != tensors[0].dtype:
                raise c.broken(FaultKind.DTYPE_MISMATCH, left=tensors[0], right=tensor)

    return check


TABLE.row("torch.lerp", "Tensor.lerp", signature="input, end, weight", inplace=True, opinfo="lerp",
          faults=[refuse_other_dtype("input", "end", "weight")],
          **pointwise("input", "end", "weight", dtype=same_dtype))  # fmt: skip
TABLE.row("torch.addcmul", "Tensor.addcmul", signature="input, tensor1, tensor2, *, value=1", inplace=True, opinfo="addcmul",
          **pointwise("input", "tensor1", "tensor2"))  # fmt: skip
TABLE.row("torch.addcdiv", "Tensor.addcdiv", signature="input, tensor1, tensor2, *, value=1", inplace=True, opinfo="addcdiv",
          **pointwise("input", "tensor1", "tensor2"))  # fmt: skip


def _mask_is_bool(c: Call) -> None:
    mask = c.tensor("mask")
    if mask is not None and mask.dtype not in (None, "bool"):
        raise c.broken(FaultKind.DTYPE, input=mask, dtype=mask.dtype, expected="bool", argument="mask")


def _fills_with_one_value(c: Call) -> None:
    value = c.tensor("value")
    if value is not None and value.rank:
        raise c.broken(FaultKind.RANK, input=value, expected=0, got=value.rank)


_MASKED = but(
    pointwise("input", "mask", dtype=same_dtype), layout=row_major, grad=through_of("input", "value")
)


def _masked(c: Call) -> Value:
    """Evaluates masking; a mask of unknown shape is assumed to be no larger than the input."""
    tensor, mask = c.tensor("input"), c.tensor("mask")
    shape = _MASKED["shape"](c)
    dtype = _MASKED["dtype"](c)
    taken = (
        shape is None
        and tensor is not None
        and tensor.shape is not None
        and (mask is None or mask.shape is None)
    )
    made = c.make(
        tensor.shape if taken and tensor is not None else shape,
        dtype,
        _MASKED["device"](c),
        ROW_MAJOR,
        fresh(c),
        _MASKED["grad"](c, dtype),
    )
    return made.but(assumed=made.assumed | {"mask"}) if taken else made


TABLE.row("torch.masked_fill", "Tensor.masked_fill", signature="input, mask, value", inplace=True, opinfo="masked_fill",
          faults=[_mask_is_bool, _fills_with_one_value], result=_masked, **_MASKED)  # fmt: skip

# ---- writes that are not twins ------------------------------------------------------------------------------------------


def _filled(c: Call) -> Value:
    target = c.tensor("input")
    if target is None:
        return UNKNOWN_VALUE
    refuse_write(c, target)
    return after_write(c, target)


TABLE.row("Tensor.zero_", "torch.zero_", mutates="input", result=_filled)
TABLE.row(
    "Tensor.fill_", "torch.fill_", signature="input, value", mutates="input", opinfo="fill", result=_filled
)
TABLE.row("torch.fill", "Tensor.fill", signature="input, value", opinfo="fill",
          **but(pointwise("input", dtype=same_dtype), grad=through_of("input", "value")))  # fmt: skip


def _copied_into(c: Call) -> Value:
    """Evaluates `copy_`, which broadcasts its source, converts dtype and device, and keeps the target's."""
    target, source = c.tensor("input"), c.tensor("src")
    if target is None:
        return UNKNOWN_VALUE
    if source is not None:
        _fits_into(c, target, source)
    return _filled(c)


def _fits_into(c: Call, target: TensorFact, source: TensorFact) -> None:
    if target.shape is None or source.shape is None or "matrix" in source.assumed:
        return  # t() of a tensor of unknown rank may have one dim
    try:
        result = shapes.broadcast([target.shape, source.shape], c.context.site)
    except shapes.NotBroadcastable:
        result = None
    if result is None or shapes.same(result, target.shape) is Tri.NO:
        raise c.broken(FaultKind.INPLACE_SHAPE, input=target, result=source.shape)


TABLE.row("Tensor.copy_", signature="input, src, non_blocking=False", mutates="input", result=_copied_into)

# ---- complex numbers ----------------------------------------------------------------------------------------------------


def _complex_dtype(c: Call) -> DType | None:
    found = operand_type(c.value(next(iter(c.args))))[0]
    return {"f16": "c32", "f32": "c64", "f64": "c128"}.get(found or "")


TABLE.row(
    "torch.complex", signature="real, imag", opinfo="complex",
    faults=[takes_tensors("real", "imag"), refuse_other_dtype("real", "imag")],
    **pointwise("real", "imag", dtype=_complex_dtype),
)  # fmt: skip
TABLE.row(
    "torch.polar", signature="abs, angle", opinfo="polar",
    faults=[takes_tensors("abs", "angle"), refuse_other_dtype("abs", "angle")],
    **pointwise("abs", "angle", dtype=_complex_dtype),
)  # fmt: skip
