"""Computes the order of dims in memory that elementwise results take over from their operands."""

from __future__ import annotations

from torchlsp.facts import layout as layouts
from torchlsp.facts.dim import Dim, exact_quotient, is_generic_one
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri


def elementwise_layout(operands: list[TensorFact], shape: Shape) -> Layout:
    """Returns the layout of an elementwise result: dense, ordered as the first operand that orders dims.

    Operands behind one that orders all dims have no say, and may be unknown.
    Source: `TensorIteratorBase::reorder_dimensions` (torch 2.13).
    """
    if all(operand.layout is ROW_MAJOR for operand in operands):
        return ROW_MAJOR  # every pair of dims that an operand orders at all is in row-major order
    if shape is None:
        return None
    rank = len(shape)
    dims = [i for i in range(rank) if shape[i] != 1]
    aligned = [_aligned_strides(operand, shape) for operand in operands]
    if aligned[0] is None or (len(dims) < rank and not all(aligned[0][i] for i in dims)):
        return None  # dims of size 1 may then move the others
    order = dims[::-1]  # innermost first
    for i in range(1, len(order)):
        moving = i
        for j in range(i - 1, -1, -1):
            sign = _order_in_memory(aligned, shape, order[j], order[moving])
            if sign is None:
                return None
            if sign > 0:
                order[j], order[moving] = order[moving], order[j]
                moving = j
            elif sign < 0:
                break
    strides: list[Dim] = [1] * rank
    step: Dim = 1
    for i in order:
        strides[i] = step
        step = step * shape[i]
    return layouts.of_strides(shape, tuple(strides))


def _aligned_strides(operand: TensorFact, shape: tuple[Dim, ...]) -> list[Dim] | None:
    """Returns the operand's strides by the result's dims: 0 where it broadcasts.

    None when they are not known.
    """
    sizes, strides = operand.shape, operand.strides
    if sizes is None or strides is None or len(sizes) > len(shape):
        return None
    missing = len(shape) - len(sizes)
    aligned: list[Dim] = [0] * missing
    for i, size in enumerate(sizes):
        aligned.append(0 if size == 1 and shape[missing + i] != 1 else strides[i])
    return aligned


def _order_in_memory(
    aligned: list[list[Dim] | None], shape: tuple[Dim, ...], inner: int, outer: int
) -> int | None:
    """Returns 1 to swap two dims, -1 where they are in order, 0 where no operand decides, None: unknown."""
    for strides in aligned:
        if strides is None:
            return None
        a, b = strides[inner], strides[outer]
        if a == 0 or b == 0:
            continue
        if a == b:
            inner_size, outer_size = shape[inner], shape[outer]
            if not (isinstance(inner_size, int) and isinstance(outer_size, int)):
                return None
            if inner_size > outer_size:
                return 1
            continue
        if isinstance(a, int) and isinstance(b, int):
            return -1 if a < b else 1
        for sign, low, high in ((-1, a, b), (1, b, a)):
            factor = exact_quotient(high, low)
            if factor is not None and is_generic_one(factor) is Tri.NO:
                return sign
        return None
    return 0
