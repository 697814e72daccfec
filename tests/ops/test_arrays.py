"""NumPy's rows against NumPy itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from real_facts import SHORT_NAMES, SITE, Comparison, Facts, memory_of

from torchlsp import ops
from torchlsp.facts import layout as layouts
from torchlsp.facts import values as v
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import Storage
from torchlsp.ops.call import Context
from torchlsp.ops.numpy.arrays import WRAPPING_BACK, promote
from torchlsp.ops.signature import Arguments

pytestmark = pytest.mark.torch


class ArrayFacts(Facts):
    """Facts of real NumPy values, types and arrays' strides included."""

    def of(self, value: Any) -> v.Value:
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            self.memory[memory_of(array)] = array
            strides = tuple(step // array.itemsize for step in array.strides)
            layout = layouts.of_strides(array.shape, strides) if min(strides, default=0) >= 0 else None
            return v.ArrayValue(
                array.shape, short_name(array.dtype), Storage(frozenset({memory_of(array)})), layout=layout
            )
        if isinstance(value, type):
            numpy = issubclass(value, np.generic)
            return (
                v.DTypeValue(short_name(np.dtype(value)), True)
                if numpy
                else v.External(f"builtins.{value.__name__}")
            )
        return super().of(value)


def short_name(dtype: np.dtype) -> str | None:
    """None for a dtype that no tensor has."""
    return next((short for short, name in TORCH_NAMES.items() if name == dtype.name), None)


def apply(name: str, args: tuple, kwargs: dict, facts: Facts) -> tuple[v.Value, list[Fault]]:
    arguments = Arguments(
        tuple(facts.of(a) for a in args), tuple((k, facts.of(a)) for k, a in kwargs.items())
    )
    return ops.operator(name).apply(name, arguments, Context(site=SITE, elements=facts.elements))


def real_call(name: str, args: tuple, kwargs: dict) -> Any:
    holder: Any = np
    parts = name.split(".")
    if parts[0] == "ndarray":
        operators = {
            "sub": "__sub__", "add": "__add__", "mul": "__mul__", "true_divide": "__truediv__", "floor_divide": "__floordiv__",
            "remainder": "__mod__", "pow": "__pow__", "matmul": "__matmul__", "and": "__and__", "or": "__or__", "xor": "__xor__",
            "lshift": "__lshift__", "rshift": "__rshift__", "neg": "__neg__", "pos": "__pos__", "invert": "__invert__",
            "eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__", "abs": "__abs__",
        }  # fmt: skip
        first, *rest = args
        if parts[1] in operators and not isinstance(
            first, np.ndarray
        ):  # a number on the left: the reflected operator
            method = getattr(rest[0], "__r" + operators[parts[1]][2:], None) or getattr(
                np, {"lt": "less"}.get(parts[1], "")
            )
            return method(first)
        found = getattr(first, operators.get(parts[1], parts[1]))
        return found(*rest, **kwargs) if callable(found) else found
    for part in parts[1:]:
        holder = getattr(holder, part)
    return holder(*args, **kwargs)


class ArrayComparison(Comparison):
    """Compares arrays of any dtype and any strides, which torch does not take."""

    def _array(self, claimed: v.Value, real: np.ndarray, where: str) -> None:
        if isinstance(claimed, v.Unknown):
            return
        if not isinstance(claimed, v.ArrayValue):
            self._judge("value", where, False, claimed, real)
            return
        self._shape(claimed.shape, real.shape, where)
        self._known("dtype", where, claimed.dtype, short_name(real.dtype))
        self._storage(claimed.storage, real, where)
        if claimed.layout is ROW_MAJOR:
            self._judge("layout", where, real.flags.c_contiguous, claimed.layout, real.strides)
            return
        strides = layouts.strides_of(claimed.shape, claimed.layout)
        if strides is not None and real.size:
            known = [
                (s, r // real.itemsize) for s, r, size in zip(strides, real.strides, real.shape) if size != 1
            ]
            self._judge("layout", where, all(s == r for s, r in known), strides, real.strides)


def check(name: str, args: tuple, kwargs: dict) -> Comparison | None:
    """Compares a row's claims with NumPy's own result; None when NumPy refuses the call."""
    facts = ArrayFacts()
    claimed, faults = apply(name, args, kwargs, facts)
    try:
        real = real_call(name, args, kwargs)
    except Exception:
        return None
    assert not faults
    comparison = ArrayComparison(facts)
    if isinstance(real, np.dtype):
        assert claimed == v.DTypeValue(short_name(real), numpy=True)
        return comparison
    if isinstance(real, np.generic):
        real = real.item() if isinstance(claimed, v.Scalar) else np.asarray(real)
    comparison.compare(claimed, real)
    return comparison


A = np.arange(24.0).reshape(2, 3, 4)
F32 = A.astype(np.float32)
I = np.arange(12).reshape(3, 4)  # noqa: E741
V = np.arange(4.0)
T = A.transpose(2, 0, 1)


def call(name: str, *args: Any, **kwargs: Any):
    return pytest.param(name, args, kwargs, id=f"{name}-{args!r}-{kwargs!r}".replace("\n", "")[:70])


CALLS = [
    *(call(f"numpy.{name}", (2, 3)) for name in ("zeros", "ones", "empty")),
    call("numpy.zeros", 3, dtype="float32"), call("numpy.zeros", [2, 3], int), call("numpy.ones", (), np.uint8),
    call("numpy.ones", (2, 3), dtype="f4", order="F"), call("numpy.full", (2, 3), 7), call("numpy.full", 2, 1.5, dtype=np.float32),
    call("numpy.full", (2,), True), call("numpy.zeros_like", F32), call("numpy.ones_like", I, dtype=float), call("numpy.zeros_like", T),
    call("numpy.full_like", I, 2.5), call("numpy.empty_like", [1, 2]), call("numpy.arange", 5), call("numpy.arange", 2, 11, 3),
    call("numpy.arange", 5, 0, -2), call("numpy.arange", 0.0, 1.0, 0.25), call("numpy.arange", 5, dtype=np.float32),
    call("numpy.arange", 5, 2), call("numpy.linspace", 0, 1), call("numpy.linspace", 0, 1, num=7, dtype=np.float32),
    call("numpy.logspace", 0, 1, 5), call("numpy.geomspace", 1, 8, 4), call("numpy.eye", 3), call("numpy.eye", 2, 3, dtype=bool),
    call("numpy.identity", 4), call("numpy.array", [1, 2, 3]), call("numpy.array", [1, 2.5]), call("numpy.array", [True, 2]),
    call("numpy.array", [[1, 2], [3, 4]], dtype=np.float32), call("numpy.array", []), call("numpy.array", 3), call("numpy.array", [V, V]),
    call("numpy.array", [np.float32(1), 2.0]), call("numpy.array", [np.float32(1), np.float32(2)]), call("numpy.array", A),
    call("numpy.array", T), call("numpy.array", [F32, A]), call("numpy.array", (1, 2), ndmin=3), call("numpy.array", ["a", "b"]),
    call("numpy.array", [2**63]), call("numpy.asarray", A), call("numpy.asarray", F32, dtype=np.float32),
    call("numpy.asarray", A, np.float32), call("numpy.asarray", [1.0, 2]), call("numpy.asarray", T, order="C"),
    call("numpy.ascontiguousarray", 3), call("numpy.ascontiguousarray", T), call("numpy.ascontiguousarray", A), call("numpy.copy", A), call("numpy.copy", T),
    call("numpy.float32", 3), call("numpy.int64", 3.5), call("numpy.float32", A), call("numpy.float64", 1),
    *(call(f"ndarray.{name}", A) for name in ("shape", "ndim", "size", "dtype", "T")), call("ndarray.astype", A, np.float32),
    call("ndarray.astype", A, "int64"), call("ndarray.astype", T, float), call("ndarray.astype", A, np.float64, copy=False),
    call("ndarray.astype", A, int), call("ndarray.astype", I, bool), call("ndarray.astype", T, np.float32, order="C"),
    call("ndarray.astype", A, "<f4"), call("ndarray.item", V[:1]), call("ndarray.item", I[:1, :1]), call("ndarray.item", V > 2, 0),
    call("ndarray.reshape", A, 6, 4), call("ndarray.reshape", A, (4, -1)), call("ndarray.reshape", T, -1),
    call("ndarray.reshape", A, -1, order="F"), call("ndarray.reshape", A, 5), call("numpy.reshape", I, (2, 6)),
    call("ndarray.transpose", A), call("ndarray.transpose", A, 2, 0, 1), call("ndarray.transpose", A, (1, 0, 2)),
    call("ndarray.transpose", A, None), call("numpy.transpose", A), call("numpy.transpose", A, (0, 2, 1)), call("ndarray.transpose", A, -1, 0, 1),
    call("numpy.swapaxes", A, 0, -1), call("ndarray.swapaxes", A, 0, 1), call("numpy.moveaxis", A, 0, -1),
    call("numpy.moveaxis", A, [0, 1], [1, 2]), call("ndarray.flatten", T), call("ndarray.ravel", A), call("ndarray.ravel", T),
    call("numpy.ravel", [[1, 2]]), call("ndarray.squeeze", A[:1]), call("numpy.squeeze", A[:, :1], 1), call("numpy.squeeze", A[:, :1], axis=(1,)),
    call("numpy.expand_dims", A, 0), call("numpy.expand_dims", T, -1), call("numpy.expand_dims", V, (0, 2)),
    call("numpy.atleast_2d", V), call("numpy.atleast_1d", 3.0), call("ndarray.copy", A), call("ndarray.copy", T),
    call("ndarray.__getitem__", A, 0), call("ndarray.__getitem__", A, (slice(None), 1)), call("ndarray.__getitem__", A, (..., None)),
    call("ndarray.__getitem__", A, slice(None, None, -1)), call("ndarray.__getitem__", A, [0, 1]), call("ndarray.__getitem__", A, A > 3),
    call("ndarray.__getitem__", V, np.array([[0, 1], [2, 3]])), call("ndarray.__getitem__", A, slice(0, 1)), call("ndarray.__getitem__", V, 1),
    call("ndarray.__getitem__", A, (slice(None), slice(None), [2, 1, 0])), call("ndarray.__getitem__", A, (0, 0, 0)),
    call("numpy.stack", [A, A]), call("numpy.stack", (A, F32), axis=-1), call("numpy.stack", [V, V], axis=1), call("numpy.stack", A),
    call("numpy.concatenate", [A, A]), call("numpy.concatenate", (A, F32), axis=2), call("numpy.concatenate", [A, A], axis=None),
    call("numpy.concatenate", [I, I], 1), call("numpy.concatenate", [T, T]), call("numpy.concatenate", [F32, F32], axis=-1),
    call("numpy.vstack", [V, V]), call("numpy.vstack", [I, I]), call("numpy.hstack", [V, V]), call("numpy.hstack", [I, I]),
    call("numpy.hstack", [A, A]), call("numpy.repeat", V, 3), call("numpy.repeat", I, 2, axis=1), call("numpy.repeat", I, [1, 2, 3], axis=0),
    call("ndarray.repeat", I, 2), call("numpy.tile", V, 3), call("numpy.tile", I, (2, 1)), call("numpy.tile", V, (2, 1)),
    call("numpy.broadcast_to", V, (3, 4)), call("numpy.flip", A), call("numpy.flip", A, 1), call("numpy.fliplr", A), call("numpy.roll", A, 1),
    call("numpy.sort", V), call("numpy.sort", I, axis=0), call("numpy.argsort", I), call("ndarray.argsort", V), call("numpy.argsort", I, axis=None),
    *(call(f"{place}.{name}", array, **kwargs) for name in ("sum", "mean", "std", "var", "max", "min", "any", "all", "prod")
      for place in ("numpy", "ndarray") for array in (A, F32, I, A > 3, I.astype(np.uint8), T)
      for kwargs in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"keepdims": True}, {"axis": (0, 1)})),
    call("numpy.sum", F32, dtype=np.float64), call("numpy.mean", F32, axis=0, dtype=float), call("numpy.sum", [1, 2]), call("numpy.mean", [1, 2]),
    call("numpy.prod", (2, 3)), call("numpy.prod", [2.0, 3.0]), call("numpy.median", I), call("numpy.median", F32, axis=1),
    *(call(f"{place}.{name}", array, **kwargs) for name in ("argmax", "argmin") for place in ("numpy", "ndarray") for array in (A, I)
      for kwargs in ({}, {"axis": 1}, {"axis": 0, "keepdims": True})),
    call("numpy.nanmean", A), call("numpy.nansum", I, axis=0), call("numpy.cumsum", I), call("numpy.cumsum", F32, axis=1), call("ndarray.cumsum", V),
    call("numpy.cumprod", A > 3), call("numpy.clip", A, 0, 1), call("ndarray.clip", I, 0, 1.5), call("ndarray.clip", F32, 0.0, None),
    call("numpy.clip", I.astype(np.uint8), 0, 300), call("numpy.where", A > 3, A, 0.0), call("numpy.where", A > 3, A, F32),
    call("numpy.where", A > 3), call("numpy.where", A > 3, 1, 0), call("numpy.where", A > 3, V, V), call("numpy.maximum", A, 0), call("numpy.maximum", F32, A),
    call("numpy.minimum", I, 3), call("numpy.logical_and", A, I[:1]), call("numpy.hypot", V, V), call("numpy.add", [1, 2], 3), call("numpy.power", V, 2),
    call("numpy.matmul", I, V), call("numpy.sqrt", 2.0), call("numpy.sqrt", [1, 4]), call("numpy.exp", A, out=None),
    *(call(f"numpy.{name}", array) for name in ("sqrt", "exp", "log1p", "sin", "tanh", "abs", "floor", "ceil", "sign", "square", "negative", "isnan", "invert", "rad2deg", "logical_not")
      for array in (A, F32, I, A > 3, I.astype(np.uint8), I.astype(np.int16), A.astype(np.complex64), T)),
    *(call(f"ndarray.{name}", array) for name in ("neg", "pos", "invert", "abs") for array in (A, I, A > 3)),
    *(call("ndarray.matmul", a, b) for a, b in itertools.product((V, np.ones((4, 4)), np.ones((2, 4, 4), "f4"), np.ones(3)), repeat=2)),
    call("numpy.random.rand"), call("numpy.random.rand", 2, 3), call("numpy.random.randn", 4), call("numpy.random.randint", 5),
    call("numpy.random.randint", 0, 5, (2, 3)), call("numpy.random.randint", 0, 5, size=4, dtype=np.int32), call("numpy.random.normal"),
    call("numpy.random.normal", 0, 1, (2, 3)), call("numpy.random.normal", V, 1.0), call("numpy.random.normal", size=(2, 2)),
    call("numpy.random.uniform", -1, 1, 5), call("numpy.random.uniform"), call("numpy.random.random"), call("numpy.random.random", (2, 3)),
    call("numpy.random.binomial", 1, 0.5, size=4), call("numpy.random.poisson", 2.0), call("numpy.random.permutation", 5),
    call("numpy.random.permutation", I), call("numpy.random.choice", 5), call("numpy.random.choice", 5, 3), call("numpy.random.choice", V, (2, 2)),
    call("numpy.random.choice", [1, 2, 3], size=2), call("numpy.random.shuffle", V.copy()), call("numpy.random.seed", 0), call("numpy.random.beta", 1.0, 2.0),
    call("numpy.random.standard_normal", (2, 2)), call("numpy.random.exponential", size=3),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, args, kwargs", CALLS)
def test_row_claims_nothing_that_numpy_does_not_do(name, args, kwargs):
    comparison = check(name, args, kwargs)
    assert comparison is None or not comparison.wrong


DTYPES = [
    name
    for name in TORCH_NAMES.values()
    if name not in ("bfloat16", "complex32") and not name.startswith("float8")
]
NUMBERS = (True, 2, 300, -1, 2.5, 1e30, 2j)
OPERATORS = "add sub mul true_divide floor_divide remainder pow and or xor eq ne lt le gt ge lshift".split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
def test_operator_dtypes_are_those_of_numpy(name):
    arrays = [np.ones(shape, dtype) for dtype in DTYPES for shape in ((2, 3), (3,), ())]
    pairs = [*itertools.product(arrays, arrays), *itertools.product(arrays, NUMBERS)]
    wrong = []
    for left, right in pairs:
        comparison = check(f"ndarray.{name}", (left, right), {})
        if comparison is not None and comparison.wrong:
            wrong.append((left.dtype, left.shape, getattr(right, "dtype", right), comparison.wrong))
    assert not wrong[:5]


def test_promotion_is_that_of_numpy():
    for a, b in itertools.product(DTYPES, DTYPES):
        short = {name: key for key, name in TORCH_NAMES.items()}
        assert TORCH_NAMES[promote(short[a], short[b])] == np.promote_types(a, b)


def test_common_calls_are_answered_fully():
    """The calls that training code makes most: shape, dtype and layout are known."""
    for name, args, kwargs in (
        ("numpy.zeros", ((2, 3),), {}), ("numpy.array", ([1, 2],), {}), ("ndarray.astype", (F32, "int64"), {}),
        ("ndarray.true_divide", (A, 255.0), {}), ("ndarray.transpose", (A, 2, 0, 1), {}), ("numpy.stack", ([A, A],), {}),
        ("ndarray.reshape", (A, -1, 4), {}), ("ndarray.__getitem__", (A, slice(0, 1)), {}), ("numpy.random.randn", (2, 3), {}),
        ("ndarray.mean", (F32,), {"axis": 0}), ("numpy.expand_dims", (A, 0), {}), ("numpy.concatenate", ([A, A],), {}),
    ):  # fmt: skip
        claimed, _ = apply(name, args, kwargs, ArrayFacts())
        assert claimed.shape is not None and claimed.dtype is not None, name


GRAD = torch.ones(2, requires_grad=True)


@pytest.mark.parametrize("name, args", [
    ("numpy.asarray", (GRAD,)), ("numpy.array", (GRAD,)), ("numpy.array", ([GRAD, GRAD],)), ("numpy.array", ([[GRAD.sum()], [1.0]],)),
    ("numpy.stack", ([GRAD, GRAD],)), ("numpy.concatenate", ((GRAD, GRAD),)), ("numpy.sqrt", (GRAD,)), ("numpy.add", (1, GRAD)),
    ("numpy.argmax", (GRAD,)), ("numpy.where", (GRAD, 1, 2)), ("numpy.zeros_like", (GRAD,)), ("numpy.reshape", (GRAD, (2, 1))),
    ("numpy.expand_dims", (GRAD, 0)), ("numpy.median", (GRAD,)), ("numpy.cumsum", (GRAD,)), ("numpy.clip", (GRAD, 0, 1)),
])  # fmt: skip
def test_tensor_that_requires_grad_is_refused_as_torch_refuses_it(name, args):
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        real_call(name, args, {})
    _, faults = apply(name, args, {}, ArrayFacts())
    assert [fault.kind for fault in faults] == [FaultKind.NUMPY_ON_GRAD]
    assert faults[0]["via"] == name


@pytest.mark.parametrize("name", ["sum", "mean", "max", "std", "squeeze"])
def test_functions_that_ask_the_tensor_first_do_not_convert_it(name):
    _, faults = apply(f"numpy.{name}", (GRAD,), {}, ArrayFacts())
    assert not faults


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["add", "sub", "mul", "true_divide"])
@pytest.mark.parametrize("tensor_dtype", [torch.float32, torch.int64, torch.float64])
@pytest.mark.parametrize("array", [V, V.astype("f4"), np.arange(4)], ids=lambda a: a.dtype.name)
def test_tensor_with_array_is_computed_by_numpy(name, tensor_dtype, array):
    tensor = torch.ones(3, 4, dtype=tensor_dtype)
    symbol = {"add": "+", "sub": "-", "mul": "*", "true_divide": "/"}[name]
    real = eval(f"tensor {symbol} array", {"tensor": tensor, "array": array})
    facts = ArrayFacts()
    claimed, faults = apply(f"ndarray.{name}", (tensor, array), {}, facts)
    assert not faults and claimed.dtype == SHORT_NAMES[real.dtype] and claimed.shape == tuple(real.shape)
    _, faults = apply(f"ndarray.{name}", (torch.ones(3, 4, requires_grad=True), array), {}, facts)
    assert [fault.kind for fault in faults] == [FaultKind.NUMPY_ON_GRAD]
    with pytest.raises(RuntimeError):
        eval(f"tensor {symbol} array", {"tensor": tensor.float().requires_grad_(), "array": array})


def test_row_major_is_claimed_for_fresh_arrays():
    claimed, _ = apply("numpy.zeros", ((2, 3),), {}, ArrayFacts())
    assert claimed.layout is ROW_MAJOR


ARRAYS = [A, T, A[:, :2], A[:, :, 0], F32.T, A[:1], A[::2], np.zeros((0, 3)), np.float32(2), T[:, :, ::2]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["from_numpy", "tensor", "as_tensor", "asarray"])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.shape}{a.strides}")
@pytest.mark.parametrize("options", [{}, {"dtype": torch.float32}], ids=str)
def test_tensor_of_an_array_keeps_its_strides(name, array, options):
    try:
        real = getattr(torch, name)(array, **options)
    except TypeError:
        return
    facts = ArrayFacts()
    claimed, faults = apply(f"torch.{name}", (array,), options, facts)
    comparison = Comparison(facts)
    comparison.compare(claimed, real)
    assert not faults and not comparison.wrong
    assert claimed.layout is not None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, args, kwargs", [
    *(call("numpy.dot", a, b) for a in (V, I, F32, np.ones(3)) for b in (V, np.ones((4, 2)), np.ones((4, 2), "f4"), np.ones(3), 2.0)),
    call("ndarray.dot", I, V), call("numpy.linalg.norm", A), call("numpy.linalg.norm", F32, axis=-1), call("numpy.linalg.norm", I),
    call("numpy.linalg.norm", I, axis=0, keepdims=True), call("numpy.linalg.norm", I, 2), call("numpy.linalg.norm", V, ord=1),
    call("numpy.linalg.norm", A.astype("c8")), call("numpy.linalg.norm", I, axis=(0, 1)),
])  # fmt: skip
def test_product_claims_nothing_that_numpy_does_not_do(name, args, kwargs):
    comparison = check(name, args, kwargs)
    assert comparison is None or not comparison.wrong


FUNCTIONS = [
    call("numpy.nonzero", I), call("ndarray.nonzero", V), call("numpy.argwhere", I > 3), call("numpy.unique", I),
    call("numpy.unique", I, return_counts=True), call("numpy.unique", I, axis=0), call("numpy.isin", I, [1, 2]), call("numpy.isin", I, V),
    call("numpy.allclose", V, V), call("numpy.triu", I), call("numpy.tril", A, 1), call("numpy.triu", V), call("numpy.nan_to_num", F32),
    call("numpy.round", A), call("numpy.round", F32, 2), call("ndarray.round", I), call("numpy.round", A > 2), call("numpy.pad", V, 2),
    call("numpy.pad", I, (1, 2)), call("numpy.pad", I, ((1, 2), (0, 3)), mode="edge"), call("numpy.pad", I, [[1, 2]]),
    call("numpy.outer", V, np.arange(3)), call("numpy.outer", V, I), call("numpy.diag", V), call("numpy.diag", V, -2), call("numpy.diag", I),
    call("numpy.meshgrid", V, np.arange(3)), call("numpy.meshgrid", V, F32[0, 0], indexing="ij"), call("numpy.meshgrid", V, V, V),
    call("numpy.linalg.inv", np.eye(3)), call("numpy.linalg.inv", np.eye(3, dtype=int)), call("numpy.linalg.inv", np.eye(3, dtype="f4")),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, args, kwargs", FUNCTIONS)
def test_function_claims_nothing_that_numpy_does_not_do(name, args, kwargs):
    comparison = check(name, args, kwargs)
    assert comparison is None or not comparison.wrong


@pytest.mark.parametrize(
    "name", ["make_moons", "make_circles", "make_classification", "make_regression", "make_friedman1"]
)
@pytest.mark.parametrize("options", [{}, {"n_samples": 30}], ids=str)
def test_data_made_by_scikit_learn_is_claimed_rightly(name, options):
    module = pytest.importorskip("sklearn.datasets")
    facts = ArrayFacts()
    claimed, _ = apply(f"sklearn.datasets.{name}", (), options, facts)
    comparison = ArrayComparison(facts)
    comparison.compare(claimed, getattr(module, name)(**options))
    assert not comparison.wrong


def test_split_by_scikit_learn_is_claimed_rightly():
    module = pytest.importorskip("sklearn.model_selection")
    facts = ArrayFacts()
    claimed, _ = apply("sklearn.model_selection.train_test_split", (A, I[:2]), {"test_size": 0.5}, facts)
    comparison = ArrayComparison(facts)
    comparison.compare(claimed, tuple(module.train_test_split(A, I[:2], test_size=0.5)))
    assert not comparison.wrong


# ---- functions of NumPy that are given a tensor ----------------------------------------------------------------------------------

GIVEN_A_TENSOR = {
    "numpy.argsort": (), "numpy.argwhere": (), "numpy.clip": (0, 1), "numpy.linalg.inv": (), "numpy.matmul": (torch.eye(2),),
    "numpy.nonzero": (), "numpy.permute_dims": ((1, 0),), "numpy.repeat": (2, 0), "numpy.reshape": ((4, 1),),
    "numpy.squeeze": (), "numpy.swapaxes": (0, 1), "numpy.transpose": (), "numpy.exp": (), "numpy.add": (1,),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN_A_TENSOR)
def test_a_function_that_gives_a_tensor_for_a_tensor_is_not_taken_to_give_an_array(name: str) -> None:
    function = np
    for part in name.split(".")[1:]:
        function = getattr(function, part)
    given = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    result = function(given, *GIVEN_A_TENSOR[name])
    assert isinstance(result[0] if isinstance(result, tuple) else result, torch.Tensor)
    facts = ArrayFacts()
    arguments = Arguments(tuple(facts.of(value) for value in (given, *GIVEN_A_TENSOR[name])))
    found, _ = ops.operator(name).apply(name, arguments, Context(site=SITE, elements=facts.elements))
    assert not isinstance(found, v.ArrayValue)


def test_each_function_that_wraps_its_result_back_is_called_here() -> None:
    refused_for_tensors = {"numpy.moveaxis"}
    assert WRAPPING_BACK - refused_for_tensors <= GIVEN_A_TENSOR.keys()
