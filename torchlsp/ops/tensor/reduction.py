"""Evaluates reductions, running reductions, and order statistics."""

from __future__ import annotations

from torchlsp.core.records import replace
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout, is_dense
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, ListRef, Scalar, TupleValue, Value
from torchlsp.ops.call import Call, Check, Columns, DTypeColumn, GradColumn, ResultColumn, ShapeColumn
from torchlsp.ops.class_dim import best_of_batch_softmax
from torchlsp.ops.columns import (
    NOT_FLOATING,
    broadcast,
    but,
    fixed,
    fresh,
    given_dtype_or,
    leaving_out,
    named,
    no_grad,
    normal_dim,
    pointwise,
    promoted_to_float,
    reduced,
    row_major,
    same_device,
    same_dtype,
    same_shape,
    through_of,
    together,
    widened,
)
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.table import TABLE, Row


def reduction(
    dtype: DTypeColumn[Call], grad: GradColumn[Call] | None = None, shape: ShapeColumn[Call] = reduced
) -> Columns:
    """Makes all columns of an operator that reduces `dim` with `keepdim` into new memory."""
    return {
        "shape": shape, "dtype": dtype, "device": same_device, "layout": row_major, "storage": fresh,
        "grad": grad or through_of("input"),
    }  # fmt: skip


def summed_dtype(c: Call) -> DType | None:
    """Returns the dtype of a sum: integers and bool add up in int64."""
    tensor = c.tensor("input")
    if tensor is None or tensor.dtype is None:
        return None
    return "i64" if tensor.dtype in NOT_FLOATING else widened(c, tensor.dtype)


def refuse_integers(c: Call) -> None:
    """Raises a fault for integers and bool, unless `dtype=` converts first: mean, std, var and norms."""
    tensor = c.tensor("input")
    if tensor is None or tensor.dtype not in NOT_FLOATING:
        return
    if "dtype" in c.args and c.given("dtype") is not Tri.NO:
        given = c.dtype()
        if given is None or dtypes.can_require_grad(given):
            return
    raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")


def refuse(*kinds: str) -> Check[Call]:
    def check(c: Call) -> None:
        tensor = c.tensor("input")
        if tensor is not None and tensor.dtype in kinds:
            raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype)

    return check


refuse_complex = refuse(*dtypes.COMPLEX)


def _reduced_size(c: Call, tensor: TensorFact) -> Dim | None:
    """Returns the number of elements that one `dim` holds; without a dim all of them."""
    if c.given("dim") is Tri.NO:
        return shapes.numel(tensor.shape)
    dim = normal_dim(c, "dim", tensor)
    return None if dim is None else tensor.shape[dim] if tensor.shape else 1


def refuse_empty(c: Call) -> None:
    """Raises a fault for a reduced size of 0 of operators without an identity (max, argmax)."""
    tensor = c.tensor("input")
    if tensor is None:
        return
    if _reduced_size(c, tensor) == 0 and c.given("dim") is Tri.NO:
        raise c.broken(FaultKind.SIZE, input=tensor, size=0, reason="empty")


_DIM_KEEPDIM = "input, dim=None, keepdim=False"
_SUMMED = given_dtype_or(summed_dtype)
_GIVEN_OR_SAME = given_dtype_or(lambda c: widened(c, same_dtype(c)))

TABLE.row(
    "torch.sum", "Tensor.sum", signature=f"{_DIM_KEEPDIM}, *, dtype=None", opinfo="sum", **reduction(_SUMMED)
)
TABLE.row(
    "torch.nansum",
    "Tensor.nansum",
    signature=f"{_DIM_KEEPDIM}, *, dtype=None",
    opinfo="nansum",
    **reduction(_SUMMED),
)
TABLE.row(
    "torch.prod",
    "Tensor.prod",
    signature=f"{_DIM_KEEPDIM}, *, dtype=None",
    opinfo="prod",
    **reduction(_SUMMED),
)
TABLE.row("torch.mean", "Tensor.mean", signature=f"{_DIM_KEEPDIM}, *, dtype=None", opinfo="mean", faults=[refuse_integers],
          **reduction(_GIVEN_OR_SAME))  # fmt: skip
TABLE.row("torch.nanmean", "Tensor.nanmean", signature=f"{_DIM_KEEPDIM}, *, dtype=None", opinfo="nanmean",
          faults=[refuse_integers], **reduction(_GIVEN_OR_SAME))  # fmt: skip
for _name in ("amax", "amin"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature="input, dim=(), keepdim=False", opinfo=_name,
              faults=[refuse_complex], **reduction(same_dtype))  # fmt: skip
for _name in ("argmax", "argmin"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature=_DIM_KEEPDIM, opinfo=_name,
              faults=[refuse("bool", *dtypes.COMPLEX), refuse_empty, best_of_batch_softmax], **reduction(fixed("i64"), no_grad))  # fmt: skip
TABLE.row("torch.count_nonzero", "Tensor.count_nonzero", signature="input, dim=None", opinfo="count_nonzero",
          **reduction(fixed("i64"), no_grad))  # fmt: skip


def _truth_dtype(c: Call) -> DType | None:
    tensor = c.tensor("input")
    return None if tensor is None or tensor.dtype is None else "u8" if tensor.dtype == "u8" else "bool"


for _name in ("any", "all"):
    TABLE.row(
        f"torch.{_name}",
        f"Tensor.{_name}",
        signature=_DIM_KEEPDIM,
        opinfo=_name,
        **reduction(_truth_dtype, no_grad),
    )

TABLE.row("torch.logsumexp", "Tensor.logsumexp", "torch.special.logsumexp", signature="input, dim, keepdim=False",
          opinfo="logsumexp", **reduction(promoted_to_float("input")))  # fmt: skip

# ---- variance -----------------------------------------------------------------------------------------------------------


def _unbiased_taken_apart(c: Call) -> Call:
    """Returns the call with a bool in place of `dim`, as in `x.std(False)`, read as `unbiased`."""
    dim = c.value("dim")
    if isinstance(dim, Scalar) and dim.kind == "bool":
        return Call(c.name, {**c.args, "dim": Scalar("none"), "unbiased": dim}, c.context)
    return c


def _spread_shape(c: Call) -> Shape:
    return reduced(_unbiased_taken_apart(c))


def _spread_dtype(c: Call) -> DType | None:
    tensor = c.tensor("input")
    return None if tensor is None or tensor.dtype is None else widened(c, dtypes.real_of(tensor.dtype))


_SPREAD_SIGNATURE = "input, dim=None, unbiased=True, keepdim=False, *, correction=None"
_SPREAD = reduction(_spread_dtype, shape=_spread_shape)
_SPREAD_ROW: Row[Call] = Row((), "", **_SPREAD)
_MEAN_ROW: Row[Call] = Row((), "", **reduction(same_dtype, shape=_spread_shape))
for _name in ("std", "var"):
    TABLE.row(
        f"torch.{_name}",
        f"Tensor.{_name}",
        signature=_SPREAD_SIGNATURE,
        opinfo=_name,
        faults=[refuse_integers],
        **_SPREAD,
    )
    TABLE.row(f"torch.{_name}_mean", signature=_SPREAD_SIGNATURE, opinfo=f"{_name}_mean", faults=[refuse_integers],
              result=lambda c: _spread_and_mean(c))  # fmt: skip


def _spread_and_mean(c: Call) -> Value:
    spread = _SPREAD_ROW.tensor(c)
    mean = _MEAN_ROW.tensor(c)
    return TupleValue((spread, mean))


# ---- norms --------------------------------------------------------------------------------------------------------------


def _norm_dtype(c: Call) -> DType | None:
    if c.given("dtype") is Tri.YES:
        given = c.dtype()
        return None if given is None else dtypes.real_of(given)
    return _spread_dtype(c) if c.given("dtype") is Tri.NO else None


TABLE.row("torch.norm", "Tensor.norm", signature="input, p='fro', dim=None, keepdim=False, dtype=None", opinfo="norm",
          faults=[refuse_integers], **leaving_out(reduction(_norm_dtype), "layout"))  # fmt: skip
TABLE.row("torch.dist", "Tensor.dist", signature="input, other, p=2", opinfo="dist",
          shape=lambda c: _after_broadcast(c), dtype=lambda c: _dist_dtype(c), device=together("input", "other"),
          layout=row_major, storage=fresh, grad=through_of("input", "other"))  # fmt: skip


def _after_broadcast(c: Call) -> Shape:
    broadcast("input", "other")(c)
    return ()


def _dist_dtype(c: Call) -> DType | None:
    left, right = c.tensor("input"), c.tensor("other")
    if left is None or right is None or left.dtype is None or left.dtype != right.dtype:
        return None
    return widened(c, dtypes.real_of(left.dtype)) if dtypes.can_require_grad(left.dtype) else None


# ---- values with their indices ------------------------------------------------------------------------------------------


def _indices(c: Call, tensor: TensorFact, shape: Shape, layout: Layout = ROW_MAJOR) -> TensorFact:
    return c.make(shape, "i64", tensor.device, layout, fresh(c), NO_GRAD)


def _values(c: Call, tensor: TensorFact, shape: Shape, layout: Layout = ROW_MAJOR) -> TensorFact:
    grad = through_of("input")(c, tensor.dtype)
    return c.make(shape, tensor.dtype, tensor.device, layout, fresh(c), grad)


_PAIR = ("values", "indices")


def _pair(shape_of: ShapeColumn[Call]) -> ResultColumn[Call]:
    """Makes the result column of values and int64 indices, both of the shape that `shape_of(c)` gives."""

    def result(c: Call) -> Value:
        tensor = c.tensor("input")
        if tensor is None or isinstance(c.args.get("dim"), (TupleValue, ListRef)):
            return UNKNOWN_VALUE  # a tuple is refused: the indices of several dims are no number
        shape = shape_of(c)
        return named(_PAIR, _values(c, tensor, shape), _indices(c, tensor, shape))

    return result


def _extreme(c: Call) -> Value:
    """Evaluates max and min: of all elements, of a dim (with indices), or elementwise with another tensor."""
    tensor, dim = c.tensor("input"), c.value("dim")
    if tensor is None:
        return UNKNOWN_VALUE
    refuse_complex(c)
    other = dim if isinstance(dim, TensorFact) else c.tensor("other")
    if other is not None:
        both = Call(c.name, {"input": tensor, "other": other}, c.context)
        return _ELEMENTWISE.tensor(both)
    if c.given("other") is not Tri.NO or c.given("dim") is Tri.UNKNOWN:
        return UNKNOWN_VALUE
    if c.given("dim") is Tri.NO:
        if shapes.numel(tensor.shape) == 0:
            raise c.broken(FaultKind.SIZE, input=tensor, size=0, reason="empty")
        return _values(c, tensor, ())
    return _pair(reduced)(c)


_ELEMENTWISE: Row[Call] = Row((), "", **pointwise("input", "other"))
for _name in ("max", "min"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature="input, dim=None, keepdim=False, *, other=None", result=_extreme,
              opinfo=_name, faults=[best_of_batch_softmax])  # fmt: skip


def _median(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None or c.given("dim") is Tri.UNKNOWN:
        return UNKNOWN_VALUE
    return _values(c, tensor, ()) if c.given("dim") is Tri.NO else _pair(reduced)(c)


for _name in ("median", "nanmedian"):
    TABLE.row(
        f"torch.{_name}",
        f"Tensor.{_name}",
        signature=_DIM_KEEPDIM,
        opinfo=_name,
        faults=[refuse_complex],
        result=_median,
    )
TABLE.row(
    "torch.mode",
    "Tensor.mode",
    signature="input, dim: int = -1, keepdim=False",
    opinfo="mode",
    result=_pair(reduced),
)


def _k_in_range(c: Call) -> None:
    tensor, k = c.tensor("input"), c.int("k")
    if tensor is None or k is None:
        return
    dim = normal_dim(c, "dim", tensor)
    if dim is None:
        return
    size = tensor.shape[dim] if tensor.shape else 1
    least = 1 if c.name.endswith("kthvalue") else 0
    if k < least or (isinstance(size, int) and k > size):
        raise c.broken(FaultKind.INDEX, input=tensor, index=k, size=size, reason="k")


TABLE.row("torch.kthvalue", "Tensor.kthvalue", signature="input, k, dim: int = -1, keepdim=False", opinfo="kthvalue",
          faults=[_k_in_range, refuse_complex], result=_pair(reduced))  # fmt: skip


def _topk_shape(c: Call) -> Shape:
    tensor = c.tensor("input")
    dim = normal_dim(c, "dim", tensor)
    if dim is None or tensor is None or tensor.shape is None:
        return None
    k = c.dim("k")
    k = c.fresh("k") if k is None else k
    return tuple(k if i == dim else size for i, size in enumerate(tensor.shape))


def _topk(c: Call) -> Value:
    """Evaluates topk; of a tensor whose dims are not known, `topk(1)` has a dim of one element, which may go anywhere without a copy."""
    tensor = c.tensor("input")
    pair = _pair(_topk_shape)(c)
    if tensor is None or tensor.shape is not None or c.int("k") != 1 or not isinstance(pair, TupleValue):
        return pair
    items = (item.but(layout=None) if isinstance(item, TensorFact) else item for item in pair.items)
    return replace(pair, items=tuple(items))


TABLE.row("torch.topk", "Tensor.topk", signature="input, k, dim: int = -1, largest=True, sorted=True", opinfo="topk",
          faults=[_k_in_range, refuse_complex, best_of_batch_softmax], result=_topk)  # fmt: skip


def _dense_layout(tensor: TensorFact) -> Layout:
    """Returns the layout of a sorted tensor: `sort` keeps the order of dims in memory."""
    if tensor.layout is ROW_MAJOR:
        return ROW_MAJOR
    if tensor.shape is None or is_dense(tensor.shape, tensor.layout) is not Tri.YES:
        return None
    return elementwise_layout([tensor], tensor.shape)


def _sorted_layout(c: Call, shape: Shape) -> Layout:
    tensor = c.tensor("input")
    return None if tensor is None else _dense_layout(tensor)


def _sorted(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    normal_dim(c, "dim", tensor)
    layout = _dense_layout(tensor)
    return named(_PAIR, _values(c, tensor, tensor.shape, layout), _indices(c, tensor, tensor.shape, layout))


TABLE.row("torch.sort", "Tensor.sort", signature="input, dim: int = -1, descending=False, *, stable=None", opinfo="sort",
          faults=[refuse_complex], result=_sorted)  # fmt: skip
TABLE.row("torch.argsort", "Tensor.argsort", signature="input, dim: int = -1, descending=False, stable=False", opinfo="argsort",
          faults=[refuse_complex, lambda c: normal_dim(c, "dim", c.tensor("input")) and None],
          **but(reduction(fixed("i64"), no_grad, same_shape), layout=_sorted_layout))  # fmt: skip
TABLE.row("torch.msort", "Tensor.msort", opinfo="msort", faults=[refuse_complex],
          **but(reduction(same_dtype, None, same_shape), layout=_sorted_layout))  # fmt: skip


def _aminmax(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    shape = reduced(c)
    return named(("min", "max"), _values(c, tensor, shape), _values(c, tensor, shape))


TABLE.row("torch.aminmax", "Tensor.aminmax", signature="input, *, dim=None, keepdim=False", opinfo="aminmax",
          faults=[refuse_complex], result=_aminmax)  # fmt: skip

# ---- running reductions -------------------------------------------------------------------------------------------------


def _dim_in_range(c: Call) -> None:
    normal_dim(c, "dim", c.tensor("input"))


_RUNNING = reduction(_SUMMED, None, same_shape)
for _name in ("cumsum", "cumprod"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature="input, dim: int, *, dtype=None", inplace=True, opinfo=_name,
              faults=[_dim_in_range], **_RUNNING)  # fmt: skip
TABLE.row("torch.logcumsumexp", "Tensor.logcumsumexp", signature="input, dim: int", opinfo="logcumsumexp",
          faults=[_dim_in_range], **reduction(same_dtype, None, same_shape))  # fmt: skip
for _name in ("cummax", "cummin"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature="input, dim: int", opinfo=_name,
              faults=[_dim_in_range, refuse_complex], result=_pair(same_shape))  # fmt: skip

# ---- results of unknown size --------------------------------------------------------------------------------------------


def _unique(c: Call) -> Value:
    """Returns distinct values, of unknown number.

    The inverse has the input's shape, the counts the values'.
    """
    tensor = c.tensor("input")
    wants = [c.flag(name) for name in ("return_inverse", "return_counts")]
    if tensor is None or None in wants or c.given("dim") is Tri.UNKNOWN:
        return UNKNOWN_VALUE
    count = c.fresh("unique")
    values: Shape = (count,)
    inverse = tensor.shape
    if c.given("dim") is Tri.YES:
        dim, sizes = normal_dim(c, "dim", tensor), tensor.shape
        values = inverse = None
        if dim is not None and sizes is not None:
            values = tuple(count if i == dim else size for i, size in enumerate(sizes))
            inverse = (sizes[dim],) if sizes else None
    layout = ROW_MAJOR if c.given("dim") is Tri.NO else None
    results = [
        c.make(values, tensor.dtype, tensor.device, layout, fresh(c), through_of("input")(c, tensor.dtype))
    ]
    if wants[0]:
        results.append(c.make(inverse, "i64", tensor.device, None, fresh(c), NO_GRAD))
    if wants[1]:
        results.append(c.make((count,), "i64", tensor.device, None, fresh(c), NO_GRAD))
    return results[0] if len(results) == 1 else TupleValue(tuple(results))


TABLE.row("torch.unique", "Tensor.unique", signature="input, sorted=True, return_inverse=False, return_counts=False, dim=None",
          opinfo="unique", result=_unique)  # fmt: skip
TABLE.row("torch.unique_consecutive", "Tensor.unique_consecutive", signature="input, return_inverse=False, return_counts=False, dim=None",
          opinfo="unique_consecutive", result=_unique)  # fmt: skip


def _at_least(c: Call) -> Shape:
    """Returns the shape of bincount: one place for each value up to the largest, which is not known."""
    return (c.fresh("bins"),)


def _counted_dtype(c: Call) -> DType | None:
    given = c.given("weights")
    return "i64" if given is Tri.NO else None


TABLE.row("torch.bincount", "Tensor.bincount", signature="input, weights=None, minlength=0", opinfo="bincount",
          faults=[refuse(*dtypes.FLOATING, *dtypes.COMPLEX, "bool")], shape=_at_least, dtype=_counted_dtype, device=same_device,
          layout=row_major, storage=fresh, grad=no_grad)  # fmt: skip


def _bins(c: Call) -> Shape:
    bins = c.dim("bins")
    return None if bins is None else (bins,)


TABLE.row("torch.histc", "Tensor.histc", signature="input, bins=100, min=0, max=0", opinfo="histc",
          shape=_bins, dtype=same_dtype, device=same_device,
          layout=row_major, storage=fresh, grad=None)  # fmt: skip

# ---- quantiles, differences ---------------------------------------------------------------------------------------------


def _quantile_shape(c: Call) -> Shape:
    """Returns the reduced shape, with a dim in front for every q of a tensor of them."""
    rest = reduced(c)
    q = c.value("q")
    if rest is None or not isinstance(q, TensorFact):
        return rest if isinstance(q, Scalar) else None
    return None if q.shape is None else q.shape + rest


for _name in ("quantile", "nanquantile"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature="input, q, dim=None, keepdim=False, *, interpolation='linear'",
              opinfo=_name, faults=[refuse(*NOT_FLOATING, *dtypes.COMPLEX)],
              **leaving_out(reduction(same_dtype, through_of("input"), _quantile_shape), "layout", "storage"))  # fmt: skip


def _diff_shape(c: Call) -> Shape:
    tensor, n = c.tensor("input"), c.int("n")
    dim = normal_dim(c, "dim", tensor)
    plain = c.given("prepend") is Tri.NO and c.given("append") is Tri.NO
    if dim is None or n is None or tensor is None or not tensor.shape:
        return None
    sizes = list(tensor.shape)
    size = sizes[dim]
    if not plain:
        sizes[dim] = c.fresh("diff")
    else:
        sizes[dim] = max(size - n, 0) if isinstance(size, int) else size - n
    return tuple(sizes)


TABLE.row("torch.diff", "Tensor.diff", signature="input, n=1, dim: int = -1, prepend=None, append=None", opinfo="diff",
          shape=_diff_shape, dtype=lambda c: same_dtype(c) if c.given("prepend") is c.given("append") is Tri.NO else None,
          device=same_device)  # fmt: skip

# ---- answers as Python values -------------------------------------------------------------------------------------------

TABLE.row(
    "torch.equal", "Tensor.equal", signature="input, other", opinfo="equal", result=lambda c: Scalar("bool")
)
TABLE.row("torch.allclose", "Tensor.allclose", signature="input, other, rtol=1e-05, atol=1e-08, equal_nan=False",
          opinfo="allclose", result=lambda c: Scalar("bool"))  # fmt: skip
