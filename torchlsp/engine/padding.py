"""Converts positions between a text and the one that was analysed: padded with blanks, so that later positions stay the same
while typing, or the text before blank rows were typed."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit, Finding
from torchlsp.core.records import dataclass, replace
from torchlsp.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.core.text import Document


@dataclass(frozen=True, slots=True)
class Padding:
    """Blanks inserted in the analysed text, which the document does not have: a size at each of some offsets of the document."""

    starts: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()

    @property
    def is_needed(self) -> bool:
        """Returns whether the texts differ."""
        return bool(self.starts)

    def has(self, offset: int) -> bool:
        """Returns whether the analysed text has what is at an offset of the document."""
        return True

    def inside(self, offset: int) -> int:
        """Converts an offset of the document to the analysed text."""
        return offset + sum(self.sizes[: bisect_left(self.starts, offset)])

    def outside(self, offset: int) -> int:
        """Converts an offset of the analysed text to the document."""
        before = 0
        for start, size in zip(self.starts, self.sizes, strict=True):
            if offset - before <= start:
                break
            if offset - before - size <= start:
                return start
            before += size
        return offset - before

    def of(self, document: Document) -> Document:
        """Returns the document with the blanks."""
        text, done = document.text, 0
        parts: list[str] = []
        for start, size in zip(self.starts, self.sizes, strict=True):
            parts += (text[done:start], " " * size)
            done = start
        return document.with_text("".join((*parts, text[done:])))

    def grown(self, number: int, by: int) -> Padding:
        """Returns the padding after so many characters were typed before the blanks of this number, of which they take the place."""
        starts = tuple(start + by if at >= number else start for at, start in enumerate(self.starts))
        sizes = tuple(size - by if at == number else size for at, size in enumerate(self.sizes))
        return Padding(starts, sizes)

    def span_inside(self, span: Span) -> Span:
        return Span(self.inside(span.start), self.inside(span.end))

    def span_outside(self, span: Span) -> Span:
        return Span(self.outside(span.start), self.outside(span.end))

    def without(self, edit: Edit) -> str:
        """Returns the text of an edit in the analysed text, as it is for the document."""
        text = edit.text
        if len(text) <= min(self.sizes, default=len(text)):
            return text
        for start, size in zip(self.starts, self.sizes, strict=True):
            if edit.span.start <= self.inside(start) <= edit.span.end:
                text = text.replace(" " * size, "", 1)
        # What was moved from elsewhere: no fix writes so many blanks by itself.
        for size in sorted(set(self.sizes), reverse=True):
            text = text.replace(" " * size, "")
        return text

    def finding_outside(self, finding: Finding) -> Finding:
        """Returns a finding as it is in the document."""
        return moved(finding, self.outside, self.without)


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
        return moved(finding, self.outside, self.padding.without)


def moved(
    finding: Finding, place: Callable[[int], int], written: Callable[[Edit], str] | None = None
) -> Finding:
    """Returns a finding with all its places in its own file mapped by `place`, and the texts of fixes by `written`."""

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
                    Edit(here(edit.span), edit.text if written is None else written(edit))
                    for edit in fix.edits
                ),
            )
            for fix in finding.fixes
        ),
    )


NO_PADDING = Padding()
