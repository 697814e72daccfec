"""Evaluates statistics, numerical integration and other functions of whole tensors that are not plain
reductions."""

from __future__ import annotations

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, DTypeValue, Scalar, TupleValue, Value, as_dim, integer
from torchlsp.ops.call import Call, are_known
from torchlsp.ops.columns import (
    but,
    fixed,
    fresh,
    leaving_out,
    named,
    no_grad,
    normal_dim,
    pointwise,
    promoted_to_float,
    same_device,
    same_dtype,
    same_shape,
    through_of,
    together,
    widened,
)
from torchlsp.ops.table import TABLE, Row

# ---- elementwise rarities -----------------------------------------------------------------------------------------------

for _name in ("igamma", "igammac"):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature="input, other", inplace=True, opinfo=_name,
              **pointwise("input", "other"))  # fmt: skip
TABLE.row("torch.special.gammainc", signature="input, other", opinfo="igamma", **pointwise("input", "other"))
TABLE.row(
    "torch.special.gammaincc", signature="input, other", opinfo="igammac", **pointwise("input", "other")
)
TABLE.row("Tensor.polygamma", signature="input, n", **pointwise("input", dtype=promoted_to_float("input")))
TABLE.row("torch.conj_physical", "Tensor.conj_physical", opinfo="conj_physical",
          **leaving_out(pointwise("input", dtype=same_dtype), "storage", "layout", "grad"))  # fmt: skip


def _frexp(c: Call) -> Value:
    """Returns mantissa and exponent, elementwise; exponents are int32."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if tensor.dtype is not None and tensor.dtype not in dtypes.FLOATING:
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")
    mantissa, exponent = _MANTISSA.tensor(c), _EXPONENT.tensor(c)
    return named(("mantissa", "exponent"), mantissa, exponent)


_MANTISSA: Row[Call] = Row((), "", **pointwise("input", dtype=same_dtype))
_EXPONENT: Row[Call] = Row((), "", **but(pointwise("input", dtype=fixed("i32")), grad=no_grad))
TABLE.row("torch.frexp", "Tensor.frexp", opinfo="frexp", result=_frexp)


def _renormed(c: Call) -> Shape:
    tensor = c.tensor("input")
    normal_dim(c, "dim", tensor)
    if tensor is not None and tensor.rank is not None and tensor.rank < 2:
        raise c.broken(FaultKind.RANK, input=tensor, expected="2 or more", got=tensor.rank)
    return same_shape(c)


TABLE.row("torch.renorm", "Tensor.renorm", signature="input, p, dim: int, maxnorm", inplace=True, opinfo="renorm",
          **leaving_out(but(pointwise("input", dtype=lambda c: widened(c, same_dtype(c))), shape=_renormed), "layout"))  # fmt: skip

# ---- membership ---------------------------------------------------------------------------------------------------------


def _isin_shape(c: Call) -> Shape:
    elements = c.value("elements")
    return () if isinstance(elements, Scalar) else same_shape(c, "elements")


TABLE.row("torch.isin", signature="elements, test_elements, *, assume_unique=False, invert=False", opinfo="isin",
          shape=_isin_shape, dtype=fixed("bool"), device=together("elements", "test_elements"), storage=fresh,
          grad=no_grad)  # fmt: skip
TABLE.row("torch.is_nonzero", "Tensor.is_nonzero", result=lambda c: Scalar("bool"))

# ---- covariance ---------------------------------------------------------------------------------------------------------


def _square_of_variables(c: Call) -> Shape:
    """Returns one row and column for every variable; a single variable gives a 0-d tensor."""
    tensor = c.tensor("input")
    if tensor is None or tensor.shape is None:
        return None
    if len(tensor.shape) > 2:
        raise c.broken(FaultKind.RANK, input=tensor, expected="2 or less", got=tensor.rank)
    if len(tensor.shape) < 2:
        return ()
    count = tensor.shape[0]
    return () if count == 1 else (count, count) if shapes.is_one(count) is Tri.NO else None


def _covariance_dtype(c: Call) -> DType | None:
    """Returns the dtype; unknown under autocast: there is a matrix product inside."""
    if c.context.autocast is not Tri.NO:
        return None
    if "fweights" in c.args and not (c.given("fweights") is c.given("aweights") is Tri.NO):
        return None
    return promoted_to_float("input")(c)


TABLE.row("torch.cov", "Tensor.cov", signature="input, *, correction=1, fweights=None, aweights=None", opinfo="cov",
          shape=_square_of_variables, dtype=_covariance_dtype, device=same_device, storage=fresh,
          grad=through_of("input"))  # fmt: skip
TABLE.row("torch.corrcoef", "Tensor.corrcoef", opinfo="corrcoef", shape=_square_of_variables, dtype=_covariance_dtype,
          device=same_device, storage=fresh, grad=through_of("input"))  # fmt: skip

# ---- integration --------------------------------------------------------------------------------------------------------


def _integrated(c: Call) -> Shape:
    """Returns the sum of the trapezoids of `dim`, without that dim."""
    tensor = c.tensor("y")
    dim = normal_dim(c, "dim", tensor)
    if dim is None or tensor is None or not tensor.shape or c.given("x") is not Tri.NO:
        return None
    return tuple(size for i, size in enumerate(tensor.shape) if i != dim)


def _summed_up(c: Call) -> Shape:
    """Returns one trapezoid less than points."""
    tensor = c.tensor("y")
    dim = normal_dim(c, "dim", tensor)
    if dim is None or tensor is None or not tensor.shape or c.given("x") is not Tri.NO:
        return None
    if tensor.shape[dim] == 0:
        return tensor.shape
    return tuple(size - 1 if i == dim else size for i, size in enumerate(tensor.shape))


for _name in ("trapezoid", "trapz"):
    TABLE.row(f"torch.{_name}", signature="y, x=None, *, dx=None, dim: int = -1", opinfo=_name, shape=_integrated,
              device=together("y"), grad=through_of("y", "x"))  # fmt: skip
TABLE.row("torch.cumulative_trapezoid", signature="y, x=None, *, dx=None, dim: int = -1", opinfo="cumulative_trapezoid",
          shape=_summed_up, device=together("y"), grad=through_of("y", "x"))  # fmt: skip

# ---- histograms, polynomials --------------------------------------------------------------------------------------------


def _histogram(c: Call) -> Value:
    """Returns counts of `bins` bins, and their edges, one more."""
    tensor, bins = c.tensor("input"), c.value("bins")
    if tensor is None:
        return UNKNOWN_VALUE
    if isinstance(bins, TensorFact):
        edges = bins.shape[0] if bins.shape is not None and len(bins.shape) == 1 else None
        count = None if edges is None else edges - 1
    else:
        count = as_dim(bins)
        edges = None if count is None else count + 1
    shape_of = [None if size is None else (size,) for size in (count, edges)]
    return named(("hist", "bin_edges"), *(c.make(shape, tensor.dtype, tensor.device) for shape in shape_of))


TABLE.row("torch.histogram", "Tensor.histogram", signature="input, bins, *, range=None, weight=None, density=False",
          opinfo="histogram", result=_histogram)  # fmt: skip


def _powers(c: Call) -> Shape:
    tensor = c.tensor("x")
    if tensor is None or tensor.shape is None:
        return None
    if len(tensor.shape) != 1:
        raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=tensor.rank)
    columns = tensor.shape[0] if c.given("N") is Tri.NO else c.dim("N")
    return (tensor.shape[0], c.fresh() if columns is None else columns)


TABLE.row("torch.vander", signature="x, N=None, increasing=False", shape=_powers, device=together("x"))


def _gradient(c: Call) -> Value:
    """Returns one tensor of the input's shape for every dim."""
    tensor = c.tensor("input")
    if tensor is None or tensor.rank is None:
        return UNKNOWN_VALUE
    if c.given("dim") is Tri.NO:
        count = tensor.rank
    else:
        given = c.ints("dim")
        if given is None:
            return UNKNOWN_VALUE
        count = len(given)
    one = c.make(tensor.shape, None, tensor.device)
    return TupleValue((one,) * count)


TABLE.row(
    "torch.gradient",
    signature="input, *, spacing=1, dim=None, edge_order=1",
    opinfo="gradient",
    result=_gradient,
)

# ---- shapes and dtypes as values ----------------------------------------------------------------------------------------


def _broadcast_shapes(c: Call) -> Value:
    items = c.items("shapes")
    if items is None:
        return UNKNOWN_VALUE
    given: list[Shape] = []
    for item in items:
        sizes = c.context.elements(item)
        single = as_dim(item)
        found = (single,) if single is not None else None if sizes is None else tuple(map(as_dim, sizes))
        given.append(found if found is not None and are_known(found) else None)
    try:
        shape = shapes.broadcast(given, c.context.site)
    except shapes.NotBroadcastable as clash:
        raise c.broken(FaultKind.BROADCAST, left=given[0], right=given[-1], dim=clash.dim, left_size=clash.left,
                       right_size=clash.right) from clash  # fmt: skip
    return UNKNOWN_VALUE if shape is None else TupleValue(tuple(map(integer, shape)), is_size=True)


TABLE.row("torch.broadcast_shapes", signature="*shapes", result=_broadcast_shapes)
TABLE.row("torch.get_default_dtype", signature="", result=lambda c: DTypeValue(c.context.default_dtype))
TABLE.row("torch.initial_seed", "torch.seed", signature="", result=lambda c: Scalar("int"))
TABLE.row("Tensor.resize_as_", signature="input, tensor, memory_format=None", mutates="input",
          result=lambda c: _resized_as(c))  # fmt: skip


def _resized_as(c: Call) -> Value:
    target, other = c.tensor("input"), c.tensor("tensor")
    if target is None:
        return UNKNOWN_VALUE
    return target.but(shape=None if other is None else other.shape, layout=None, origin=c.origin(target))


TABLE.row("torch.unravel_index", signature="indices, shape",
          result=lambda c: _unravelled(c))  # fmt: skip


def _unravelled(c: Call) -> Value:
    """Returns one index tensor for every dim of `shape`, each of the indices' shape."""
    tensor, sizes = c.tensor("indices"), c.sizes("shape")
    if tensor is None or sizes is None:
        return UNKNOWN_VALUE
    return TupleValue(
        (c.make(tensor.shape, tensor.dtype, tensor.device, None, grad=no_grad(c, None)),) * len(sizes)
    )
