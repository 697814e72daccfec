"""Detects reshapes that mix up elements: sizes in another order, a batch of one that is squeezed away."""

from __future__ import annotations

import re

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim, Poly, Quotient, Symbol
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact, first_operands, free_size
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call, are_known

_REPEATING = frozenset({"Tensor.repeat", "Tensor.tile", "torch.tile"})


def report_permuted_sizes(
    c: Call, tensor: TensorFact, sizes: tuple[Dim | None, ...] | None, target: Shape
) -> None:
    """Reports a size that a reshape gives a place where it cannot mean the same, though torch raises nothing.

    `sizes` as they are given, `target` with the -1 resolved.  A dim keeps its meaning only if as many elements lie before
    it as did in the tensor.  That is told of sizes that are symbols; the same numbers may come about otherwise: whether
    they were asked of a tensor is for the caller to see (not `certain`; `places`: the sizes that moved).
    """
    if sizes is None or target is None or tensor.origin is None or tensor.provenance == "parameter":
        return  # what is learned is learned in any order
    if tensor.shape is not None and _is_shifted(tensor.shape, target):
        return  # `[b, h, q, k + 1]` to `[b, h, k + 1, q]`: relative positions are shifted like that on purpose
    if tensor.origin.op == "Tensor.__getitem__" and _was_reshaped(tensor.origin.parents[:1]):
        return  # the second half of such a shift
    if _is_padded(tensor):
        return  # the first half, of sizes that were asked for after the padding
    if any(one.origin is not None and one.origin.op in _REPEATING for one in first_operands(tensor)):
        return  # the same values come again and again
    shape = tensor.shape if tensor.shape is not None else _asked_for(tensor, target)
    if shape is None or target == shape or _may_be_equal(shape):
        return
    moved = _moved(shape, sizes, target)
    order = _order(shape, target)
    places: tuple[int, ...] = ()
    if moved is None:
        if order is None or not all(isinstance(size, int) for size in shape):
            return
        kept = [place for place in order if shape[place] != 1]
        if kept == sorted(kept):
            return  # only sizes of 1 have moved: the elements stay in their order
        places = tuple(i for i, place in enumerate(order) if place != i and target[i] != 1)
        moved = order[places[0]], places[0]
    c.faults.append(
        c.broken(
            FaultKind.PERMUTED_SIZES, input=tensor, target=target, order=order, places=places, certain=not places,
            dim=moved[0], place=moved[1], shape=shape, square=_is_right_for_squares(tensor, shape, target),
        ).fault
    )  # fmt: skip


def _may_be_equal(shape: tuple[Dim, ...]) -> bool:
    """Returns whether two sizes come from a -1 each, and may well be the same: those of queries and keys."""
    names = {name for size in shape for name in dims.symbols_of(size)}
    return len([name for name in names if name.partition("@")[0] == REST]) > 1


_HEIGHT, _WIDTH = re.compile(r"(?i)h\d?|height"), re.compile(r"(?i)w\d?|width")
REST = "rest"
"""The name of a size that a -1 stands for."""
_EXTENT = 7919
"""Some prime that no other size is likely to have."""


def _is_right_for_squares(tensor: TensorFact, shape: tuple[Dim, ...], target: tuple[Dim, ...]) -> bool:
    """Returns whether a reshape of transposed images, or of a grid, keeps all elements in their order where two sizes are equal."""
    if len(shape) == 2 < len(target) and [size for size in target if size != 1] == [shape[1], shape[0]]:
        return True
    if _is_right_for_one(shape, target):
        return True
    if tensor.origin is None or tensor.origin.op.rpartition(".")[2] not in (
        "transpose",
        "permute",
        "contiguous",
        "clone",
    ):
        return False
    names = {name for size in (*shape, *target) for name in dims.symbols_of(size)}
    extents = {
        name: _EXTENT
        for name in names
        if _HEIGHT.fullmatch(name.partition("@")[0]) or _WIDTH.fullmatch(name.partition("@")[0])
    }
    if len(extents) != 2:
        return False
    of_squares = [dims.substitute(size, extents) for size in shape]
    if of_squares[-2:] != [_EXTENT, _EXTENT]:
        return False
    wanted = [dims.substitute(size, extents) for size in target]
    before = [shapes.product(of_squares[:place]) for place in range(len(of_squares))]
    after = [shapes.product(wanted[:place]) for place in range(len(wanted))]
    return all(one in before for one in after) or all(one in after for one in before)


def _is_right_for_one(shape: tuple[Dim, ...], target: tuple[Dim, ...]) -> bool:
    """Returns whether the first size, which is none of the new ones, is a part of a product, and a size of 1 mixes up nothing."""
    first = shape[0]
    if isinstance(first, int) or first in target:
        return False
    ones = dict.fromkeys(dims.symbols_of(first), 1)
    if dims.substitute(first, ones) != 1:
        return False
    before = [shapes.product(shape[1:place]) for place in range(1, len(shape))]
    left = [dims.substitute(size, ones) for size in target]
    after = [shapes.product(left[:place]) for place in range(len(left))]
    return all(one in after for one in before) or all(one in before for one in after)


def _was_reshaped(tensors: tuple[TensorFact, ...]) -> bool:
    return any(
        one.origin is not None and one.origin.op in ("Tensor.view", "Tensor.reshape") for one in tensors
    )


def _is_padded(tensor: TensorFact) -> bool:
    """Returns whether something was joined to the elements, to shift the rows against each other."""
    origin = tensor.origin
    if origin is None or origin.op not in ("torch.cat", "torch.nn.functional.pad"):
        return False
    return origin.op != "torch.cat" or any(
        one.origin is not None and one.origin.op.rpartition(".")[2] in ("zeros", "new_zeros", "zeros_like")
        for one in origin.parents
    )


def _is_shifted(shape: tuple[Dim, ...], target: tuple[Dim, ...]) -> bool:
    """Returns whether a size is a symbol and a bit more, as padding by one gives it."""
    if any(one - other == 1 for one, other in zip(target, target[1:]) if not isinstance(one, int)):
        return True
    moving = [size for i, size in enumerate(shape) if i >= len(target) or target[i] != size]
    return any(
        isinstance(size, Poly) and len(size.terms) > 1 and any(not monomial for monomial, _ in size.terms)
        for size in moving
    )


def _asked_for(tensor: TensorFact, target: tuple[Dim, ...]) -> Shape:
    """Returns the sizes of a tensor of unknown rank that the target names.

    `x.view(x.size(1), x.size(0))`.
    """
    sizes = tuple(free_size(tensor, i) for i in range(len(target)))
    return sizes if are_known(sizes) and set(sizes) == set(target) else None


def _moved(
    shape: tuple[Dim, ...], sizes: tuple[Dim | None, ...], target: tuple[Dim, ...]
) -> tuple[int, int] | None:
    """Returns a size, by its place in the tensor and in the target, with different numbers of elements before
    it in the two."""
    for place, size in enumerate(target):
        if sizes[place] != size or not _is_symbol(size) or target.count(size) != 1 or shape.count(size) != 1:
            continue
        dim = shape.index(size)
        if any(i != dim and dims.exact_quotient(other, size) is not None for i, other in enumerate(shape)):
            continue  # a dim that was repeated so often is taken apart: the size may be that part of it
        before, after = shapes.product(shape[:dim]), shapes.product(target[:place])
        if _certainly_differ(before, after, shape, sizes, target):
            return dim, place
    return None


def _is_symbol(size: Dim) -> bool:
    if not isinstance(size, Poly) or len(size.terms) != 1:
        return False
    ((monomial, coefficient),) = size.terms
    return (
        coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Symbol)
    )


def _certainly_differ(
    a: Dim, b: Dim, shape: tuple[Dim, ...], sizes: tuple[Dim | None, ...], target: tuple[Dim, ...]
) -> bool:
    """Returns whether two sizes differ, by a number or by a size that the program gives another place.

    A size that is dropped, or that is in the -1 and was called `_`, may well be known to be 1; but not one that another size
    was divided by (`heads` of `[b, heads, n, d // heads]`).
    """
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    for whole, part in ((a, b), (b, a)):
        times = dims.exact_quotient(whole, part)
        if times is None or dims.is_generic_one(times) is not Tri.NO:
            continue
        given = {name for size in sizes if size != -1 for name in _names(size)}
        found_out = {name for size in target for name in _names(size) if not _UNNAMED.match(name)}
        divisors = {name for size in shape for name in _divisors(size)}
        return _names(times) <= given | found_out | divisors
    return False


_UNNAMED = re.compile(r"d\d+@")
"""The names of sizes that the program unpacks to `_`."""


def _names(size: Dim | None) -> set[str]:
    """Returns the symbols in a size."""
    if size is None or isinstance(size, int):
        return set()
    found: set[str] = set()
    for monomial, _ in size.terms:
        for atom, _ in monomial:
            found |= (
                {atom.name} if isinstance(atom, Symbol) else _names(atom.numerator) | _names(atom.denominator)
            )
    return found


def _divisors(size: Dim) -> set[str]:
    """Returns the symbols that a size was divided by."""
    if isinstance(size, int):
        return set()
    atoms = [atom for monomial, _ in size.terms for atom, _ in monomial if isinstance(atom, Quotient)]
    return {name for atom in atoms for name in _names(atom.denominator)}


def _order(shape: tuple[Dim, ...], target: tuple[Dim, ...]) -> tuple[int, ...] | None:
    """Returns the dims of the tensor in the order of the target.

    None when their sizes are not the same ones.
    """
    left = list(range(len(shape)))
    order = []
    for size in target:
        place = next((i for i in left if shape[i] == size), None)
        if place is None:
            return None
        left.remove(place)
        order.append(place)
    return tuple(order)


def report_squeezed_batch(c: Call, tensor: TensorFact) -> None:
    """Reports a `squeeze()` that is to drop one dim and also drops the first one, for a batch of one."""
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
