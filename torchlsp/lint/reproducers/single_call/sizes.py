"""Chooses numbers to try for the symbolic sizes of a reproducer."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.core.finding import Sizes
from torchlsp.facts import dim as dims
from torchlsp.facts.dim import Dim
from torchlsp.lint.reproducers.single_call.call_program import CallProgram

_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)
_EQUAL, _ONE, _LARGER = 4, 1, 64
_SAMPLED, _WRITTEN = 1 << 22, 1 << 26
"""The maximum number of elements of one operand: of sizes that are chosen, and of those that the user wrote."""


def trial_sizes(program: CallProgram) -> Iterator[Sizes]:
    """Yields sizes to try: distinct primes in two orders, all equal, each of the first three at 1, and larger ones.

    Where sizes are divided, small divisors of what is divided come first.
    """
    symbols = list(program.size_names)
    primes = [_PRIMES[i % len(_PRIMES)] + 20 * (i // len(_PRIMES)) for i in range(len(symbols))]
    tried = [primes, primes[::-1], [_EQUAL] * len(symbols)]
    if program.divisors:
        divided = [
            2 if symbol in program.divisors else 2 * prime
            for symbol, prime in zip(symbols, primes, strict=True)
        ]
        tried.insert(0, divided)
    tried += [
        [_ONE if i == one else size for i, size in enumerate(primes)] for one in range(min(3, len(symbols)))
    ]
    # Formulas such as `n - 32` want larger ones.
    tried.append([_LARGER + size for size in primes])
    for sizes in dict.fromkeys(map(tuple, tried)):
        values = dict(zip(symbols, sizes, strict=True))
        fit = all(_fits(count, values, 1) for count in program.counts)
        if fit and all(_fits(count, values, 0) for count in program.cut):
            yield tuple((program.shown_names[symbol], size) for symbol, size in values.items())


def _fits(count: Dim, values: dict[str, int], least: int) -> bool:
    """Returns whether a count is at least `least`, and not too large, with these values of the symbols."""
    if isinstance(count, int):
        return 0 <= count <= _WRITTEN
    try:
        known = dims.substitute(count, values)
    except ZeroDivisionError:
        return False
    return isinstance(known, int) and least <= known <= _SAMPLED
