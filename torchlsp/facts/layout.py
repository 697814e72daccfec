"""Defines memory layout: strides, torch's contiguity and torch's own law for `view`.

A layout is `ROW_MAJOR` (strides follow from the shape, whatever its rank), a tuple of strides, or None for unknown.
Row-major is a value of its own because "contiguous, of unknown rank" must be sayable: a parameter that is permuted on its
first use is exactly that.
"""

from __future__ import annotations

from enum import Enum

from torchlsp.facts.dim import (
    Dim,
    Poly,
    Quotient,
    equal,
    exact_quotient,
    generically_equal,
    is_generic_one,
    is_one,
    lower_bound,
)
from torchlsp.facts.shape import Shape
from torchlsp.facts.tri import Tri


class RowMajor(Enum):
    """The layout of `torch.contiguous_format`."""

    ROW_MAJOR = "row-major"


ROW_MAJOR = RowMajor.ROW_MAJOR
Layout = RowMajor | tuple[Dim, ...] | None


def row_major_strides(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Returns the strides of a newly created tensor. torch counts a size of 0 as 1 here."""
    strides: list[Dim] = []
    step: Dim = 1
    for size in reversed(shape):
        strides.append(step)
        step = step * (1 if size == 0 else size)
    return tuple(reversed(strides))


def strides_of(shape: Shape, layout: Layout) -> tuple[Dim, ...] | None:
    if layout is ROW_MAJOR:
        return row_major_strides(shape) if shape is not None else None
    return layout


def of_strides(shape: Shape, strides: tuple[Dim, ...] | None) -> Layout:
    """Returns the layout with these strides, in its normal form."""
    if strides is None or shape is None:
        return None
    return ROW_MAJOR if is_contiguous(shape, strides) is Tri.YES else strides


def is_contiguous(shape: Shape, layout: Layout) -> Tri:
    """Returns `Tensor.is_contiguous()`: a size of 1 may have any stride. A tensor without elements is
    contiguous."""
    if layout is ROW_MAJOR:
        return Tri.YES
    if layout is None or shape is None:
        return Tri.UNKNOWN
    if any(size == 0 for size in shape if isinstance(size, int)):
        return Tri.YES
    answer = Tri.YES
    expected: Dim = 1
    for size, stride in zip(reversed(shape), reversed(layout)):
        one = is_one(size)
        if one is Tri.YES:
            continue
        fits = equal(stride, expected)
        answer = answer.both(fits if one is Tri.NO else fits.either(Tri.UNKNOWN))
        expected = expected * size
    if answer is Tri.NO and any(lower_bound(size) in (0, None) for size in shape):
        return Tri.NO  # sizes are generic: only an empty tensor would be contiguous after all
    return answer


def is_noncontiguous_in_general(shape: Shape, layout: Layout) -> Tri:
    """Returns whether a tensor is non-contiguous when every symbol is read as a generic size (neither 0 nor
    1)."""
    if layout is ROW_MAJOR:
        return Tri.NO
    if layout is None or shape is None:
        return Tri.UNKNOWN
    if any(isinstance(size, int) and size == 0 for size in shape):
        return Tri.NO
    answer = Tri.NO
    expected: Dim = 1
    for size, stride in zip(reversed(shape), reversed(layout)):
        one = is_generic_one(size)
        if one is Tri.YES:
            continue
        fits = generically_equal(stride, expected)
        if one is Tri.NO:
            answer = answer.either(fits.negated())
        elif fits is not Tri.YES:
            answer = answer.either(Tri.UNKNOWN)
        expected = expected * size
    return answer


def runs(shape: tuple[Dim, ...], strides: tuple[Dim, ...]) -> list[tuple[Dim, Dim, Tri]]:
    """Returns the dims grouped as `Tensor.view` groups them, outermost first: (elements of the run, its base
    stride, border).

    *border* tells whether the run is certainly separate from the one before it (YES), or only perhaps (UNKNOWN).
    Source: `computeStride` in ATen/TensorUtils.cpp (torch 2.13): dims i and i+1 merge when stride[i] == stride[i+1]*size[i+1];
    a dim of size 1 merges with anything.
    """
    groups: list[tuple[Dim, Dim, Tri]] = []
    run: Dim = 1
    base: Dim | None = None
    for size, stride in zip(reversed(shape), reversed(strides)):
        one = is_generic_one(size)
        if one is Tri.YES:
            continue
        if base is None:
            run, base = size, stride
            continue
        merges = generically_equal(stride, run * base)
        if merges is Tri.YES:
            run = run * size
            continue
        groups.append((run, base, Tri.YES if merges is Tri.NO and one is Tri.NO else Tri.UNKNOWN))
        run, base = size, stride
    groups.append((run, 1 if base is None else base, Tri.NO))
    return groups[::-1]


class ViewAnswer(Enum):
    VIEWABLE = "viewable"
    SPLIT_ACROSS_BORDER = "split across a border"
    UNKNOWN = "unknown"


def view_strides(
    shape: tuple[Dim, ...], layout: Layout, target: tuple[Dim, ...]
) -> tuple[ViewAnswer, Layout]:
    """Returns torch's answer to `x.view(target)` for a target of the same number of elements, and the strides
    of the result.

    SPLIT_ACROSS_BORDER only when one size of the target certainly covers elements of two runs.  Symbols count as generic
    sizes.  Source: `computeStride_impl` in ATen/TensorUtils.cpp (torch 2.13).
    """
    if layout is ROW_MAJOR:
        return ViewAnswer.VIEWABLE, ROW_MAJOR
    if layout is None:
        return ViewAnswer.UNKNOWN, None
    if any(isinstance(size, int) and size == 0 for size in shape):
        return ViewAnswer.VIEWABLE, ROW_MAJOR
    answer, strides = _matched(runs(shape, layout), target)
    if answer is ViewAnswer.UNKNOWN and _too_few_sizes(shape, layout, target):
        return ViewAnswer.SPLIT_ACROSS_BORDER, None
    return answer, of_strides(target, strides)


def _matched(
    groups: list[tuple[Dim, Dim, Tri]], target: tuple[Dim, ...]
) -> tuple[ViewAnswer, tuple[Dim, ...] | None]:
    """Matches runs and target sizes from the innermost outwards, as torch does it."""
    strides: list[Dim] = [0] * len(target)
    position = len(target) - 1
    for index in range(len(groups) - 1, -1, -1):
        run, base, _ = groups[index]
        remaining, step = run, base
        while position >= 0:
            if index > 0 and remaining == 1 and is_generic_one(target[position]) is not Tri.YES:
                break
            size = target[position]
            rest = 1 if size == remaining else exact_quotient(remaining, size)
            if rest is None:
                return _crossing(remaining, size, groups, index), None
            strides[position] = step
            step = step * size
            remaining = rest
            position -= 1
        if remaining != 1:
            return ViewAnswer.UNKNOWN, None
    return (ViewAnswer.UNKNOWN, None) if position >= 0 else (ViewAnswer.VIEWABLE, tuple(strides))


def _too_few_sizes(shape: tuple[Dim, ...], strides: tuple[Dim, ...], target: tuple[Dim, ...]) -> bool:
    """Returns whether the target has certainly fewer sizes above 1 than there are separate runs.

    Each run of more than one element takes a target size of its own, so that then one size covers elements of two runs,
    whatever the sizes are.  Needs all sizes of the input to be generic; a 1 in the target is taken as a hint that a
    symbolic size may be 1 after all.
    """
    if any(is_generic_one(size) is Tri.UNKNOWN for size in shape):
        return False
    if any(size == 1 for size in target) and any(isinstance(size, Poly) for size in shape):
        return False
    separate = sum(border is Tri.YES for _, _, border in runs(shape, strides)) + 1
    return sum(is_generic_one(size) is not Tri.YES for size in target) < separate


def _crossing(remaining: Dim, size: Dim, groups: list[tuple[Dim, Dim, Tri]], index: int) -> ViewAnswer:
    """Returns whether a target size that does not divide the rest of the run certainly reaches into the run
    before."""
    if index == 0:
        return ViewAnswer.UNKNOWN  # the element counts differ; that is another fault
    if groups[index][2] is Tri.UNKNOWN:
        return ViewAnswer.UNKNOWN
    # A size that is certainly not a divisor of what is left must take elements from across the border.
    if isinstance(remaining, int) and isinstance(size, int):
        return ViewAnswer.SPLIT_ACROSS_BORDER
    return ViewAnswer.SPLIT_ACROSS_BORDER if _certainly_greater(size, remaining) else ViewAnswer.UNKNOWN


def _certainly_greater(size: Dim, remaining: Dim) -> bool:
    """Returns True when `size` is a proper multiple of `remaining` for all generic sizes, quotients included
    (`C` of `C//H`)."""
    factor = exact_quotient(size, remaining)
    if factor is not None:
        return is_generic_one(factor) is Tri.NO
    if isinstance(remaining, Poly) and len(remaining.terms) == 1:
        ((monomial, coefficient),) = remaining.terms
        for atom, power in monomial:
            if isinstance(atom, Quotient) and power == 1 and is_generic_one(atom.denominator) is Tri.NO:
                whole = exact_quotient(remaining, Poly(((((atom, 1),), 1),)))
                if whole is not None and exact_quotient(size, whole * atom.numerator) is not None:
                    return True
    return False


def permuted(
    shape: tuple[Dim, ...], strides: tuple[Dim, ...], order: list[int]
) -> tuple[tuple[Dim, ...], Layout]:
    new_shape = tuple(shape[i] for i in order)
    return new_shape, of_strides(new_shape, tuple(strides[i] for i in order))


def join(a: Layout, b: Layout) -> Layout:
    return a if a == b else None


def leq(a: Layout, b: Layout) -> bool:
    return b is None or a == b


def is_dense(shape: Shape, layout: Layout) -> Tri:
    """Returns whether a layout is non-overlapping and dense: some permutation of the dims is row-major."""
    if layout is ROW_MAJOR:
        return Tri.YES
    if layout is None or shape is None:
        return Tri.UNKNOWN
    left = [(size, stride) for size, stride in zip(shape, layout) if is_one(size) is not Tri.YES]
    expected: Dim = 1
    while left:
        for item in left:
            if item[1] == expected:
                expected = expected * item[0]
                left.remove(item)
                break
        else:
            known = all(isinstance(s, int) and isinstance(t, int) for s, t in zip(shape, layout))
            return Tri.NO if known else Tri.UNKNOWN
    return Tri.YES
