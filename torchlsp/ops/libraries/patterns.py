"""Evaluates einops patterns such as `b c (h p) w -> b (h w) (p c)`, and detects where they do not fit a
tensor.

`rearrange` is what it is in einops: a reshape, a permutation and a reshape.  Source: einops 0.8.2, measured.
"""

from __future__ import annotations

import re

from torchlsp.core.records import dataclass
from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import FLOATING
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call
from torchlsp.ops.columns import through, written_anew
from torchlsp.ops.tensor.linalg import einsum_shape, product
from torchlsp.ops.tensor.reordering import reordered, revealed
from torchlsp.ops.tensor.shaping import reshape

_SIDE = re.compile(r"\s*(?:(\()|(\))|(\.\.\.|…)|([A-Za-z_]\w*)|(\d+))\s*")
_REST, _REST_INSIDE = "...", "(...)"
"""The unnamed dims, each a dim of its own or merged with others."""

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Holds both sides, each dim of the tensor as the axes that it is made of.

    Numbers stand as they are written.
    """

    left: tuple[Group, ...]
    right: tuple[Group, ...]
    text: str


def parsed(text: str) -> Pattern | None:
    """Parses a pattern; None for text that does not have two sides."""
    sides = text.split("->")
    if len(sides) != 2:
        return None
    left, right = _side(sides[0]), _side(sides[1])
    return None if left is None or right is None else Pattern(left, right, text)


def _side(text: str) -> tuple[Group, ...] | None:
    groups: list[Group] = []
    inside: list[str] | None = None
    at = 0
    while at < len(text):
        match = _SIDE.match(text, at)
        if match is None:
            return None if text[at:].strip() else tuple(groups)
        at = match.end()
        opened, closed, rest, name, number = match.groups()
        if opened or closed:
            if bool(opened) == (inside is not None):
                return None
            if closed:
                groups.append(tuple(inside or ()))
            inside = [] if opened else None
            continue
        axis = name or number
        if rest:
            axis = _REST if inside is None else _REST_INSIDE
        if inside is None:
            groups.append((axis,))
        else:
            inside.append(axis)
    return None if inside is not None else tuple(groups)


def applied(c: Call, kind: str, pattern: Pattern, given: dict[str, Dim | None], is_open: bool) -> TensorFact:
    """Returns the result of `rearrange`, `reduce` or `repeat`; a pattern that does not fit is a fault.

    `given` are the axes' sizes (None: not known); `is_open`: there may be more of them.
    """
    tensor = c.tensor("input")
    assert tensor is not None
    if _is_beyond(kind, pattern):
        return c.make(None, tensor.dtype, tensor.device)
    _sides_agree(c, kind, pattern, given, is_open)
    left_text = pattern.text.partition("->")[0].strip()
    has_rest = any(_REST in group for group in pattern.left)
    if tensor.rank is None:
        if has_rest:
            return c.make(None, tensor.dtype, tensor.device)
        tensor = revealed(c, tensor, len(pattern.left))
        c.args["input"] = tensor
    whole = tensor.shape or ()
    least = len(pattern.left) - has_rest
    if len(whole) < least or (not has_rest and len(whole) != least):
        raise c.broken(
            FaultKind.EINSUM, reason="rank", operand=tensor, letter=left_text, got=tensor.rank, expected=least
        )
    rest = tuple(f"{_REST}{i}" for i in range(len(whole) - least)) if has_rest else ()
    sizes = _sizes(c, tensor, whole, _without_rest(pattern.left, rest), given, is_open)
    left = [axis for group in _without_rest(pattern.left, rest) for axis in group if axis in sizes]
    right = _without_rest(pattern.right, rest)
    shape = tuple(_merged(c, group, sizes, given) for group in right)
    named = [axis for group in right for axis in group if axis != "1"]
    kept = [axis for axis in named if axis in left]
    if kind == "reduce":
        dtype = tensor.dtype if tensor.dtype in FLOATING else None
        return written_anew(c, shape, dtype, tensor.device).but(layout=None)
    if len(kept) < len(named):
        return c.make(shape, tensor.dtype, tensor.device, grad=through(c, tensor.dtype))
    apart = reshape(c, tensor, tuple(sizes[axis] for axis in left))
    return reshape(c, reordered(c, apart, [left.index(axis) for axis in kept]), shape)


def _is_beyond(kind: str, pattern: Pattern) -> bool:
    """Returns whether the pattern has something that is not supported here, or that einops refuses."""
    if any(_REST_INSIDE in group for group in pattern.left):
        return True
    sides = [pattern.left] if kind == "repeat" else [] if kind == "reduce" else [pattern.left, pattern.right]
    return any(axis.isdecimal() and axis != "1" for side in sides for group in side for axis in group)


def _without_rest(groups: tuple[Group, ...], rest: tuple[str, ...]) -> list[Group]:
    """Returns the axes with `...` replaced by those that it stands for."""
    found: list[Group] = []
    for group in groups:
        if group == (_REST,):
            found.extend((axis,) for axis in rest)
        else:
            found.append(tuple(one for axis in group for one in (rest if axis == _REST_INSIDE else (axis,))))
    return found


def _sides_agree(c: Call, kind: str, pattern: Pattern, given: dict[str, Dim | None], is_open: bool) -> None:
    """Raises a fault unless every axis stands once on each side where the function wants it."""
    names: list[set[str]] = []
    for side in (pattern.left, pattern.right):
        axes = [axis.strip("()") for group in side for axis in group if not axis.isdecimal()]
        names.append(set(axes))
        twice = next((axis for axis in axes if axes.count(axis) > 1), None)
        if twice is not None:
            raise c.broken(FaultKind.EINSUM, reason="twice", operand=c.tensor("input"), letter=twice)
    left, right = names
    gone, new = sorted(left - right), sorted(right - left)
    if gone and kind != "reduce":
        raise c.broken(FaultKind.EINSUM, reason="left only", operand=c.tensor("input"), letter=gone[0])
    if kind == "repeat":
        new = [] if is_open else [axis for axis in new if axis not in given]
    if new:
        raise c.broken(FaultKind.EINSUM, reason="right only", operand=c.tensor("input"), letter=new[0])
    unused = sorted(set(given) - left - right)
    if unused:
        raise c.broken(FaultKind.EINSUM, reason="unused", operand=c.tensor("input"), letter=unused[0])


def _sizes(
    c: Call,
    tensor: TensorFact,
    shape: tuple[Dim, ...],
    groups: list[Group],
    given: dict[str, Dim | None],
    is_open: bool,
) -> dict[str, Dim]:
    """Returns the size of every axis on the left but those written as numbers."""
    sizes: dict[str, Dim] = {}
    for group, whole in zip(groups, shape, strict=True):
        known: Dim = 1
        unknown = [axis for axis in group if not axis.isdecimal() and axis not in given]
        complete = True
        for axis in group:
            size = int(axis) if axis.isdecimal() else given.get(axis, 1)
            complete = complete and size is not None
            known = known * (1 if size is None else size)
        written = " ".join(group)
        for axis in group:
            if axis in given:
                one = given[axis]
                sizes[axis] = c.fresh(axis) if one is None else one
        if not complete or (is_open and group != tuple(unknown)):
            sizes.update({axis: c.fresh(axis) for axis in unknown})
        elif len(unknown) > 1 and not is_open:
            raise c.broken(FaultKind.EINSUM, reason="open", operand=tensor, letter=written, got=whole)
        elif len(unknown) > 1:
            sizes.update({axis: c.fresh(axis) for axis in unknown})
        elif unknown:
            if isinstance(known, int) and isinstance(whole, int) and (known == 0 or whole % known):
                raise c.broken(
                    FaultKind.EINSUM,
                    reason="parts",
                    operand=tensor,
                    letter=written,
                    got=whole,
                    expected=known,
                )
            sizes[unknown[0]] = dims.floor_divide(whole, known)
        elif dims.equal(known, whole) is Tri.NO:
            raise c.broken(
                FaultKind.EINSUM, reason="parts", operand=tensor, letter=written, got=whole, expected=known
            )
    return sizes


def _merged(c: Call, group: Group, sizes: dict[str, Dim], given: dict[str, Dim | None]) -> Dim:
    """Returns the size of a dim of the result."""
    size: Dim = 1
    for axis in group:
        one = int(axis) if axis.isdecimal() else sizes.get(axis, given.get(axis))
        size = size * (c.fresh(axis) if one is None else one)
    return size


def summed(c: Call, text: str, operands: list[TensorFact]) -> TensorFact | None:
    """Returns the result of `einops.einsum`: torch's, with words for letters."""
    letters: dict[str, str] = {}
    for word in re.findall(r"[A-Za-z_]\w*", text):
        letters.setdefault(word, chr((ord("a") if len(letters) < 26 else ord("A") - 26) + len(letters)))
    if len(letters) > 52 or "(" in text:
        return None
    equation = re.sub(r"[A-Za-z_]\w*", lambda match: letters[match[0]], text)
    return product(c, einsum_shape(c, equation, operands), *operands).but(layout=None)
