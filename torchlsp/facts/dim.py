"""Defines sizes of tensor dimensions: an `int`, or a polynomial over symbols in normal form.

`B`, `2*H//s+1` and `T*C` are polynomials; a symbol whose name starts with `?` stands for a size of which nothing is
known but that it is itself (`?k` of a join).  Two sizes are equal when their difference is the zero polynomial, different
when it is a non-zero constant (or can never be zero over the integers), and otherwise *unknown*.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from math import gcd

from torchlsp.core.records import dataclass
from torchlsp.facts.tri import Tri

MAX_TERMS = 16
"""A polynomial of more terms becomes a fresh symbol: formulas that grow with the program must not."""

KEPT_ANSWERS = 1024
"""The number of cached results for each kind of arithmetic: a program has few sizes and computes with the
same again and again. With four times as many, one answer in a hundred more of timm's would be there, and an
editor's process 8 MB larger."""

ASSUMABLE_ONE = "1?"
"""Prefix of symbols that may well be 1 (a parameter whose default is 1): never taken for a generic size."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named size.  `?`-names come from joins and from results that no law determines."""

    name: str

    def __str__(self) -> str:
        return self.name.removeprefix(ASSUMABLE_ONE)


@dataclass(frozen=True, slots=True)
class Quotient:
    """The quotient `numerator // denominator` where the division is not known to be exact."""

    numerator: "Dim"
    denominator: "Dim"

    @property
    def name(self) -> str:
        return str(self)

    def __str__(self) -> str:
        bare = isinstance(self.numerator, int) or len(self.numerator.terms) == 1
        numerator = str(self.numerator) if bare else f"({self.numerator})"
        return f"{numerator}//{_parenthesised(self.denominator)}"


Atom = Symbol | Quotient
Monomial = tuple[tuple[Atom, int], ...]
"""Atoms with their exponents, ordered by name; the empty monomial is the constant 1."""


class Poly:
    """A polynomial with integer coefficients, at least one symbol, and its terms in a fixed order."""

    __slots__ = ("terms", "_hash", "_text")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]):
        self.terms = terms
        self._hash = hash(terms)
        self._text: str | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Poly) and self._hash == other._hash and self.terms == other.terms
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Poly({self})"

    def __str__(self) -> str:
        if self._text is None:
            self._text = self._written()
        return self._text

    def _written(self) -> str:
        parts: list[str] = []
        for monomial, coefficient in sorted(self.terms, key=lambda term: (not term[0], _names(term[0]))):
            ordered = sorted(monomial, key=lambda factor: isinstance(factor[0], Symbol))
            factors = [
                _factor(atom, power, bare=i == 0 and coefficient == 1)
                for i, (atom, power) in enumerate(ordered)
            ]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            parts.append(("-" if coefficient < 0 else "+" if parts else "") + "*".join(factors))
        return "".join(parts)

    def __add__(self, other: "Dim") -> "Dim":
        return _combine(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: "Dim") -> "Dim":
        return _combine(self, other, -1)

    def __rsub__(self, other: "Dim") -> "Dim":
        return _combine(-self, other, 1)

    def __neg__(self) -> "Poly":
        return Poly(tuple((monomial, -coefficient) for monomial, coefficient in self.terms))

    def __mul__(self, other: "Dim") -> "Dim":
        if isinstance(other, int):
            return 0 if other == 0 else Poly(tuple((monomial, c * other) for monomial, c in self.terms))
        return _product(self, other) if isinstance(other, Poly) else NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other: "Dim") -> "Dim":
        return floor_divide(self, other)

    def __rfloordiv__(self, other: "Dim") -> "Dim":
        return floor_divide(other, self)


Dim = int | Poly


@lru_cache(KEPT_ANSWERS)
def symbol(name: str) -> Poly:
    return Poly((((((Symbol(name), 1),)), 1),))


BATCH = "B@"
"""The prefix of names of batch sizes that a loader was given, if it is not 1, or may have been."""


def is_batch(dim: Dim) -> bool:
    """Returns whether a size is the number of samples in a batch of a loader."""
    return isinstance(dim, Poly) and str(dim).startswith(BATCH)


def is_fresh(dim: Dim) -> bool:
    """Returns whether a size is a bare `?`-symbol, of which nothing is known."""
    if not isinstance(dim, Poly) or len(dim.terms) != 1:
        return False
    ((monomial, coefficient),) = dim.terms
    atom, power = monomial[0] if len(monomial) == 1 else (None, 0)
    return coefficient == 1 and power == 1 and isinstance(atom, Symbol) and atom.name.startswith("?")


def constant_part(dim: Dim) -> int:
    if isinstance(dim, int):
        return dim
    return next((coefficient for monomial, coefficient in dim.terms if not monomial), 0)


def equal(a: Dim, b: Dim) -> Tri:
    """Returns whether two sizes are the same number, for every value of their symbols.  UNKNOWN when that
    depends on the values."""
    if type(a) is int and type(b) is int:
        return Tri.YES if a == b else Tri.NO
    return _equal(a, b)


@lru_cache(KEPT_ANSWERS)
def _equal(a: Dim, b: Dim) -> Tri:
    difference = a - b
    if isinstance(difference, int):
        return Tri.YES if difference == 0 else Tri.NO
    # c1*m1 + c2*m2 + ... + c0 = 0 has no integer solution when gcd(c1, c2, ...) does not divide c0
    common = 0
    for monomial, coefficient in difference.terms:
        if monomial:
            common = gcd(common, coefficient)
    if constant_part(difference) % common:
        return Tri.NO
    lowest = lower_bound(difference)
    if lowest is not None and lowest > 0:
        return Tri.NO
    lowest = lower_bound(-difference)
    return Tri.NO if lowest is not None and lowest > 0 else Tri.UNKNOWN


def differ_as_widths(a: Dim, b: Dim) -> bool:
    """Returns whether two numbers of features are certainly different.  A layer has at least one, so that `d`
    and `2*d` differ."""
    if equal(a, b) is Tri.NO:
        return True
    difference = a - b
    if isinstance(difference, int):
        return False
    atoms = [atom for monomial, _ in difference.terms for atom, _ in monomial]
    if not all(isinstance(atom, Symbol) and is_generic(atom) for atom in atoms):
        return False
    least, greatest = (
        sum(coefficient for _, coefficient in part.terms) if all(c > 0 for m, c in part.terms if m) else 0
        for part in (difference, -difference)
    )
    return least > 0 or greatest > 0


def lower_bound(dim: Dim) -> int | None:
    """Returns the least value that a size formula can take when every size is at least 0. None when there is
    no such bound."""
    if isinstance(dim, int):
        return dim
    for monomial, coefficient in dim.terms:
        if monomial and (coefficient < 0 or not all(_is_at_least_zero(atom) for atom, _ in monomial)):
            return None
    return constant_part(dim)


def _is_at_least_zero(atom: Atom) -> bool:
    """Returns whether a size is certainly not negative; a quotient such as `(H-3)//2` need not be."""
    if isinstance(atom, Symbol):
        return True
    bounds = lower_bound(atom.numerator), lower_bound(atom.denominator)
    return all(bound is not None and bound >= 0 for bound in bounds)


def is_one(dim: Dim) -> Tri:
    return equal(dim, 1)


def is_generic_one(dim: Dim) -> Tri:
    """Returns whether this size is 1, taking symbols as generic sizes.

    NO for `B` or `T*C`: code that is right only when a free size happens to be 1 is not right.  UNKNOWN for `?k` and for
    a symbol that is 1 by default.
    """
    if isinstance(dim, int):
        return Tri.YES if dim == 1 else Tri.NO
    for monomial, _ in dim.terms:
        for atom, _ in monomial:
            if not is_generic(atom):
                return equal(dim, 1)
    return Tri.NO


def is_generic(atom: Atom) -> bool:
    if isinstance(atom, Quotient):
        return _all_generic(atom.numerator) and _all_generic(atom.denominator)
    return not atom.name.startswith(("?", ASSUMABLE_ONE))


def _all_generic(dim: Dim) -> bool:
    return isinstance(dim, int) or all(is_generic(atom) for monomial, _ in dim.terms for atom, _ in monomial)


def generically_equal(a: Dim, b: Dim) -> Tri:
    """Compares sizes with symbols read as generic sizes: `C` and `T*C` differ, `?k` and `C` may be the same
    number.

    With quotients the formulas are compared at two points: one where every division is exact (so that `C//H*H` and `C`
    are not called different) and one where sizes have no common factor.
    """
    if a == b:
        return Tri.YES
    difference = a - b
    if isinstance(difference, int):
        return Tri.YES if difference == 0 else Tri.NO
    if not _all_generic(difference):
        return Tri.NO if equal(a, b) is Tri.NO else Tri.UNKNOWN
    if not any(isinstance(atom, Quotient) for monomial, _ in difference.terms for atom, _ in monomial):
        return Tri.NO
    names = sorted(symbols_of(difference))
    divisors = _symbols_in_denominators(difference)
    base = 1
    exact: dict[str, int] = {}
    for name, prime in zip(names, _PRIMES):
        if name in divisors:
            exact[name] = prime
            base *= prime
    for name, prime in zip(names, reversed(_PRIMES)):
        exact.setdefault(name, prime * base * 24)
    coprime = {
        name: small if name in divisors else large
        for name, small, large in zip(names, _PRIMES[3:], _LARGE_PRIMES)
    }
    if len(names) > len(_PRIMES) - 3 or 0 in (substitute(difference, exact), substitute(difference, coprime)):
        return Tri.UNKNOWN
    return Tri.NO


_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157)


_LARGE_PRIMES = (
    100003, 100019, 100043, 100049, 100057, 100069, 100103, 100109, 100129, 100151, 100153, 100169, 100183, 100189, 100193,
    100207, 100213, 100237, 100267, 100271,
)  # fmt: skip
"""Sizes beside which every divisor is small: their quotients are neither 0 nor 1."""


def _symbols_in_denominators(dim: Dim) -> frozenset[str]:
    if isinstance(dim, int):
        return frozenset()
    found: frozenset[str] = frozenset()
    for monomial, _ in dim.terms:
        for atom, _ in monomial:
            if isinstance(atom, Quotient):
                found |= symbols_of(atom.denominator) | _symbols_in_denominators(atom.numerator)
    return found


def symbols_of(dim: Dim) -> frozenset[str]:
    """Returns names of all symbols in a size, those inside quotients included."""
    if isinstance(dim, int):
        return frozenset()
    found: set[str] = set()
    for monomial, _ in dim.terms:
        for atom, _ in monomial:
            if isinstance(atom, Symbol):
                found.add(atom.name)
            else:
                found |= symbols_of(atom.numerator) | symbols_of(atom.denominator)
    return frozenset(found)


def exact_quotient(numerator: Dim, denominator: Dim) -> Dim | None:
    """Returns `numerator / denominator` when it is a polynomial with integer coefficients, else None. 0
    divides nothing."""
    if isinstance(denominator, int):
        if denominator == 0:
            return None
        if isinstance(numerator, int):
            return numerator // denominator if numerator % denominator == 0 else None
        if any(coefficient % denominator for _, coefficient in numerator.terms):
            return None
        return _normal({monomial: c // denominator for monomial, c in numerator.terms})
    if isinstance(numerator, int):
        return 0 if numerator == 0 else None
    if numerator == denominator:
        return 1
    if len(denominator.terms) != 1:
        return _divide_long(numerator, denominator)
    ((divisor, scale),) = denominator.terms
    quotient: dict[Monomial, int] = {}
    for monomial, coefficient in numerator.terms:
        rest = _without(monomial, divisor)
        if rest is None or coefficient % scale:
            return None
        quotient[rest] = coefficient // scale
    return _normal(quotient)


def _divide_long(numerator: Poly, denominator: Poly) -> Dim | None:
    """Divides by a sum, by polynomial long division: `(B*T + B) / (T + 1)` is `B`."""
    lead, scale = max(denominator.terms, key=_lead_order)
    rest: Dim = numerator
    quotient: Dim = 0
    for _ in range(MAX_TERMS):
        if isinstance(rest, int):
            return quotient if rest == 0 else None
        monomial, coefficient = max(rest.terms, key=_lead_order)
        part = _without(monomial, lead)
        if part is None or coefficient % scale:
            return None
        term = _normal({part: coefficient // scale})
        quotient = quotient + term
        rest = rest - term * denominator
    return None


def _lead_order(term: tuple[Monomial, int]) -> tuple:
    monomial = term[0]
    return sum(power for _, power in monomial), [(atom.name, power) for atom, power in monomial]


def floor_divide(numerator: Dim, denominator: Dim) -> Dim:
    """Divides as Python's `//` does.  A division that is not known to be exact stays as one atom; by zero
    gives a fresh symbol."""
    if isinstance(denominator, int) and denominator == 0:
        return symbol("?div0")
    if isinstance(numerator, int) and isinstance(denominator, int):
        return numerator // denominator
    exact = exact_quotient(numerator, denominator)
    if exact is not None:
        return exact
    numerator, denominator = _reduced(numerator, denominator)
    if isinstance(numerator, int) and isinstance(denominator, int):
        return numerator // denominator
    if isinstance(denominator, int) and isinstance(numerator, Poly):
        # (4*H + 3) // 4 == H + 3 // 4: whole multiples leave the quotient
        whole = {m: c // denominator for m, c in numerator.terms if m and c % denominator == 0}
        if whole:
            rest = _normal({m: c for m, c in numerator.terms if m not in whole})
            return _normal(whole) + floor_divide(rest, denominator)
        low = constant_part(numerator)
        shift, remainder = divmod(low, denominator)
        if shift:
            return Poly(((((Quotient(numerator - low + remainder, denominator), 1),), 1),)) + shift
    return Poly(((((Quotient(numerator, denominator), 1),), 1),))


def _reduced(numerator: Dim, denominator: Dim) -> tuple[Dim, Dim]:
    """Cancels the factors that all terms of both share: `B*C // (B*H)` is `C // H`, no size being 0."""
    if isinstance(numerator, int) or isinstance(denominator, int):
        return numerator, denominator
    terms = (*numerator.terms, *denominator.terms)
    shared = dict(terms[0][0])
    for monomial, _ in terms[1:]:
        powers = dict(monomial)
        shared = {atom: min(power, powers[atom]) for atom, power in shared.items() if atom in powers}
    common = 0
    for _, coefficient in terms:
        common = gcd(common, coefficient)
    if not shared and common == 1:
        return numerator, denominator
    factor = _normal({tuple(sorted(shared.items(), key=lambda item: item[0].name)): common})
    reduced = exact_quotient(numerator, factor), exact_quotient(denominator, factor)
    assert reduced[0] is not None and reduced[1] is not None  # all terms have the factor
    return reduced[0], reduced[1]


def divides(denominator: Dim, numerator: Dim) -> Tri:
    """Returns whether `denominator` divides `numerator` without remainder."""
    if isinstance(denominator, int) and isinstance(numerator, int):
        return Tri.of(denominator != 0 and numerator % denominator == 0)
    return Tri.YES if exact_quotient(numerator, denominator) is not None else Tri.UNKNOWN


def substitute(dim: Dim, values: Mapping[str, Dim]) -> Dim:
    """Returns the size with symbols replaced by numbers or other sizes."""
    if isinstance(dim, int):
        return dim
    total: Dim = 0
    for monomial, coefficient in dim.terms:
        product: Dim = coefficient
        for atom, power in monomial:
            if isinstance(atom, Quotient):
                value = floor_divide(substitute(atom.numerator, values), substitute(atom.denominator, values))
            else:
                value = values.get(atom.name, symbol(atom.name))
            for _ in range(power):
                product = product * value
        total = total + product
    return total


def join(a: Dim, b: Dim, name: str) -> Dim:
    """Returns the least size fact above both: the size itself, or the fresh symbol `?name`."""
    return a if a == b else symbol("?" + name)


def leq(a: Dim, b: Dim) -> bool:
    return a == b or is_fresh(b)


def _combine(a: Poly, b: Dim, sign: int) -> Dim:
    if isinstance(b, int):
        if b == 0:
            return a
        sums = dict(a.terms)
        sums[()] = sums.get((), 0) + sign * b
        return _normal(sums)
    return _sum(a, b, sign) if isinstance(b, Poly) else NotImplemented


@lru_cache(KEPT_ANSWERS)
def _product(a: Poly, b: Poly) -> Dim:
    sums: dict[Monomial, int] = {}
    for left, x in a.terms:
        for right, y in b.terms:
            monomial = _times(left, right)
            sums[monomial] = sums.get(monomial, 0) + x * y
    return _normal(sums)


@lru_cache(KEPT_ANSWERS)
def _sum(a: Poly, b: Poly, sign: int) -> Dim:
    sums = dict(a.terms)
    for monomial, coefficient in b.terms:
        sums[monomial] = sums.get(monomial, 0) + sign * coefficient
    return _normal(sums)


def _normal(sums: dict[Monomial, int]) -> Dim:
    terms = [(monomial, coefficient) for monomial, coefficient in sums.items() if coefficient]
    if not terms:
        return 0
    if len(terms) == 1 and not terms[0][0]:
        return terms[0][1]
    if len(terms) > MAX_TERMS:
        return symbol(f"?{_digest(terms)}")
    if len(terms) > 1:
        terms.sort(key=lambda term: _names(term[0]))
    return Poly(tuple(terms))


def _digest(terms: list[tuple[Monomial, int]]) -> str:
    """Names a sum that is too long to be kept: the same in every run, whatever the order of the terms."""
    text = "+".join(sorted(f"{coefficient}*{_names(monomial)}" for monomial, coefficient in terms))
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _names(monomial: Monomial) -> list[tuple[str, int]]:
    return [(atom.name, power) for atom, power in monomial]


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not left:
        return right
    if not right:
        return left
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: item[0].name))


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    powers = dict(monomial)
    for atom, power in divisor:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        if left:
            powers[atom] = left
        else:
            powers.pop(atom)
    return tuple(sorted(powers.items(), key=lambda item: item[0].name))


def _factor(atom: Atom, power: int, bare: bool) -> str:
    """Returns one factor of a product as Python would read it back. `bare`: a quotient may stand without
    parentheses."""
    text = str(atom)
    if isinstance(atom, Quotient) and (power > 1 or not bare):
        text = f"({text})"
    return text if power == 1 else f"{text}**{power}"


def _parenthesised(dim: Dim) -> str:
    text = str(dim)
    return (
        f"({text})" if isinstance(dim, Poly) and (len(dim.terms) > 1 or "*" in text or "/" in text) else text
    )
