"""Converts positions of the protocol and applies its edits to texts.

A position's column counts code units of the encoding that client and server agreed on; everywhere else in torchlsp
a place is an offset in code points. Lines end at LF, CRLF and CR only: the protocol library's own documents also break
at form feeds and so corrupt the text, which is why they are not used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from torchlsp.core.difference import difference
from torchlsp.core.span import Span
from torchlsp.core.text import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"


class Position(Protocol):
    line: int
    character: int


def units(text: str, encoding: str) -> int:
    """Returns the length of a text in code units."""
    if encoding == UTF32 or text.isascii():
        return len(text)
    if encoding == UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def offset_at(document: Document, position: Position, encoding: str) -> int:
    """Returns the offset of a position. One beyond its line's end means the end, as the protocol asks; one
    inside a character means the character's start."""
    starts = document.lines.starts
    if position.line >= len(starts):
        return len(document.text)
    row = document.row_span(max(position.line, 0) + 1)
    if encoding == UTF32 or row_is_narrow(document, position.line + 1):
        return min(row.start + max(position.character, 0), row.end)
    left = position.character
    offset = row.start
    while offset < row.end:
        left -= units(document.text[offset], encoding)
        if left < 0:
            break
        offset += 1
    return offset


def line_and_column(document: Document, offset: int, encoding: str) -> tuple[int, int]:
    """Returns the line (from 0) and the column in code units."""
    row, column = document.row_column(offset)
    if encoding == UTF32 or row_is_narrow(document, row):
        return row - 1, column - 1
    return row - 1, units(document.text[offset - column + 1 : offset], encoding)


def row_is_narrow(document: Document, row: int) -> bool:
    """Returns whether all encodings count this row (from 1) alike."""
    return row not in document.lines.wide_rows


class Change(Protocol):
    """A change event of the protocol; without `range` its text is the whole new text."""

    text: str


def changed(document: Document, changes: Sequence[Change], version: int | None, encoding: str) -> Document:
    """Returns the document after the client's changes, each applied to the result of the one before."""
    for change in changes:
        place = getattr(change, "range", None)
        text = change.text
        if place is not None:
            start = offset_at(document, place.start, encoding)
            end = max(offset_at(document, place.end, encoding), start)
            text = document.text[:start] + text + document.text[end:]
        document = Document(document.path, text, uri=document.uri, version=version)
    return document


def moved(old: str, new: str, offset: int) -> int | None:
    """Returns where an offset into `new` was in `old`; None inside the part that differs."""
    if old == new:
        return offset
    head, tail = difference(old, new)
    if offset < head:
        return offset
    if offset >= len(new) - tail:
        return offset + len(old) - len(new)
    return None


def moved_span(old: str, new: str, span: Span) -> Span | None:
    """Returns where a span of `new` was in `old`, if nothing inside it changed."""
    start, end = moved(old, new, span.start), moved(old, new, max(span.end - 1, span.start))
    if start is None or end is None or end + 1 - start != max(span.length, 1):
        return None
    found = Span(start, start + span.length)
    # Both its ends may stand although its middle was typed over.
    same = old[found.start : found.end] == new[span.start : span.end]
    return found if same else None
