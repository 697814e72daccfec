"""Evaluates torch.linalg: factorisations, solvers, inverses, determinants and norms of (batches of) matrices.

Strides of factors follow LAPACK's column-major order in ways that differ by driver and device: they are left unknown.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Scalar, Value
from torchlsp.ops.call import Call, TensorLaw, ViewLaw
from torchlsp.ops.columns import (
    broadcast_shapes,
    common_device,
    named,
    normal_dims,
    one_dtype,
    rank_is_at_least,
    tensor_or_unknown,
    through,
)
from torchlsp.ops.parameters import another_storage
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.linalg import contracted
from torchlsp.ops.tensor.reordering import of_input


def computed(
    c: Call, shape: Shape, dtype: DType | None, *, differentiable: bool = True, index: int = 0
) -> TensorFact:
    """Returns a result in memory of its own, of strides that are not known: the `index`-th of the call.

    Autocast may change the dtype.
    """
    dtype = dtype if c.context.autocast is Tri.NO else None
    grad = through(c, dtype) if differentiable else NO_GRAD
    device = common_device(c, list(c.parents()))
    return c.make(shape, dtype, device, None, another_storage(c, index), grad)


def matrices(c: Call, tensor: TensorFact) -> None:
    """Raises a fault unless there are two dims or more, of floating or complex elements."""
    rank_is_at_least(c, tensor, 2)
    if tensor.dtype is not None and not dtypes.can_require_grad(tensor.dtype):
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")


def square(c: Call, tensor: TensorFact) -> None:
    matrices(c, tensor)
    if tensor.shape is not None and dims.equal(tensor.shape[-1], tensor.shape[-2]) is Tri.NO:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=-1, size=tensor.shape[-1], expected=tensor.shape[-2])


def _sizes(tensor: TensorFact) -> tuple[tuple[Dim, ...], Dim, Dim] | None:
    """Returns (batch, rows, columns); None for an unknown rank."""
    return None if tensor.shape is None else (tensor.shape[:-2], tensor.shape[-2], tensor.shape[-1])


def _least(c: Call, rows: Dim, columns: Dim) -> Dim:
    """Returns the smaller of two sizes; a fresh one where that is not known."""
    difference = rows - columns
    if isinstance(difference, int):
        return columns if difference > 0 else rows
    return c.fresh("least")


def _real(dtype: DType | None) -> DType | None:
    return None if dtype is None else dtypes.real_of(dtype)


def _complex(dtype: DType | None) -> DType | None:
    if dtype is None or dtype in dtypes.COMPLEX:
        return dtype
    return {"f32": "c64", "f64": "c128"}.get(dtype)


def _row(*names: str, law: TensorLaw, signature: str = "input", opinfo: str | None = None) -> None:
    """Adds an operator of one tensor; `opinfo` is by default its first name without `torch.`."""
    TABLE.row(
        *names, signature=signature, result=of_input(law), opinfo=opinfo or names[0].removeprefix("torch.")
    )


# ---- one matrix in, one out ---------------------------------------------------------------------------------------------


DTypeOfDType = Callable[[DType | None], DType | None]


def _same(
    check: Callable[[Call, TensorFact], None] = square,
    dtype: DTypeOfDType = lambda one: one,
    shape: Callable[[Call, TensorFact], Shape] = lambda c, tensor: tensor.shape,
) -> ViewLaw:
    def law(c: Call, tensor: TensorFact) -> TensorFact:
        check(c, tensor)
        return computed(c, shape(c, tensor), dtype(tensor.dtype))

    return law


def _batch(c: Call, tensor: TensorFact) -> Shape:
    return None if tensor.shape is None else tensor.shape[:-2]


def _batch_and_one(c: Call, tensor: TensorFact) -> Shape:
    return None if tensor.shape is None else tensor.shape[:-1]


def _swapped(c: Call, tensor: TensorFact) -> Shape:
    found = _sizes(tensor)
    return None if found is None else (*found[0], found[2], found[1])


def _pseudo_inverse(c: Call, tensor: TensorFact) -> Shape:
    """Evaluates the pseudo-inverse; tolerances may be tensors, which broadcast with the batch."""
    found = _sizes(tensor)
    if found is None:
        return None
    batches: list[Shape] = [found[0]]
    for name in ("atol", "rtol"):
        value = c.value(name)
        batches.append(
            value.shape if isinstance(value, TensorFact) else () if isinstance(value, Scalar) else None
        )
    try:
        batch = shapes.broadcast(batches, c.context.site)
    except shapes.NotBroadcastable:
        return None
    return None if batch is None else (*batch, found[2], found[1])


def _smaller_side(c: Call, tensor: TensorFact) -> Shape:
    found = _sizes(tensor)
    return None if found is None else (*found[0], _least(c, found[1], found[2]))


_row("torch.linalg.inv", "torch.inverse", "Tensor.inverse", law=_same())
_row("torch.linalg.det", "torch.det", "Tensor.det", law=_same(shape=_batch))
_row("torch.logdet", "Tensor.logdet", law=_same(shape=_batch))
_row("torch.linalg.cholesky", signature="input, *, upper=False", law=_same())
_row("torch.cholesky", "Tensor.cholesky", signature="input, upper=False", law=_same())
_row("torch.cholesky_inverse", "Tensor.cholesky_inverse", signature="input, upper=False", law=_same())
_row("torch.linalg.matrix_exp", "torch.matrix_exp", "Tensor.matrix_exp", law=_same(), opinfo="matrix_exp")
_row("torch.linalg.eigvals", law=_same(dtype=_complex, shape=_batch_and_one))
_row("torch.linalg.eigvalsh", signature="input, UPLO='L'", law=_same(dtype=_real, shape=_batch_and_one))
_row("torch.linalg.svdvals", signature="input, *, driver=None", law=_same(matrices, _real, _smaller_side))
_row(
    "torch.linalg.pinv",
    signature="input, *, atol=None, rtol=None, hermitian=False",
    law=_same(matrices, shape=_pseudo_inverse),
)
_row("torch.pinverse", "Tensor.pinverse", signature="input, rcond=1e-15", law=_same(matrices, shape=_swapped))
_row(
    "torch.linalg.matrix_power",
    "torch.matrix_power",
    "Tensor.matrix_power",
    signature="input, n",
    law=_same(),
)


def _matrix_rank(c: Call, tensor: TensorFact) -> TensorFact:
    matrices(c, tensor)
    return computed(c, _batch(c, tensor), "i64", differentiable=False)


_row(
    "torch.linalg.matrix_rank",
    signature="input, tol=None, *, atol=None, rtol=None, hermitian=False",
    law=_matrix_rank,
)


# ---- several results ----------------------------------------------------------------------------------------------------


def _results(c: Call, names: tuple[str, ...], *parts: tuple[Shape, DType | None]) -> Value:
    """Returns a named tuple of results by their shapes and dtypes, each in memory of its own."""
    return named(names, *(computed(c, shape, dtype, index=i) for i, (shape, dtype) in enumerate(parts)))


def _svd(c: Call, tensor: TensorFact) -> Value:
    matrices(c, tensor)
    full = c.flag("full_matrices")
    return _svd_parts(c, tensor, full, ("U", "S", "Vh"), transposed=True)


def _svd_parts(
    c: Call, tensor: TensorFact, full: bool | None, names: tuple[str, ...], transposed: bool
) -> Value:
    found = _sizes(tensor)
    left: Shape = None
    right: Shape = None
    values: Shape = None
    if found is not None:
        batch, rows, columns = found
        least = _least(c, rows, columns)
        values = (*batch, least)
        if full is not None:
            left = (*batch, rows, rows if full else least)
            right = (columns, columns if full else least)
            right = (*batch, *(right[::-1] if transposed else right))
    return _results(c, names, (left, tensor.dtype), (values, _real(tensor.dtype)), (right, tensor.dtype))


_row("torch.linalg.svd", signature="input, full_matrices=True, *, driver=None", law=_svd)


def _old_svd(c: Call, tensor: TensorFact) -> Value:
    matrices(c, tensor)
    some = c.flag("some")
    return _svd_parts(c, tensor, None if some is None else not some, ("U", "S", "V"), transposed=False)


_row("torch.svd", "Tensor.svd", signature="input, some=True, compute_uv=True", law=_old_svd)


_QR_MODES: dict[bool | None, str] = {True: "reduced", False: "complete"}


def _qr(c: Call, tensor: TensorFact) -> Value:
    matrices(c, tensor)
    some = c.flag("some") if "some" in c.args else None
    mode = _QR_MODES.get(some) if "some" in c.args else c.text("mode")
    found = _sizes(tensor)
    if found is None or mode is None:
        return _results(c, ("Q", "R"), (None, tensor.dtype), (None, tensor.dtype))
    batch, rows, columns = found
    least = rows if mode == "complete" else _least(c, rows, columns)
    first = (0,) if mode == "r" else (*batch, rows, least)
    return _results(c, ("Q", "R"), (first, tensor.dtype), ((*batch, least, columns), tensor.dtype))


_row("torch.linalg.qr", signature="input, mode='reduced'", law=_qr)
_row("torch.qr", "Tensor.qr", signature="input, some=True", law=_qr)


def _eigen(dtype_of_vectors: DTypeOfDType) -> TensorLaw:
    def law(c: Call, tensor: TensorFact) -> Value:
        square(c, tensor)
        vectors = dtype_of_vectors(tensor.dtype)
        values = vectors if dtype_of_vectors is _complex else _real(tensor.dtype)
        parts = (_batch_and_one(c, tensor), values), (tensor.shape, vectors)
        return _results(c, ("eigenvalues", "eigenvectors"), *parts)

    return law


_row("torch.linalg.eig", law=_eigen(_complex))
_row("torch.linalg.eigh", signature="input, UPLO='L'", law=_eigen(lambda one: one))


def _slogdet(c: Call, tensor: TensorFact) -> Value:
    square(c, tensor)
    batch = _batch(c, tensor)
    return _results(c, ("sign", "logabsdet"), (batch, tensor.dtype), (batch, _real(tensor.dtype)))


_row("torch.linalg.slogdet", law=_slogdet)
_row("torch.slogdet", "Tensor.slogdet", law=_slogdet, opinfo="linalg.slogdet")


def _with_info(names: tuple[str, str]) -> TensorLaw:
    """Returns a result as large as the input, and an error code a matrix."""

    def law(c: Call, tensor: TensorFact) -> Value:
        square(c, tensor)
        info = computed(c, _batch(c, tensor), "i32", differentiable=False, index=1)
        return named(names, computed(c, tensor.shape, tensor.dtype), info)

    return law


_row("torch.linalg.inv_ex", signature="input, *, check_errors=False", law=_with_info(("inverse", "info")))
_row(
    "torch.linalg.cholesky_ex",
    signature="input, *, upper=False, check_errors=False",
    law=_with_info(("L", "info")),
)


def _lu_factor(c: Call, tensor: TensorFact) -> Value:
    matrices(c, tensor)
    pivots = computed(c, _smaller_side(c, tensor), "i32", differentiable=False, index=1)
    return named(("LU", "pivots"), computed(c, tensor.shape, tensor.dtype), pivots)


_row("torch.linalg.lu_factor", signature="input, *, pivot=True", law=_lu_factor)


def _lu(c: Call, tensor: TensorFact) -> Value:
    matrices(c, tensor)
    found = _sizes(tensor)
    left: Shape = None
    lower: Shape = None
    upper: Shape = None
    if found is not None and c.flag("pivot"):
        batch, rows, columns = found
        least = _least(c, rows, columns)
        left, lower, upper = (*batch, rows, rows), (*batch, rows, least), (*batch, least, columns)
    permutation = computed(c, left, tensor.dtype, differentiable=False)
    return named(
        ("P", "L", "U"),
        permutation,
        computed(c, lower, tensor.dtype, index=1),
        computed(c, upper, tensor.dtype, index=2),
    )


_row("torch.linalg.lu", signature="input, *, pivot=True", law=_lu)


# ---- solvers ------------------------------------------------------------------------------------------------------------


def _solved(c: Call, tensor: TensorFact, other: TensorFact) -> Shape:
    """Returns the shape of X in `A X = B`.

    B is a vector (a batch of them) where its shape is A's without the last size.
    """
    a, b = tensor.shape, other.shape
    if a is None or not b:
        return None
    if len(b) == 1 or (len(a) - 1 == len(b) and shapes.same(a[:-1], b) is not Tri.NO):
        return b if len(b) == 1 and len(a) == 2 else None
    contracted(c, tensor, other, a[-1], b[-2])
    return (*broadcast_shapes(c, [a[:-2], b[:-2]], tensor, other, trailing=2), a[-1], b[-1])


def _solve(c: Call, tensor: TensorFact) -> TensorFact:
    square(c, tensor)
    other = tensor_or_unknown(c, "B")
    dtype = one_dtype(c, tensor, other)
    left = c.flag("left")
    return computed(c, _solved(c, tensor, other) if left else None, dtype)


_row("torch.linalg.solve", signature="input, B, *, left=True", law=_solve)


def _solve_triangular(c: Call, tensor: TensorFact) -> TensorFact:
    square(c, tensor)
    other = tensor_or_unknown(c, "B")
    rank_is_at_least(c, other, 2)
    shape: Shape = None
    if c.flag("left") and tensor.shape is not None and other.shape is not None:
        contracted(c, tensor, other, tensor.shape[-1], other.shape[-2])
        try:
            batch = shapes.broadcast([tensor.shape[:-2], other.shape[:-2]], c.context.site)
            shape = (*batch, *other.shape[-2:])
        except shapes.NotBroadcastable:
            shape = None
    return computed(c, shape, one_dtype(c, tensor, other))


_row(
    "torch.linalg.solve_triangular",
    signature="input, B, *, upper, left=True, unitriangular=False",
    law=_solve_triangular,
)


def _cholesky_solve(c: Call, tensor: TensorFact) -> TensorFact:
    factor = tensor_or_unknown(c, "L")
    rank_is_at_least(c, tensor, 2)
    square(c, factor)
    shape: Shape = None
    if tensor.shape is not None and factor.shape is not None:
        contracted(c, factor, tensor, factor.shape[-1], tensor.shape[-2])
        if tensor.shape[:-2] == factor.shape[:-2]:
            shape = tensor.shape
    return computed(c, shape, tensor.dtype if tensor.dtype == factor.dtype else None)


_row("torch.cholesky_solve", "Tensor.cholesky_solve", signature="input, L, upper=False", law=_cholesky_solve)


def _lstsq(c: Call, tensor: TensorFact) -> Value:
    matrices(c, tensor)
    other = tensor_or_unknown(c, "B")
    found = _sizes(tensor)
    shape: Shape = None
    if (
        found is not None
        and other.shape is not None
        and other.rank == tensor.rank
        and other.shape[:-2] == found[0]
    ):
        shape = (*found[0], found[2], other.shape[-1])
    unknown = [c.make(storage=another_storage(c, i)) for i in (1, 2, 3)]
    return named(
        ("solution", "residuals", "rank", "singular_values"), computed(c, shape, tensor.dtype), *unknown
    )


TABLE.row("torch.linalg.lstsq", signature="input, B, rcond=None, *, driver=None", result=of_input(_lstsq))


# ---- norms --------------------------------------------------------------------------------------------------------------


def _norm_shape(c: Call, tensor: TensorFact, found: tuple[int, ...] | None) -> Shape:
    keepdim = c.flag("keepdim")
    if tensor.shape is None or found is None or keepdim is None:
        return None
    return tuple(
        1 if i in found else size for i, size in enumerate(tensor.shape) if keepdim or i not in found
    )


def _norm_dtype(c: Call, tensor: TensorFact) -> DType | None:
    if c.given("dtype") is Tri.YES:
        return _real(c.dtype())
    return _real(tensor.dtype) if c.given("dtype") is Tri.NO else None


def _floats_only(c: Call, tensor: TensorFact) -> None:
    if tensor.dtype is not None and not dtypes.can_require_grad(tensor.dtype) and c.given("dtype") is Tri.NO:
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")


def _vector_norm(c: Call, tensor: TensorFact) -> TensorFact:
    _floats_only(c, tensor)
    given = c.given("dim")
    dims_of_norm = normal_dims(c, "dim", tensor) if given is Tri.YES else None
    if given is Tri.NO and tensor.rank is not None:
        dims_of_norm = tuple(range(tensor.rank))
    if given is Tri.YES and dims_of_norm == ():
        return computed(c, None, _norm_dtype(c, tensor))
    return computed(c, _norm_shape(c, tensor, dims_of_norm), _norm_dtype(c, tensor))


_row(
    "torch.linalg.vector_norm",
    signature="input, ord=2, dim=None, keepdim=False, *, dtype=None",
    law=_vector_norm,
)


def _matrix_norm(c: Call, tensor: TensorFact) -> TensorFact:
    _floats_only(c, tensor)
    rank_is_at_least(c, tensor, 2)
    return computed(c, _norm_shape(c, tensor, normal_dims(c, "dim", tensor)), _norm_dtype(c, tensor))


_row(
    "torch.linalg.matrix_norm",
    signature="input, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None",
    law=_matrix_norm,
)


def _linalg_norm(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates norms: of all elements, or with `dim` of vectors or matrices."""
    _floats_only(c, tensor)
    given = c.given("dim")
    found = normal_dims(c, "dim", tensor) if given is Tri.YES else None
    if given is Tri.NO and tensor.rank is not None:
        found = tuple(range(tensor.rank))
    return computed(c, _norm_shape(c, tensor, found), _norm_dtype(c, tensor))


_row(
    "torch.linalg.norm", signature="input, ord=None, dim=None, keepdim=False, *, dtype=None", law=_linalg_norm
)


def _cond(c: Call, tensor: TensorFact) -> TensorFact:
    matrices(c, tensor)
    return computed(c, _batch(c, tensor), _real(tensor.dtype))


_row("torch.linalg.cond", signature="input, p=None", law=_cond)


def _vecdot(c: Call) -> Value:
    left, right = tensor_or_unknown(c, "x"), tensor_or_unknown(c, "y")
    shape = broadcast_shapes(c, [left.shape, right.shape], left, right)
    dim = c.int("dim")
    normal = shapes.normal_dim(dim, len(shape)) if shape and dim is not None else None
    shape = shape[:normal] + shape[normal + 1 :] if shape and normal is not None else None
    return computed(c, shape, left.dtype if left.dtype == right.dtype else None)


TABLE.row("torch.linalg.vecdot", signature="x, y, *, dim=-1", result=_vecdot, opinfo="linalg.vecdot")


def _vander(c: Call) -> Value:
    tensor = tensor_or_unknown(c, "input")
    count = c.dim("N")
    if tensor.shape is None:
        return computed(c, None, None)
    size = (
        (tensor.shape or (1,))[-1] if isinstance(c.value("N"), Scalar) and c.given("N") is Tri.NO else count
    )
    dtype = tensor.dtype if tensor.dtype is None or dtypes.can_require_grad(tensor.dtype) else "i64"
    return computed(c, (*(tensor.shape or (1,)), c.fresh() if size is None else size), dtype)


TABLE.row("torch.linalg.vander", signature="input, *, N=None", result=_vander, opinfo="linalg.vander")
