"""Evaluates in-place writes: what torch refuses to write to, and the written tensor afterwards."""

from __future__ import annotations

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import equal, exact_quotient, is_generic_one
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call, DeviceColumn, DTypeColumn, ShapeColumn
from torchlsp.ops.columns import knows_all_tensors


def written(
    c: Call,
    target: TensorFact,
    shape_of: ShapeColumn[Call] | None = None,
    dtype_of: DTypeColumn[Call] | None = None,
    device_of: DeviceColumn[Call] | None = None,
) -> TensorFact:
    """Returns the target of an in-place operator afterwards, by the columns of its out-of-place form.

    The out-of-place shape must be the target's own, torch refuses to broadcast the written tensor; the out-of-place dtype
    must cast to the target's.
    """
    refuse_write(c, target)
    shape = shape_of(c) if shape_of else None
    if device_of:
        device_of(c)  # for its contract
    if shapes.same(shape, target.shape) is Tri.NO:
        raise c.broken(FaultKind.INPLACE_SHAPE, input=target, result=shape)
    dtype = dtype_of(c) if dtype_of else None
    if dtype is not None and target.dtype is not None and not dtypes.can_cast(dtype, target.dtype):
        raise c.broken(FaultKind.INPLACE_DTYPE, input=target, result=dtype)
    return after_write(c, target)


def refuse_write(c: Call, target: TensorFact) -> None:
    """Raises a fault for targets that autograd and TensorIterator refuse to write to."""
    grad = target.grad
    if target.storage.is_inference and c.context.inference is Tri.NO:
        raise c.broken(FaultKind.INFERENCE_TENSOR, input=target, action="write", place=0).giving(target)
    if grad.requires is Tri.YES and grad.leaf is Tri.YES and c.context.grad_mode is Tri.YES:
        raise c.broken(FaultKind.INPLACE_LEAF, input=target, view=False).giving(target)
    if (
        grad.requires is Tri.YES
        and grad.leaf is Tri.NO
        and c.context.grad_mode is Tri.YES
        and _views_leaf(target)
    ):
        raise c.broken(FaultKind.INPLACE_LEAF, input=target, view=True).giving(target)
    if not _fills(c):
        for dim in _expanded_dims(target):
            raise c.broken(FaultKind.INPLACE_EXPANDED, input=target, dim=dim)
    _report_aliases(c, target)


_PARTS = frozenset({"__getitem__", "__setitem__", "select", "narrow", "diagonal"})


def _expanded_dims(tensor: TensorFact) -> list[int]:
    """Returns the dims along which several elements share one place of memory."""
    if tensor.shape is None or tensor.strides is None or 0 in tensor.shape:
        return []
    sizes = enumerate(zip(tensor.shape, tensor.strides, strict=True))
    return [dim for dim, (size, stride) in sizes if stride == 0 and is_generic_one(size) is Tri.NO]


def _report_aliases(c: Call, target: TensorFact) -> None:
    """Reports a write to a part of an expanded tensor, which reaches the elements beside the part too."""
    origin = target.origin
    if origin is None or not origin.parents or target.shape is None or 0 in target.shape:
        return
    whole = origin.parents[0]
    if origin.op.rpartition(".")[2] not in _PARTS or whole.storage.may_share(target.storage) is not Tri.YES:
        return
    dims, sizes = _expanded_dims(whole), whole.shape
    if not dims or sizes is None or target.strides is None:
        return
    shared = shapes.product(sizes[dim] for dim in dims)
    written_of_them = shapes.product(target.shape[dim] for dim in _expanded_dims(target))
    times = exact_quotient(shared, written_of_them)
    several = times is not None and is_generic_one(times) is Tri.NO
    if several or equal(shared, written_of_them) is Tri.NO:
        fault = c.broken(FaultKind.INPLACE_ALIASED, input=whole, part=target, dim=dims[0]).fault
        c.faults.append(fault)


_VIEWS = frozenset(
    "__getitem__ view view_as reshape transpose permute t T mT select narrow squeeze unsqueeze flatten diagonal expand "
    "unfold movedim swapaxes swapdims".split()
)
"""Operators that return a view where they share memory at all."""


def _views_leaf(target: TensorFact) -> bool:
    """Returns whether this is a view, or a view of a view, of a leaf that requires grad."""
    while target.grad.leaf is Tri.NO:
        origin = target.origin
        if origin is None or not origin.parents or origin.op.rpartition(".")[2] not in _VIEWS:
            return False
        base = origin.parents[0]
        if target.storage.may_share(base.storage) is not Tri.YES or base.grad.requires is not Tri.YES:
            return False
        target = base
    return target.grad.leaf is Tri.YES


def _fills(c: Call) -> bool:
    """Returns the operators that torch lets write to elements that share memory: they write one value, or
    none twice (2.13)."""
    name = c.name.rpartition(".")[2]
    if name == "fill_":
        return not isinstance(c.value("value"), TensorFact)
    return name in ("zero_", "masked_fill_", "index_fill_", "fill_diagonal_", "tril_", "triu_", "threshold")


def after_write(c: Call, target: TensorFact) -> TensorFact:
    """Returns the target with new values: only its grad, storage version and origin change."""
    others = [parent for parent in c.parents() if parent is not target]
    requires = target.grad.requires
    if not knows_all_tensors(c):
        requires = requires.either(Tri.UNKNOWN.both(c.context.grad_mode))
    for other in others:
        requires = requires.either(other.grad.requires.both(c.context.grad_mode))
    if target.dtype is not None and not dtypes.can_require_grad(target.dtype):
        requires = Tri.NO
    leaf = target.grad.leaf if requires is target.grad.requires else Tri.UNKNOWN
    if requires is Tri.YES and target.grad.requires is Tri.NO:
        leaf = Tri.NO
    storage = Storage(target.storage.ids, target.storage.version + 1)
    made = target.provenance if target.provenance == "parameter" else None
    return target.but(
        grad=Grad(requires, leaf),
        storage=storage,
        origin=c.origin(target, *others),
        provenance=made,
        content=None,
    )
