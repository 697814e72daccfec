"""Evaluates NumPy's functions that search, pad, split and round arrays, and scikit-learn's that create or
split data."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import ANY_STORAGE
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    Scalar,
    TupleValue,
    Value,
    as_dim,
    as_int,
)
from torchlsp.ops.call import Call, ResultColumn
from torchlsp.ops.numpy.arrays import array, dtype_or, is_tensor, new
from torchlsp.ops.table import TABLE

# ---- where and which ----------------------------------------------------------------------------------------------------


def _nonzero(c: Call) -> Value:
    """Returns one array of indices a dim, all of the same unknown length."""
    if is_tensor(c, "input"):
        return UNKNOWN_VALUE
    made = array(c, "input")
    if made is None or not made.shape:
        return UNKNOWN_VALUE
    return TupleValue((new(c, (c.fresh("count"),), "i64", None),) * len(made.shape))


TABLE.row("numpy.nonzero", "ndarray.nonzero", signature="input", result=_nonzero)


def _argwhere(c: Call) -> Value:
    made = array(c, "input") if not is_tensor(c, "input") else None
    if made is None or not made.shape:
        return UNKNOWN_VALUE
    return new(c, (c.fresh("count"), len(made.shape)), "i64", None)


TABLE.row("numpy.argwhere", signature="input", result=_argwhere)


def _unique(c: Call) -> Value:
    """Returns the sorted distinct values; with `return_…` options or `axis` more than one array or dim."""
    made = array(c, "input")
    options = ("return_index", "return_inverse", "return_counts")
    if (
        made is None
        or any(c.flag(option) is not False for option in options)
        or c.given("axis") is not Tri.NO
    ):
        return UNKNOWN_VALUE
    return new(c, (c.fresh("count"),), made.dtype, None)


TABLE.row(
    "numpy.unique",
    signature=(
        "input, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True"
    ),
    result=_unique,
)


def _is_in(c: Call) -> Value:
    made, others = array(c, "element"), array(c, "test_elements")
    return UNKNOWN_VALUE if made is None or others is None else new(c, made.shape, "bool", None)


TABLE.row(
    "numpy.isin",
    signature="element, test_elements, assume_unique=False, invert=False, *, kind=None",
    result=_is_in,
)


def _all_close(c: Call) -> Value:
    array(c, "a")
    array(c, "b")
    return Scalar("bool")


TABLE.row("numpy.allclose", signature="a, b, rtol=1e-05, atol=1e-08, equal_nan=False", result=_all_close)

# ---- the same shape -----------------------------------------------------------------------------------------------------


def _kept(c: Call) -> Value:
    made = array(c, "input")
    return UNKNOWN_VALUE if made is None else new(c, made.shape, made.dtype, None)


TABLE.row("numpy.triu", "numpy.tril", signature="input, k=0", result=lambda c: _triangle(c))
TABLE.row("numpy.nan_to_num", signature="input, copy=True, nan=0.0, posinf=None, neginf=None", result=_kept)


def _triangle(c: Call) -> Value:
    """Returns a triangle of a matrix; a 1-D array becomes a matrix first."""
    made = array(c, "input")
    if made is None or made.shape is None or len(made.shape) < 2:
        return UNKNOWN_VALUE
    return new(c, made.shape, made.dtype, None)


def _rounded(c: Call) -> Value:
    """Evaluates rounding: bool becomes float16, else the dtype stays."""
    made = array(c, "input")
    if made is None or c.given("out") is not Tri.NO:
        return UNKNOWN_VALUE
    dtype = None if made.dtype in (None, "bool") else made.dtype
    return new(c, made.shape, dtype, ROW_MAJOR if made.layout is ROW_MAJOR else None)


TABLE.row(
    "numpy.round", "numpy.around", "ndarray.round", signature="input, decimals=0, out=None", result=_rounded
)

# ---- other shapes -------------------------------------------------------------------------------------------------------


def _padded(c: Call) -> Value:
    """Evaluates padding; `pad_width` is one number, one pair, or a pair a dim."""
    made = array(c, "input")
    if made is None:
        return UNKNOWN_VALUE
    if made.shape is None:
        return new(c, None, made.dtype, None)
    widths = _pairs(c, c.value("pad_width"), len(made.shape))
    if widths is None:
        return new(c, None, made.dtype, None)
    shape = tuple(size + before + after for size, (before, after) in zip(made.shape, widths))
    return new(c, shape, made.dtype, None)


def _pairs(c: Call, value: Value, rank: int) -> list[tuple[Dim, Dim]] | None:
    number = as_dim(value) if isinstance(value, Scalar) else None
    if number is not None:
        return [(number, number)] * rank
    items = c.context.elements(value)
    if items is None:
        return None
    pairs = [c.context.elements(item) for item in items]
    if len(items) == 2 and all(isinstance(item, Scalar) for item in items):
        pairs = [items] * rank
    if len(pairs) == 1:
        pairs = pairs * rank
    if len(pairs) != rank:
        return None
    found: list[tuple[Dim, Dim]] = []
    for pair in pairs:
        if pair is None or len(pair) != 2:
            return None
        before, after = as_dim(pair[0]), as_dim(pair[1])
        if before is None or after is None:
            return None
        found.append((before, after))
    return found


TABLE.row(
    "numpy.pad",
    signature=(
        "input, pad_width, mode='constant', *, constant_values=0, end_values=0, stat_length=None, reflect_type='even'"
    ),
    result=_padded,
)


def _outer(c: Call) -> Value:
    left, right = array(c, "a"), array(c, "b")
    if left is None or right is None or left.shape is None or right.shape is None:
        return UNKNOWN_VALUE
    sizes = (shapes.product(left.shape), shapes.product(right.shape))
    return new(c, sizes, left.dtype if left.dtype == right.dtype else None)


TABLE.row("numpy.outer", signature="a, b, out=None", result=_outer)


def _diag(c: Call) -> Value:
    """Returns the matrix of a vector, or a view of the diagonal of a matrix."""
    made = array(c, "v")
    if made is None or made.shape is None or len(made.shape) not in (1, 2):
        return UNKNOWN_VALUE
    if len(made.shape) == 2:
        return ArrayValue((c.fresh("diagonal"),), made.dtype, made.storage, c.origin())
    offset = as_int(c.value("k"))
    if offset is None:
        return new(c, None, made.dtype, None)
    size = made.shape[0] + abs(offset)
    return new(c, (size, size), made.dtype, None)


TABLE.row("numpy.diag", signature="v, k=0", result=_diag)


def _meshgrid(c: Call) -> Value:
    """Evaluates meshgrid: two vectors of n and m elements give two arrays [m, n], or [n, m] with
    `indexing="ij"`."""
    items = c.items("xi")
    indexing = c.text("indexing")
    if items is None or len(items) != 2 or c.flag("sparse") is not False or c.flag("copy") is not True:
        return UNKNOWN_VALUE
    made = [item for item in items if isinstance(item, ArrayValue)]
    sizes = [item.shape[0] for item in made if item.shape is not None and len(item.shape) == 1]
    if len(sizes) < len(items) or indexing not in ("xy", "ij"):
        return UNKNOWN_VALUE
    shape = tuple(reversed(sizes)) if indexing == "xy" else tuple(sizes)
    return TupleValue(tuple(ArrayValue(shape, item.dtype, ANY_STORAGE, c.origin()) for item in made))


TABLE.row("numpy.meshgrid", signature="*xi, copy=True, sparse=False, indexing='xy'", result=_meshgrid)


def _inverse(c: Call) -> Value:
    made = array(c, "a")
    if made is None:
        return UNKNOWN_VALUE
    dtype = None
    if made.dtype is not None and made.dtype != "f16":
        dtype = made.dtype if dtypes.category(made.dtype) >= 2 else "f64"
    return new(c, made.shape, dtype, None)


TABLE.row("numpy.linalg.inv", signature="a", result=_inverse)


def _loaded(c: Call) -> Value:
    """Evaluates `loadtxt` and `genfromtxt`: float64 unless a dtype is passed."""
    return new(c, None, dtype_or(c, "f64"), None)


_TEXT = (
    "fname, dtype=None, comments='#', delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0, "
    "encoding=None, max_rows=None, *, quotechar=None, like=None"
)
TABLE.row("numpy.loadtxt", signature=_TEXT, result=_loaded)

# ---- scikit-learn -------------------------------------------------------------------------------------------------------


def _made(targets: str | None, features: Callable[[Call], Dim | None]) -> ResultColumn[Call]:
    """Makes the result column of (X, y): X float64 [samples, features], y classes or float64 values."""

    def result(c: Call) -> Value:
        samples = c.dim("n_samples") if isinstance(c.value("n_samples"), Scalar) else None
        rows = c.fresh("samples") if samples is None else samples
        columns = features(c)
        width = c.fresh("features") if columns is None else columns
        return TupleValue((new(c, (rows, width), "f64", None), new(c, (rows,), targets, None)))

    return result


_TABLES = {
    "make_moons": ("n_samples=100, *, shuffle=True, noise=None, random_state=None", "i64", lambda c: 2),
    "make_circles": (
        "n_samples=100, *, shuffle=True, noise=None, random_state=None, factor=0.8",
        "i64",
        lambda c: 2,
    ),
    "make_classification": (
        "n_samples=100, n_features=20, *, n_informative=2, n_redundant=2, n_repeated=0, n_classes=2, "
        "n_clusters_per_class=2, weights=None, flip_y=0.01, class_sep=1.0, hypercube=True, shift=0.0, scale=1.0, "
        "shuffle=True, random_state=None",
        "i64",
        lambda c: c.dim("n_features"),
    ),
    "make_friedman1": (
        "n_samples=100, n_features=10, *, noise=0.0, random_state=None",
        "f64",
        lambda c: c.dim("n_features"),
    ),
}
for _name, (_signature, _targets, _features) in _TABLES.items():
    TABLE.row(f"sklearn.datasets.{_name}", signature=_signature, result=_made(_targets, _features))


def _regression(c: Call) -> Value:
    single = as_int(c.value("n_targets")) == 1 and c.flag("coef") is False
    return _made("f64", lambda c: c.dim("n_features"))(c) if single else UNKNOWN_VALUE


TABLE.row(
    "sklearn.datasets.make_regression",
    signature=(
        "n_samples=100, n_features=100, *, n_informative=10, n_targets=1, bias=0.0, effective_rank=None, "
        "tail_strength=0.5, noise=0.0, shuffle=True, coef=False, random_state=None"
    ),
    result=_regression,
)


def _split(c: Call) -> Value:
    """Returns each array twice, with other numbers of rows: train and test share them over all arrays."""
    items = c.items("arrays")
    made = [item for item in items or () if isinstance(item, ArrayValue)]
    if not items or len(made) < len(items):
        return UNKNOWN_VALUE
    parts = []
    for item in made:
        for part in ("train", "test"):
            shape = None if not item.shape else (c.fresh(part), *item.shape[1:])
            parts.append(ArrayValue(shape, item.dtype, ANY_STORAGE, c.origin()))
    return TupleValue(tuple(parts))


TABLE.row(
    "sklearn.model_selection.train_test_split",
    signature="*arrays, test_size=None, train_size=None, random_state=None, shuffle=True, stratify=None",
    result=_split,
)
