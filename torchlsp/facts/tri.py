"""Defines three-valued truth, which predicates on facts return."""

from enum import Enum


class Tri(Enum):
    """Yes, no, or unknown.  It has no truth value on purpose: `if fact.is_x()` is a bug, `if fact.is_x() is
    Tri.YES` is not."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a three-valued answer has no truth value: compare it with Tri.YES or Tri.NO")

    @property
    def is_yes(self) -> bool:
        return self is Tri.YES

    @property
    def is_no(self) -> bool:
        return self is Tri.NO

    @property
    def is_unknown(self) -> bool:
        return self is Tri.UNKNOWN

    def negated(self) -> "Tri":
        return _NEGATED[self]

    def both(self, other: "Tri") -> "Tri":
        """Returns Kleene's *and*."""
        if self is Tri.NO or other is Tri.NO:
            return Tri.NO
        return Tri.YES if self is Tri.YES and other is Tri.YES else Tri.UNKNOWN

    def either(self, other: "Tri") -> "Tri":
        """Returns Kleene's *or*."""
        if self is Tri.YES or other is Tri.YES:
            return Tri.YES
        return Tri.NO if self is Tri.NO and other is Tri.NO else Tri.UNKNOWN

    def join(self, other: "Tri") -> "Tri":
        return self if self is other else Tri.UNKNOWN

    @staticmethod
    def of(value: "bool | None") -> "Tri":
        return Tri.UNKNOWN if value is None else Tri.YES if value else Tri.NO


_NEGATED = {Tri.YES: Tri.NO, Tri.NO: Tri.YES, Tri.UNKNOWN: Tri.UNKNOWN}
YES, NO, UNKNOWN = Tri.YES, Tri.NO, Tri.UNKNOWN
