"""Converts positions between a text and the one that was analysed: padded with blanks, so that later positions stay the same
while typing, or the text before blank rows were typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit, Finding
from torchlsp.core.records import dataclass, replace
from torchlsp.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.core.text import Document


@dataclass(frozen=True, slots=True)
class Padding:
    """Blanks inserted in the analysed text: `size` of them at `start`, which the document does not have."""

    start: int
    size: int

    @property
    def is_needed(self) -> bool:
        """Returns whether the texts differ."""
        return self.size > 0

    def has(self, offset: int) -> bool:
        """Returns whether the analysed text has what is at an offset of the document."""
        return True

    def inside(self, offset: int) -> int:
        """Converts an offset of the document to the analysed text."""
        return offset if offset <= self.start else offset + self.size

    def outside(self, offset: int) -> int:
        """Converts an offset of the analysed text to the document."""
        return offset if offset <= self.start else max(offset - self.size, self.start)

    def of(self, document: Document) -> Document:
        """Returns the document with the blanks."""
        text = document.text
        return document.with_text(text[: self.start] + " " * self.size + text[self.start :])

    def span_outside(self, span: Span) -> Span:
        return Span(self.outside(span.start), self.outside(span.end))

    def finding_outside(self, finding: Finding) -> Finding:
        """Returns a finding as it is in the document."""
        return moved(finding, self.outside, " " * self.size)


@dataclass(frozen=True, slots=True)
class Displacement:
    """A part of the analysed text, from `start` to `old_end` without its padding, for which the document has other blanks, up to `new_end`."""

    padding: Padding
    start: int
    old_end: int
    new_end: int

    @property
    def is_needed(self) -> bool:
        return True

    def has(self, offset: int) -> bool:
        return not self.start < offset <= self.new_end

    def inside(self, offset: int) -> int:
        if offset > self.start:
            offset = max(offset - self.new_end + self.old_end, self.start)
        return self.padding.inside(offset)

    def outside(self, offset: int) -> int:
        offset = self.padding.outside(offset)
        return offset if offset <= self.start else max(offset + self.new_end - self.old_end, self.start)

    def span_outside(self, span: Span) -> Span:
        return Span(self.outside(span.start), self.outside(span.end))

    def finding_outside(self, finding: Finding) -> Finding:
        return moved(finding, self.outside, " " * self.padding.size)


def moved(finding: Finding, place: Callable[[int], int], without: str = "") -> Finding:
    """Returns a finding with all its places in its own file mapped by `place`, and fixes `without` a text."""

    def here(span: Span) -> Span:
        return Span(place(span.start), place(span.end))

    return replace(
        finding,
        span=here(finding.span),
        related=tuple(
            replace(one, span=here(one.span)) if one.path in (None, finding.path) else one
            for one in finding.related
        ),
        fixes=tuple(
            replace(
                fix,
                edits=tuple(
                    Edit(here(edit.span), edit.text.replace(without, "") if without else edit.text)
                    for edit in fix.edits
                ),
            )
            for fix in finding.fixes
        ),
    )


NO_PADDING = Padding(0, 0)
