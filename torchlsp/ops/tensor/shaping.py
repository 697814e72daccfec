"""Evaluates operators that give the same elements another shape: view, reshape, flatten, unflatten,
contiguous, as_strided, …"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim, Poly
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout, ViewAnswer
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, DTypeValue, External, MemoryFormat, Unknown, Value, as_dim
from torchlsp.ops.call import Broken, Call, ResultColumn, are_known
from torchlsp.ops.columns import (
    grad_of_view,
    same_device,
    same_dtype,
    through,
    through_view,
    view_of,
)
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.scrambling import REST, report_permuted_sizes

SAME_MEMORY = {"dtype": same_dtype, "device": same_device, "storage": view_of("input"), "grad": through_view}


def viewed(c: Call, tensor: TensorFact, shape: Shape, layout: Layout) -> TensorFact:
    """Returns a view of a tensor: the same memory, elements and dtype in another shape."""
    grad = grad_of_view(c, tensor)
    return c.make(shape, tensor.dtype, tensor.device, layout, tensor.storage, grad, tensor.provenance)


# ---- view and reshape ---------------------------------------------------------------------------------------------------


def target_shape(c: Call, tensor: TensorFact, sizes: tuple[Dim | None, ...]) -> tuple[Dim, ...]:
    """Returns the target of view and reshape with its -1 resolved.  Wrong element counts are a fault.

    A size that is not known becomes a fresh symbol; then no count is checked.  The -1 of a tensor of unknown size is a
    free size like any other, `rest`.
    """
    wildcards = [i for i, size in enumerate(sizes) if size == -1]
    if len(wildcards) > 1:
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="two -1")
    for size in sizes:
        if isinstance(size, int) and size < -1:
            raise c.broken(FaultKind.SIZE, input=tensor, target=sizes, size=size)
    known = all(size is not None for size in sizes)
    named = [c.fresh(i) if size is None else size for i, size in enumerate(sizes)]
    total = shapes.numel(tensor.shape)
    if wildcards:
        rest: Dim = 1
        for i, size in enumerate(named):
            rest = rest if i == wildcards[0] else rest * size
        named[wildcards[0]] = _inferred(c, tensor, sizes, total, rest, known, wildcards[0])
    elif known and total is not None and _certainly_differ(total, shapes.product(named)):
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="count")
    return tuple(named)


def _inferred(
    c: Call,
    tensor: TensorFact,
    sizes: tuple[Dim | None, ...],
    total: Dim | None,
    rest: Dim,
    known: bool,
    index: int,
) -> Dim:
    if known and rest == 0:
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="ambiguous")
    if total is None:
        return c.free(REST)
    if not known:
        return c.fresh(index)
    if _certainly_indivisible(total, rest):
        raise c.broken(FaultKind.VIEW_NUMEL, input=tensor, target=sizes, reason="not divisible")
    return total // rest


def _coefficients(a: Dim, b: Dim) -> tuple[int, int] | None:
    """Returns 6 and 4 for `6*B` and `4*B`; None for sizes that are not multiples of one product of symbols."""
    if isinstance(a, int) and isinstance(b, int):
        return a, b
    if (
        isinstance(a, Poly)
        and isinstance(b, Poly)
        and len(a.terms) == len(b.terms) == 1
        and a.terms[0][0] == b.terms[0][0]
    ):
        return a.terms[0][1], b.terms[0][1]
    return None


def _certainly_differ(total: Dim, target: Dim) -> bool:
    """Returns whether element counts differ for all sizes, none of which is taken to be 0."""
    if dims.equal(total, target) is Tri.NO:
        return True
    multiples = _coefficients(total, target)
    return multiples is not None and multiples[0] != multiples[1]


def _certainly_indivisible(total: Dim, rest: Dim) -> bool:
    multiples = _coefficients(total, rest)
    return multiples is not None and multiples[1] != 0 and multiples[0] % multiples[1] != 0


def view(
    c: Call, tensor: TensorFact, target: Shape, written: tuple[Dim | None, ...] | None = None
) -> TensorFact:
    """Returns the same memory in another shape; a target that strides cannot express is a fault.

    `written`: the target with the -1 and the unknown sizes of the call, for the fault.
    """
    layout: Layout = None
    if tensor.layout is ROW_MAJOR:
        layout = ROW_MAJOR
    elif tensor.shape is not None and tensor.layout is not None and target is not None:
        answer, layout = layouts.view_strides(tensor.shape, tensor.layout, target)
        if answer is ViewAnswer.SPLIT_ACROSS_BORDER:
            raise c.broken(
                FaultKind.VIEW_STRIDES,
                tensor.assumed,
                input=tensor,
                target=written or target,
                resolved=target,
            ).giving(viewed(c, tensor, target, ROW_MAJOR).but(storage=c.fresh_storage()))
    return viewed(c, tensor, target, layout)


def reshape(c: Call, tensor: TensorFact, target: Shape) -> TensorFact:
    """Returns a view where strides allow it, a row-major copy where they do not."""
    if tensor.layout is ROW_MAJOR:
        return viewed(c, tensor, target, ROW_MAJOR)
    either = tensor.storage.join(c.fresh_storage()) if tensor.storage.ids is not None else Storage()
    grad = through(c, tensor.dtype)
    unsure = c.make(
        target,
        tensor.dtype,
        tensor.device,
        None,
        either,
        grad_of_view(c, tensor).join(grad),
        tensor.provenance,
    )
    if tensor.shape is None or tensor.layout is None or target is None:
        return unsure
    answer, layout = layouts.view_strides(tensor.shape, tensor.layout, target)
    if answer is ViewAnswer.VIEWABLE:
        return viewed(c, tensor, target, layout)
    if answer is ViewAnswer.SPLIT_ACROSS_BORDER:
        return unsure.but(layout=ROW_MAJOR, storage=c.fresh_storage(), grad=grad)
    return unsure


def _asked_for(c: Call, tensor: TensorFact, sizes: tuple[Dim | None, ...]) -> Shape:
    """Returns the shape that is asked for. If the elements do not fit it, the analysis goes on with what was written."""
    try:
        return target_shape(c, tensor, sizes)
    except Broken as broken:
        written = tuple(c.fresh(i) if size is None or size == -1 else size for i, size in enumerate(sizes))
        made = viewed(c, tensor, written, ROW_MAJOR).but(storage=c.fresh_storage())
        raise broken.showing(made) from None


def _view(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    items = c.items("size")
    first = items[0] if items else c.value("size")
    if isinstance(first, DTypeValue):
        return _bitcast(c, tensor, first.dtype)
    if c.given("dtype") is not Tri.NO:
        return _bitcast(c, tensor, c.dtype())
    sizes = c.sizes("size")
    if (
        sizes is None
        or len(items or ()) == 1
        and isinstance(first, (External, Unknown))
        and as_dim(first) is None
    ):
        return viewed(c, tensor, None, None)  # what is not seen may be a dtype
    target = _asked_for(c, tensor, sizes)
    result = view(c, tensor, target, sizes)
    report_permuted_sizes(c, tensor, sizes, target)
    return result


ITEM_SIZES = {
    "bool": 1, "u8": 1, "i8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f16": 2, "bf16": 2, "f32": 4,
    "f64": 8, "c32": 4, "c64": 8, "c128": 16, "f8_e4m3fn": 1, "f8_e5m2": 1,
}  # fmt: skip
"""Bytes of one element."""


def _bitcast(c: Call, tensor: TensorFact, dtype: DType | None) -> Value:
    """Evaluates `view(dtype)`: the same bytes read as another dtype; the last size absorbs the difference.

    Never differentiable, except to the same dtype.
    """
    unsure = c.make(None, dtype, tensor.device, None, tensor.storage)
    if dtype is None or tensor.dtype is None:
        return unsure
    if dtype == tensor.dtype:
        return viewed(c, tensor, tensor.shape, tensor.layout)
    old, new = ITEM_SIZES[tensor.dtype], ITEM_SIZES[dtype]
    result = unsure.but(grad=NO_GRAD)
    if old == new:
        return result.but(shape=tensor.shape, layout=tensor.layout)
    if tensor.shape is None:
        return result.but(layout=ROW_MAJOR if tensor.layout is ROW_MAJOR else None)
    if not tensor.shape:
        raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=0)
    last = tensor.shape[-1]
    if _certainly_indivisible(last * old, new):
        raise c.broken(FaultKind.SIZE, input=tensor, dim=-1, size=last)
    shape = (*tensor.shape[:-1], last * old // new)
    return result.but(shape=shape, layout=ROW_MAJOR if tensor.layout is ROW_MAJOR else None)


TABLE.row("Tensor.view", signature="input, *size, dtype=None", result=_view, opinfo="view")


def _reshape(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    sizes = c.sizes("shape")
    target = None if sizes is None else _asked_for(c, tensor, sizes)
    report_permuted_sizes(c, tensor, sizes, target)
    return reshape(c, tensor, target)


TABLE.row("torch.reshape", "Tensor.reshape", signature="input, *shape", opinfo="reshape", result=_reshape)


def _like(reshaped: Callable[[Call, TensorFact, Shape], Value]) -> ResultColumn[Call]:
    """Returns the first tensor in the shape of `other`."""

    def result(c: Call) -> Value:
        tensor, other = c.tensor("input"), c.tensor("other")
        if tensor is None:
            return UNKNOWN_VALUE
        shape = None if other is None or other.shape is None else target_shape(c, tensor, other.shape)
        made = reshaped(c, tensor, shape)
        # only the shape comes from `other`, and neither gradients nor assumptions about it
        return made.but(assumed=tensor.assumed) if isinstance(made, TensorFact) else made

    return result


TABLE.row("Tensor.view_as", signature="input, other", result=_like(view), opinfo="view_as")
TABLE.row("Tensor.reshape_as", signature="input, other", result=_like(reshape), opinfo="reshape_as")


# ---- flatten, unflatten, ravel ------------------------------------------------------------------------------------------


def flatten(c: Call, tensor: TensorFact, start: int | None, end: int | None) -> Value:
    """Returns the dims from start to end as one; a tensor with nothing to merge is returned itself."""
    if tensor.shape is None or start is None or end is None:
        return _flattened_somehow(c, tensor, start, end)
    rank = len(tensor.shape)
    first, last = shapes.normal_dim(start, rank), shapes.normal_dim(end, rank)
    if first is None or last is None:
        raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=start if first is None else end, rank=rank)
    if first > last:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, start=start, end=end)
    if rank == 0:
        return reshape(c, tensor, (1,))
    if first == last:
        return tensor
    merged = shapes.product(tensor.shape[first : last + 1])
    return reshape(c, tensor, (*tensor.shape[:first], merged, *tensor.shape[last + 1 :]))


def _flattened_somehow(c: Call, tensor: TensorFact, start: int | None, end: int | None) -> Value:
    """Evaluates flatten where it is not known whether there is anything to merge: then the tensor itself is
    returned."""
    shape: Shape = None
    if tensor.shape is None and start is not None and start >= 0 and end == -1:
        # whatever the rank, everything behind `start` becomes one dim: flatten() has rank 1, flatten(1) rank 2
        shape = shapes.fresh(start + 1, c.context.site)
    made = reshape(c, tensor, shape)
    return made.but(grad=made.grad.join(tensor.grad))


def _flatten(c: Call) -> Value:
    tensor = c.tensor("input")
    return UNKNOWN_VALUE if tensor is None else flatten(c, tensor, c.int("start_dim"), c.int("end_dim"))


TABLE.row(
    "torch.flatten", "Tensor.flatten",
    signature="input, start_dim: int = 0, end_dim: int = -1", result=_flatten, opinfo="flatten",
)  # fmt: skip


def unflatten(c: Call, tensor: TensorFact, dim: int | None, sizes: tuple[Dim | None, ...] | None) -> Value:
    """Returns the tensor with one dim as several; this only splits, so that any strides will do."""
    if sizes is not None and not sizes:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, sizes=sizes)
    if tensor.shape is None or dim is None or sizes is None:
        return viewed(c, tensor, None, ROW_MAJOR if tensor.layout is ROW_MAJOR else None)
    normal = shapes.normal_dim(dim, len(tensor.shape))
    if normal is None or not tensor.shape:
        raise c.broken(FaultKind.DIM_RANGE, input=tensor, dim=dim, rank=len(tensor.shape))
    parts = target_shape(c, tensor.but(shape=(tensor.shape[normal],)), sizes)
    target = (*tensor.shape[:normal], *parts, *tensor.shape[normal + 1 :])
    layout: Layout = ROW_MAJOR if tensor.layout is ROW_MAJOR else None
    if layout is None and tensor.strides is not None:
        strides: list[Dim] = []
        step = tensor.strides[normal]
        for size in reversed(parts):
            strides.insert(0, step)
            step = step * size
        layout = layouts.of_strides(
            target, (*tensor.strides[:normal], *strides, *tensor.strides[normal + 1 :])
        )
    return viewed(c, tensor, target, layout)


def _unflatten(c: Call) -> Value:
    tensor = c.tensor("input")
    return UNKNOWN_VALUE if tensor is None else unflatten(c, tensor, c.int("dim"), c.sizes("sizes"))


TABLE.row(
    "torch.unflatten", "Tensor.unflatten",
    signature="input, dim: int, sizes", result=_unflatten, opinfo="unflatten",
)  # fmt: skip


def _ravel(c: Call) -> Value:
    """Evaluates `contiguous().view(-1)`: unlike flatten, the result is contiguous for strided 1-D inputs too."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    total = shapes.numel(tensor.shape)
    return view(c, contiguous(c, tensor), (c.fresh() if total is None else total,))


TABLE.row("torch.ravel", "Tensor.ravel", signature="input", result=_ravel, opinfo="ravel")


# ---- complex views, as_strided ------------------------------------------------------------------------------------------


def _view_as_real(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if tensor.dtype is not None and tensor.dtype not in dtypes.COMPLEX:
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="complex")
    shape = None if tensor.shape is None else (*tensor.shape, 2)
    layout: Layout = ROW_MAJOR if tensor.layout is ROW_MAJOR else None
    if layout is None and tensor.strides is not None:
        layout = layouts.of_strides(shape, (*(stride * 2 for stride in tensor.strides), 1))
    return viewed(c, tensor, shape, layout).but(dtype=dtypes.real_of(tensor.dtype) if tensor.dtype else None)


TABLE.row("torch.view_as_real", signature="input", result=_view_as_real, opinfo="view_as_real")

_COMPLEX_OF_PAIR = {"f16": "c32", "f32": "c64", "f64": "c128"}


def _view_as_complex(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    if tensor.dtype is not None and tensor.dtype not in _COMPLEX_OF_PAIR:
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")
    if tensor.shape == ():
        raise c.broken(FaultKind.RANK, input=tensor, expected=1, got=0)
    if tensor.shape is not None and dims.equal(tensor.shape[-1], 2) is Tri.NO:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=-1, size=tensor.shape[-1])
    shape = None if tensor.shape is None else tensor.shape[:-1]
    layout = ROW_MAJOR if tensor.layout is ROW_MAJOR else None
    return viewed(c, tensor, shape, layout).but(dtype=_COMPLEX_OF_PAIR.get(tensor.dtype or ""))


TABLE.row("torch.view_as_complex", signature="input", result=_view_as_complex, opinfo="view_as_complex")


def _as_strided(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    sizes, strides = c.sizes("size"), c.sizes("stride")
    shape = (
        None if sizes is None else tuple(c.fresh(i) if size is None else size for i, size in enumerate(sizes))
    )
    layout: Layout
    if strides is None or not are_known(strides) or shape is None:
        layout = None
    else:
        if len(strides) != len(shape):
            raise c.broken(FaultKind.ARGUMENT, input=tensor, size=shape, stride=strides)
        layout = layouts.of_strides(shape, strides)
    # without grad mode a view of a leaf or of a base asks its base, a view of a view does not
    return viewed(c, tensor, shape, layout).but(grad=grad_of_view(c, tensor).join(through(c, tensor.dtype)))


TABLE.row(
    "torch.as_strided", "Tensor.as_strided",
    signature="input, size, stride, storage_offset=None", result=_as_strided, opinfo="as_strided",
)  # fmt: skip


# ---- memory formats -----------------------------------------------------------------------------------------------------

CHANNELS_LAST_ORDER = {"channels_last": (1, 3, 2, 0), "channels_last_3d": (1, 4, 3, 2, 0)}
"""The dims of a memory format from the innermost outwards, by the format's name."""


def strides_in_format(shape: tuple[Dim, ...], name: str) -> tuple[Dim, ...]:
    strides: list[Dim] = [0] * len(shape)
    step: Dim = 1
    for dim in CHANNELS_LAST_ORDER[name]:
        strides[dim] = step
        step = step * (1 if shape[dim] == 0 else shape[dim])
    return tuple(strides)


def is_in_memory_format(tensor: TensorFact, name: str) -> Tri:
    """Returns `Tensor.is_contiguous(memory_format=...)`."""
    if name == "contiguous_format":
        return tensor.is_contiguous()
    order = CHANNELS_LAST_ORDER.get(name)
    sizes, strides = tensor.shape, tensor.strides
    if order is None or sizes is None or strides is None:
        return Tri.UNKNOWN
    if len(sizes) != len(order):
        return Tri.NO
    if any(size == 0 for size in sizes):
        return Tri.UNKNOWN
    turned = order[::-1]
    return layouts.is_contiguous(tuple(sizes[i] for i in turned), tuple(strides[i] for i in turned))


def with_memory_format(c: Call, tensor: TensorFact, name: str) -> TensorFact:
    """Returns the tensor itself where it is in this memory format already, else a copy in it.

    A channels-last format of another rank than the tensor's is a fault.  `preserve_format` asks for nothing.
    """
    if name == "preserve_format":
        return tensor
    order = CHANNELS_LAST_ORDER.get(name)
    if order is not None and tensor.rank is not None and tensor.rank != len(order):
        raise c.broken(FaultKind.RANK, input=tensor, expected=len(order), got=tensor.rank)
    already = is_in_memory_format(tensor, name)
    if already is Tri.YES:
        return tensor
    if name == "contiguous_format":
        layout: Layout = ROW_MAJOR
    elif order is not None and tensor.shape is not None:
        layout = layouts.of_strides(tensor.shape, strides_in_format(tensor.shape, name))
    else:
        layout = None
    grad = through(c, tensor.dtype)
    if already is Tri.NO:
        storage = c.fresh_storage()
    else:
        storage = tensor.storage.join(c.fresh_storage()) if tensor.storage.ids is not None else Storage()
        grad = grad.join(tensor.grad) if tensor.grad.requires is not Tri.NO else grad
    made = c.make(tensor.shape, tensor.dtype, tensor.device, layout, storage, grad, tensor.provenance)
    return made.but(assumed=tensor.assumed - {"layout"})


def contiguous(c: Call, tensor: TensorFact) -> TensorFact:
    return with_memory_format(c, tensor, "contiguous_format")


def _contiguous(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    given = c.value("memory_format")
    if c.given("memory_format") is Tri.NO:
        return contiguous(c, tensor)
    if isinstance(given, MemoryFormat):
        if given.name == "preserve_format":
            raise c.broken(FaultKind.ARGUMENT, input=tensor, memory_format=given.name)
        return with_memory_format(c, tensor, given.name)
    grad = through(c, tensor.dtype).join(tensor.grad)  # the tensor itself, or a copy
    return c.make(tensor.shape, tensor.dtype, tensor.device, None, Storage(), grad)


TABLE.row("Tensor.contiguous", signature="input, memory_format=None", result=_contiguous, opinfo="contiguous")
