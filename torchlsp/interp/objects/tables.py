"""Evaluates what pandas and scikit-learn do to data before torch gets it: the number of dims and the dtype of columns.

A frame of pandas stays an unknown value (`facts.values.Table`): only its columns, slices and arrays are known. Measured with
pandas 3.1 and scikit-learn 1.9.
"""

from __future__ import annotations

from types import NotImplementedType
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model.call_records import with_argument, with_call
from torchlsp.interp.objects.library import Library
from torchlsp.ops.call import Call
from torchlsp.ops.libraries.consumers import conversion_faults
from torchlsp.ops.numpy.arrays import dtype_named
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

# ---- pandas: columns and arrays of a frame ------------------------------------------------------------------------------

_READERS = frozenset(
    {
        "pandas.read_csv",
        "pandas.read_table",
        "pandas.read_excel",
        "pandas.read_parquet",
        "pandas.read_feather",
    }
)
_OTHER_RESULTS = frozenset({"chunksize", "iterator", "squeeze", "sheet_name"})
"""Arguments by which a reader returns something else than one frame."""
_SAME_VALUES = frozenset("copy sample head tail sort_values sort_index drop drop_duplicates".split())
_SAME_SHAPE = _SAME_VALUES | frozenset(
    "fillna dropna replace clip round rename interpolate ffill bfill set_index".split()
)
_KINDS = {"i64": "int", "f64": "float", "bool": "bool"}


def _call_pandas(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Evaluates a function of pandas that returns a frame whose columns have names of their own."""
    given = dict(arguments.keywords)
    if arguments.is_open:
        return NotImplemented
    if name in _READERS:
        # with several rows of names, a name picks several columns
        header = given.get("header", v.NONE)
        one_row = isinstance(header, v.Scalar) and header.kind in ("none", "int", "str")
        return v.Table() if one_row and _OTHER_RESULTS.isdisjoint(given) else NotImplemented
    if name == "pandas.DataFrame" and "columns" not in given and len(arguments.positional) < 3:
        data = arguments.positional[0] if arguments.positional else given.get("data")
        return v.Table() if isinstance(data, v.DictRef) else NotImplemented
    return NotImplemented


_MASK = v.Table(dims=1, dtype="bool")
"""The result of a comparison of a column."""


def item_of_table(it: Evaluator, table: v.Table, index: Value) -> Value:
    """Evaluates `frame[…]`, `frame.iloc[…]` and `frame.loc[…]`: a column, or a frame of fewer rows or columns."""
    if index == _MASK and not table.part:
        return table
    if table.dims == 1:
        return table if isinstance(index, v.SliceValue) and not table.part else UNKNOWN_VALUE
    if table.part:
        rows, columns = (
            index.items if isinstance(index, v.TupleValue) and len(index.items) == 2 else (index, None)
        )
        if not _is_many(rows):
            is_row = isinstance(rows, v.Scalar) and (columns is None or _is_many(columns))
            return v.Table(dims=1) if is_row and table.part == "iloc" else UNKNOWN_VALUE
        if columns is None or _is_many(columns):
            return v.Table(dims=2, dtype=table.dtype)
        kind = "int" if table.part == "iloc" else "str"
        return v.Table(dims=1, dtype=table.dtype) if _is_one(columns, kind) else UNKNOWN_VALUE
    if _is_many(index):
        return v.Table(dims=2, dtype=table.dtype)
    return v.Table(dims=1, dtype=table.dtype) if _is_one(index, "str") else UNKNOWN_VALUE


def _is_many(index: Value) -> bool:
    return isinstance(index, v.SliceValue | v.ListRef)


def _is_one(index: Value, kind: str) -> bool:
    return isinstance(index, v.Scalar) and index.kind == kind


def attribute_of_table(it: Evaluator, table: v.Table, name: str, node: ir.Node) -> Value:
    """Evaluates an attribute of a frame or a column: its array, or what picks parts by position or name."""
    if name == "values" and not table.part:
        return _array_of(it, table, node, table.dtype)
    if name in ("iloc", "loc") and not table.part:
        return v.Table(dims=table.dims, dtype=table.dtype, part=name)
    return UNKNOWN_VALUE


def method_of_table(
    it: Evaluator, table: v.Table, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    """Evaluates a method of a frame or a column; None where it is not known."""
    given = dict(arguments.keywords)
    if table.part or arguments.is_open:
        return None
    if given.get("inplace", v.FALSE) != v.FALSE:
        return v.NONE if given["inplace"] == v.TRUE else None
    first = arguments.positional[0] if arguments.positional else given.get("dtype")
    match name:
        case "astype":
            return None if first is None else v.Table(dims=table.dims, dtype=dtype_named(first))
        case "to_numpy":
            return _array_of(it, table, node, table.dtype if first is None else dtype_named(first))
        case "tolist" | "to_list" if table.dims == 1:
            kind = _KINDS.get(table.dtype or "")
            return v.Repeated(v.Scalar(kind)) if kind is not None else None
        case "pop" if table.dims == 2:
            return v.Table(dims=1, dtype=table.dtype)
        case "map" if table.dims == 1:
            return v.Table(dims=1)
        case "reset_index" if table.dims == 2 or given.get("drop") == v.TRUE:
            return v.Table(dims=table.dims, dtype=table.dtype if given.get("drop") == v.TRUE else None)
    if name in _SAME_SHAPE:
        return v.Table(dims=table.dims, dtype=table.dtype if name in _SAME_VALUES else None)
    return None


def _array_of(it: Evaluator, table: v.Table, node: ir.Node, dtype: DType | None) -> v.ArrayValue:
    call = Call("pandas", {}, it.context(node))
    return v.ArrayValue(tuple(call.fresh(f"d{i}") for i in range(table.dims)), dtype)


PANDAS = Library(package="pandas", call=_call_pandas)

# ---- scikit-learn: data sets, splits, encoders --------------------------------------------------------------------------

_LOADED: dict[str, tuple[int, int, DType]] = {
    "load_iris": (150, 4, "i64"), "load_wine": (178, 13, "i64"), "load_digits": (1797, 64, "i64"),
    "load_breast_cancer": (569, 30, "i64"), "load_diabetes": (442, 10, "f64"),
}  # fmt: skip
_MADE: dict[str, tuple[int | None, DType]] = {
    "make_classification": (None, "i64"), "make_moons": (2, "i64"), "make_circles": (2, "i64"), "make_blobs": (None, "i64"),
    "make_regression": (None, "f64"), "make_gaussian_quantiles": (None, "i64"), "make_swiss_roll": (3, "f64"),
}  # fmt: skip
_SEVERAL = frozenset(
    {"n_targets", "coef", "return_centers", "as_frame", "n_class", "return_distributions", "return_X_y"}
)
"""Arguments by which the arrays are others, or more."""
_SCALERS = frozenset({"StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler", "Normalizer"})
_ENCODER = "sklearn.preprocessing.LabelEncoder"
_ESTIMATOR = "sklearn.base.BaseEstimator"
"""Stands for the class of an object of scikit-learn of which no more is known than that its methods convert their data."""


_ESTIMATORS = frozenset(
    f"sklearn.{module}"
    for module in """cluster decomposition discriminant_analysis ensemble gaussian_process linear_model manifold mixture naive_bayes
        neighbors neural_network preprocessing random_projection svm tree""".split()
)
"""Modules all of whose estimators convert their data at once; those of others hand them on."""


def _call_sklearn(
    it: Evaluator, name: str, arguments: Arguments, node: ir.Node
) -> Value | NotImplementedType:
    """Evaluates a function or class of scikit-learn whose arrays are known by their dims and dtypes."""
    if arguments.is_open:
        return NotImplemented
    module, _, function = name.rpartition(".")
    if name == "sklearn.model_selection.train_test_split":
        parts = [_some_rows(it, one, node, i) for i, one in enumerate(arguments.positional)]
        return v.TupleValue(tuple(part for part in parts for _ in range(2)))
    if name.startswith("sklearn.datasets."):
        return _data_set(it, function, arguments, node)
    if name.startswith("sklearn.preprocessing.") and (name == _ENCODER or function in _SCALERS):
        return v.Engine(f"{function}@{it.frame.site}:{node.start}", name)
    if module in _ESTIMATORS and function[:1].isupper() and function != "FunctionTransformer":
        return v.Engine(f"{function}@{it.frame.site}:{node.start}", _ESTIMATOR)
    return NotImplemented


def _data_set(
    it: Evaluator, function: str, arguments: Arguments, node: ir.Node
) -> Value | NotImplementedType:
    """Evaluates `load_iris()`, `make_moons()` and their like: features and labels."""
    given = dict(arguments.keywords)
    call = Call(function, {}, it.context(node))
    if function in _LOADED and not arguments.positional and set(given) <= {"return_X_y"}:
        rows, columns, dtype = _LOADED[function]
        both = _pair(rows, columns, dtype)
        pair = given.get("return_X_y", v.FALSE)
        if pair == v.FALSE:
            return v.Fields(entries=(("data", both[0]), ("target", both[1])))
        return v.TupleValue(both) if pair == v.TRUE else UNKNOWN_VALUE
    if function in _MADE and _SEVERAL.isdisjoint(given):
        features, dtype = _MADE[function]
        return v.TupleValue(
            _pair(call.fresh("rows"), call.fresh("columns") if features is None else features, dtype)
        )
    return NotImplemented


def _pair(rows: Dim, columns: Dim, dtype: DType) -> tuple[Value, Value]:
    features = v.ArrayValue((rows, columns), "f64", layout=ROW_MAJOR)
    return features, v.ArrayValue((rows,), dtype, layout=ROW_MAJOR)


def _some_rows(it: Evaluator, value: Value, node: ir.Node, place: int) -> Value:
    """Returns some rows of an array, a tensor, a frame or a list, in any order."""
    rows = Call("train_test_split", {}, it.context(node)).fresh(f"rows{place}")
    value = it.held(value)
    match value:
        case v.Table(part=""):
            return value
        case v.ArrayValue(shape=shape, dtype=dtype):
            return v.ArrayValue((rows, *shape[1:]) if shape else None, dtype)
        case TensorFact(shape=shape, dtype=dtype, device=device):
            return TensorFact((rows, *shape[1:]) if shape else None, dtype, device)
        case v.Repeated(element=element):
            return v.Repeated(element)
    return UNKNOWN_VALUE


def _report_data(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a tensor that a method of an estimator cannot convert to an array."""
    method = f"{_ESTIMATOR}.{name}"
    faults = with_argument(conversion_faults(method, arguments, it.context(node)), arguments)
    it.report(with_call(it, faults, method, arguments))


def _call_estimator(it: Evaluator, one: v.Engine, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a method of an estimator."""
    _report_data(it, name, arguments, node)
    return one if name == "fit" else UNKNOWN_VALUE


def _encode(it: Evaluator, encoder: v.Engine, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a method of a `LabelEncoder`: the codes of labels are int64."""
    _report_data(it, name, arguments, node)
    if name == "fit":
        return encoder
    if name in ("fit_transform", "transform"):
        return v.ArrayValue((Call("encoder", {}, it.context(node)).fresh("rows"),), "i64", layout=ROW_MAJOR)
    return UNKNOWN_VALUE


def _scale(it: Evaluator, scaler: v.Engine, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a method of a scaler: float32 stays float32, all other numbers become float64."""
    _report_data(it, name, arguments, node)
    if name == "fit":
        return scaler
    given = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    if name in ("fit_transform", "transform"):
        if isinstance(given, v.Table) and given.dims == 2 and not given.part:
            given = _array_of(it, given, node, given.dtype)
        if isinstance(given, v.ArrayValue) and given.shape is not None and len(given.shape) == 2:
            known = given.dtype if given.dtype in (None, "f32", "f16") else "f64"
            return v.ArrayValue(given.shape, known)
    return UNKNOWN_VALUE


SKLEARN = Library(
    package="sklearn",
    call=_call_sklearn,
    methods={
        _ENCODER: _encode,
        _ESTIMATOR: _call_estimator,
        **{f"sklearn.preprocessing.{name}": _scale for name in _SCALERS},
    },
)
