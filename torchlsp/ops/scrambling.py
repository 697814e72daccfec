"""Reshapes that torch takes and that hardly anybody means: sizes in another order, and a batch of one that is squeezed away."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.table import Call


def tell_permuted(c: Call, tensor: TensorFact, sizes: tuple[Dim | None, ...] | None, target: Shape) -> None:
    """A fault, though torch raises nothing, for the sizes of the tensor in another order.

    `sizes` as they are given, `target` with the -1 resolved.  Where the sizes are numbers, the same ones may come about
    otherwise: whether they were asked of a tensor is for the caller to see (`places`: the sizes that moved).
    """
    shape = tensor.shape
    if sizes is None or target is None or shape is None or len(shape) != len(target) or target == shape:
        return
    order = _order(shape, target)
    if order is None or tensor.origin is None:
        return
    moved = [place for place in order if shape[place] != 1]
    if moved == sorted(moved):
        return  # only sizes of 1 have moved: the elements stay in their order
    places = tuple(i for i, place in enumerate(order) if place != i and target[i] != 1)
    # Sizes that are found out (`-1`) or are numbers may come about by regrouping.
    certain = any(not isinstance(target[i], int) and sizes[i] != -1 for i in places)
    fault = c.broken(
        FaultKind.PERMUTED_SIZES, input=tensor, target=target, order=order, places=places, certain=certain
    ).fault
    c.faults.append(fault)


def _order(shape: tuple[Dim, ...], target: tuple[Dim, ...]) -> tuple[int, ...] | None:
    """The dims of the tensor in the order of the target; None when their sizes are not the same ones."""
    left = list(range(len(shape)))
    order = []
    for size in target:
        place = next((i for i in left if shape[i] == size), None)
        if place is None:
            return None
        left.remove(place)
        order.append(place)
    return tuple(order)


def tell_squeezed_batch(c: Call, tensor: TensorFact) -> None:
    """A fault for `squeeze()` that is to drop one dim and also drops the first one, for a batch of one."""
    shape = tensor.shape
    if shape is None or len(shape) < 2 or tensor.origin is None or c.given("dim") is not Tri.NO:
        return
    ones = tuple(i for i, size in enumerate(shape) if i and size == 1)
    if not ones:
        return
    if shape[0] == 1:
        # Of an image of one channel in a batch of one, both are to go; what lies between two ones is a feature.
        between = any(dims.is_one(size) is Tri.NO for size in shape[1 : ones[-1]])
        if not between or not all(isinstance(size, int) for size in shape):
            return
    elif isinstance(shape[0], int) or dims.is_fresh(shape[0]):
        return
    c.faults.append(c.broken(FaultKind.SQUEEZED_BATCH, input=tensor, ones=ones).fault)
