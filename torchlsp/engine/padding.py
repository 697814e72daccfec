"""Pads the analysed text with blanks, so that later positions stay the same while typing."""

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
