"""Defines a place in a document."""

from __future__ import annotations

from torchlsp.core.records import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points; only `core.text` turns it into rows and columns."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Returns whether the two share a code point; an empty span overlaps only what surrounds it strictly."""
        return self.start < other.end and other.start < self.end

    def shifted(self, distance: int) -> Span:
        return Span(self.start + distance, self.end + distance)

    @property
    def length(self) -> int:
        return self.end - self.start
