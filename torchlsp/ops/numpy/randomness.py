"""Evaluates NumPy's random numbers: the functions of `numpy.random` and the methods of its generators."""

from __future__ import annotations

from torchlsp.facts import shape as shapes
from torchlsp.facts.dtype import DType
from torchlsp.facts.shape import Shape
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, ArrayValue, Scalar, Value
from torchlsp.ops.call import Call, ResultColumn, are_known
from torchlsp.ops.numpy.arrays import array, dtype_or, new, sizes
from torchlsp.ops.table import TABLE

OWNERS = ("numpy.random", "numpy.random.RandomState", "numpy.random.Generator")
"""The functions themselves, and methods whose first parameter is the generator."""


def _row(names: str, signature: str, result: ResultColumn[Call], owners: tuple[str, ...] = OWNERS) -> None:
    for owner in owners:
        own = signature if owner == "numpy.random" else f"self, {signature}".rstrip(", ")
        TABLE.row(*(f"{owner}.{name}" for name in names.split()), signature=own, result=result)


def _drawn(kind: str, dtype: DType, *parameters: str) -> ResultColumn[Call]:
    """Makes the result column of numbers drawn: one Python number without `size`, else an array.

    Without `size` array parameters broadcast; a parameter that is not known to be a number leaves all unknown.
    """

    def result(c: Call) -> Value:
        given = [array(c, name) for name in parameters]
        wanted = dtype_or(c, dtype) if "dtype" in c.args else dtype
        if c.given("size") is Tri.YES:
            return new(c, sizes(c, "size"), wanted)
        if c.given("size") is Tri.UNKNOWN or not are_known(given):
            return UNKNOWN_VALUE
        shape = _broadcast(c, given)
        if shape == ():
            return Scalar(kind) if wanted == dtype else UNKNOWN_VALUE
        return UNKNOWN_VALUE if shape is None else new(c, shape, wanted)

    return result


def _broadcast(c: Call, given: list[ArrayValue]) -> Shape:
    try:
        return shapes.broadcast([value.shape for value in given], c.context.site)
    except shapes.NotBroadcastable:
        return None


def _by_dims(c: Call) -> Value:
    """Evaluates `rand(2, 3)`, `randn(2, 3)`; without dims one Python float."""
    shape = c.sizes("dims")
    if shape == ():
        return Scalar("float")
    return new(
        c,
        None if shape is None else tuple(c.fresh(i) if s is None else s for i, s in enumerate(shape)),
        "f64",
    )


_row("rand randn", "*dims", _by_dims, OWNERS[:2])
_row("random_sample ranf sample", "size=None", _drawn("float", "f64"), OWNERS[:1])
_row("random_sample", "size=None", _drawn("float", "f64"), OWNERS[1:2])
_row("random", "size=None", _drawn("float", "f64"), OWNERS[:2])
_row(
    "random standard_normal standard_exponential",
    "size=None, dtype=None, out=None, method='zig'",
    _drawn("float", "f64"),
    OWNERS[2:],
)
_row("standard_normal standard_exponential standard_cauchy", "size=None", _drawn("float", "f64"), OWNERS[:2])
for _names, _signature, _parameters in (
    ("normal laplace logistic gumbel", "loc=0.0, scale=1.0, size=None", ("loc", "scale")),
    ("lognormal", "mean=0.0, sigma=1.0, size=None", ("mean", "sigma")),
    ("uniform", "low=0.0, high=1.0, size=None", ("low", "high")),
    ("exponential rayleigh", "scale=1.0, size=None", ("scale",)),
    ("beta", "a, b, size=None", ("a", "b")),
    ("gamma", "shape, scale=1.0, size=None", ("shape", "scale")),
    ("triangular", "left, mode, right, size=None", ("left", "mode", "right")),
    ("weibull pareto power", "a, size=None", ("a",)),
    ("chisquare standard_t", "df, size=None", ("df",)),
):
    _row(_names, _signature, _drawn("float", "f64", *_parameters))
for _names, _signature, _parameters in (
    ("binomial negative_binomial", "n, p, size=None", ("n", "p")),
    ("poisson", "lam=1.0, size=None", ("lam",)),
    ("geometric", "p, size=None", ("p",)),
):
    _row(_names, _signature, _drawn("int", "i64", *_parameters))


def _integers(c: Call) -> Value:
    """Evaluates `randint(low, high)`: int64 unless `dtype` says otherwise."""
    return _drawn("int", "i64", "low")(c)


_row("randint", "low, high=None, size=None, dtype=None", _integers, OWNERS[:2])
_row("integers", "low, high=None, size=None, dtype=None, endpoint=False", _integers, OWNERS[2:])


def _permutation(c: Call) -> Value:
    """Returns a shuffled copy; of an int, its range shuffled."""
    value = c.value("x")
    if isinstance(value, Scalar):
        size = c.dim("x")
        return UNKNOWN_VALUE if size is None else new(c, (size,), "i64")
    made = array(c, "x")
    return UNKNOWN_VALUE if made is None else new(c, made.shape, made.dtype, None)


_row("permutation", "x", _permutation, OWNERS[:2])
_row("permutation", "x, axis=0", _permutation, OWNERS[2:])
_row("shuffle seed", "x=None, axis=0", lambda c: NONE, OWNERS[:2])
_row("shuffle", "x, axis=0", lambda c: NONE, OWNERS[2:])


def _choice(c: Call) -> Value:
    """Returns elements of a 1-D array, or of a range; one of them without `size`."""
    value = c.value("a")
    if c.given("size") is not Tri.YES:
        return (
            Scalar("int")
            if c.given("size") is Tri.NO and isinstance(value, Scalar) and value.kind == "int"
            else UNKNOWN_VALUE
        )
    shape = sizes(c, "size")
    if isinstance(value, Scalar):
        return new(c, shape, "i64") if value.kind == "int" else UNKNOWN_VALUE
    made = array(c, "a")
    if made is None or made.shape is None or len(made.shape) != 1:
        return new(c, None, None if made is None else made.dtype, None)
    return new(c, shape, made.dtype, None)


_row("choice", "a, size=None, replace=True, p=None", _choice, OWNERS[:2])
_row("choice", "a, size=None, replace=True, p=None, axis=0, shuffle=True", _choice, OWNERS[2:])
