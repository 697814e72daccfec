"""Keeps the sizes that a test has found to be equal on the running path, for checks that ask; facts keep both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.interp.store.state import EqualSizes, path_state

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_EQUAL = path_state("equal_sizes", EqualSizes())
_MOST = 32
"""Pairs are kept up to this number."""


def tie(a: Dim, b: Dim) -> Callable[[Evaluator], None]:
    """Returns what records that two sizes are equal from here on."""

    def record(it: Evaluator) -> None:
        known = it.state.modes[_EQUAL]
        one, other = with_ties(it, a), with_ties(it, b)
        if one == other or len(known) >= _MOST:
            return
        for size, name in ((one, _name_of(other)), (other, _name_of(one))):
            if name is not None and name not in dims.symbols_of(size):
                it.state.set(it.state.modes, _EQUAL, EqualSizes((*known, (name, size))))
                return

    return record


def with_ties(it: Evaluator, size: Dim) -> Dim:
    """Returns a size in terms of those that stand for all that are equal to them."""
    for name, equal in it.state.modes[_EQUAL]:
        size = dims.substitute(size, {name: equal})
    return size


def _name_of(size: Dim) -> str | None:
    """Returns the name of a size that is a symbol alone."""
    names = dims.symbols_of(size)
    return next((name for name in names if len(names) == 1 and size == dims.symbol(name)), None)
