"""Defines shapes: a tuple of sizes, or None when even the rank is unknown; the laws of torch on whole shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim, equal, is_one
from torchlsp.facts.tri import Tri

Shape = tuple[Dim, ...] | None
MAX_RANK = 64
"""The largest rank of a tensor in torch. Nothing is counted up to a larger number that a program gives as one."""


class TooManyDims(Exception):
    """A rank above the largest one."""


def numel(shape: Shape) -> Dim | None:
    """Returns the number of elements; None for an unknown rank."""
    return None if shape is None else product(shape)


def product(sizes: Iterable[Dim]) -> Dim:
    """Multiplies sizes."""
    result: Dim = 1
    for size in sizes:
        result = result * size
    return result


def same(a: Shape, b: Shape) -> Tri:
    if a is None or b is None:
        return Tri.UNKNOWN
    if len(a) != len(b):
        return Tri.NO
    answer = Tri.YES
    for x, y in zip(a, b):
        answer = answer.both(equal(x, y))
    return answer


def normal_dim(dim: int, rank: int) -> int | None:
    """Returns a dim index counted from the front, or None when torch would refuse it.  A 0-d tensor takes 0
    and -1."""
    bound = max(rank, 1)
    return dim % bound if -bound <= dim < bound else None


class NotBroadcastable(Exception):
    """Two shapes that no values of their symbols make broadcastable: `dim` counts from the back, as torch's text does."""

    def __init__(self, left: Dim, right: Dim, dim: int):
        super().__init__(left, right, dim)
        self.left, self.right, self.dim = left, right, dim


@overload
def broadcast(shapes: list[tuple[Dim, ...]], name: str) -> tuple[Dim, ...]: ...
@overload
def broadcast(shapes: list[Shape], name: str) -> Shape: ...
def broadcast(shapes: Sequence[Shape], name: str) -> Shape:
    """Applies torch's broadcasting law to any number of shapes.

    A size that may be 1 beside an unequal one gives the fresh symbol `?name.i`; a size known to be neither 1 nor the
    other raises NotBroadcastable.  Source: https://docs.pytorch.org/docs/2.13/notes/broadcasting.html
    """
    known = [shape for shape in shapes if shape is not None]
    result: list[Dim] = []
    for back in range(1, max((len(shape) for shape in known), default=0) + 1):
        size: Dim = 1
        for shape in known:
            if back <= len(shape):
                size = _broadcast_pair(size, shape[-back], back, f"{name}.{back}")
        result.append(size)
    return tuple(reversed(result)) if len(known) == len(shapes) else None


def _broadcast_pair(a: Dim, b: Dim, back: int, name: str) -> Dim:
    if a == b:
        return a
    a_is_one, b_is_one = is_one(a), is_one(b)
    if a_is_one is Tri.YES:
        return b
    if b_is_one is Tri.YES:
        return a
    if equal(a, b) is Tri.NO and a_is_one is Tri.NO and b_is_one is Tri.NO:
        raise NotBroadcastable(a, b, -back)
    if a_is_one is Tri.NO:  # then b is a or 1, and the result is a either way
        return a
    if b_is_one is Tri.NO:
        return b
    return dims.symbol("?" + name)


def join(a: Shape, b: Shape, name: str) -> Shape:
    if a is None or b is None or len(a) != len(b):
        return None
    if a == b:
        return a
    return tuple(dims.join(x, y, f"{name}.{i}") for i, (x, y) in enumerate(zip(a, b)))


def padded(shape: tuple[Dim, ...], rank: int) -> tuple[Dim, ...]:
    """Returns the shape with sizes of 1 in front, up to a rank. Raises TooManyDims."""
    if rank > MAX_RANK:
        raise TooManyDims
    return (1,) * (rank - len(shape)) + shape if rank > len(shape) else shape


def leq(a: Shape, b: Shape) -> bool:
    if b is None:
        return True
    return a is not None and len(a) == len(b) and all(dims.leq(x, y) for x, y in zip(a, b))


def fresh(rank: int, name: str) -> tuple[Dim, ...]:
    """Returns a shape of known rank and unknown sizes: `?name.0`, `?name.1`, … Raises TooManyDims."""
    if rank > MAX_RANK:
        raise TooManyDims
    return tuple(dims.symbol(f"?{name}.{i}") for i in range(rank))
