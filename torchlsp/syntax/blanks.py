"""Finds out whether two texts differ in blank rows between statements, and blanks or comments at the end of rows, alone."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlsp.core.difference import difference
from torchlsp.core.records import dataclass
from torchlsp.syntax.statements import statement_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.core.text import Document
    from torchlsp.syntax.parse import SyntaxTree

_NO_CODE = re.compile(r"[ \t]*(?:#[^\r\n]*)?\Z")
_ROW_END = re.compile(r"\r\n|\r|\n")
_BLOCKS = ("body", "orelse", "finalbody")


@dataclass(frozen=True, slots=True)
class Gap:
    """A part between two statements that was replaced: `start` to `old_end` in the old text, and to `new_end` in the new one.

    `rows` are the rows of the old text that it is in, from the end of a statement on the first one.
    """

    start: int
    old_end: int
    new_end: int
    rows: tuple[int, int]


def changed_gap(tree: SyntaxTree, new: Document, comments: bool = False) -> Gap | None:
    """Returns what a text has changed in the one of a tree; None where that is more than blank rows and blanks at the end of a row.

    `comments`: they may have changed, too.
    """
    old = tree.document
    head, tail = difference(old.text, new.text)
    first, old_end, new_end = head, len(old.text) - tail, len(new.text) - tail
    if first == old_end == new_end:
        return None
    # The same blanks may stand before and after what was put in or taken out: it begins where the code ends.
    longer, end = (new.text, new_end) if new_end > old_end else (old.text, old_end)
    while first and min(old_end, new_end) == first and longer[first - 1] in " \t\n":
        if longer[first - 1] != longer[end - 1]:
            break
        first, old_end, new_end, end = first - 1, old_end - 1, new_end - 1, end - 1
    if not _has_no_code(new, first, new_end):
        return None
    if "\r" in old.text[first : old_end + 1] or "\r" in new.text[first : new_end + 1] or tree.module is None:
        return None
    before = _end_before(old, tree.module.body, first, old_end)
    if before is None:
        return None
    start = old.lines.starts[old.lines.row(first) - 1]
    if before <= start and _goes_on(old.text, start):
        return None
    start = max(start, before)
    rows = start, old.row_span(old.lines.row(old_end)).end
    parts = old.text[slice(*rows)], new.text[start : new.row_span(new.lines.row(new_end)).end]
    before_and_after = [[row.rstrip(" \t") for row in _ROW_END.split(part)] for part in parts]
    if not all(_NO_CODE.match(row) for rows_of_part in before_and_after for row in rows_of_part):
        return None
    if not comments and len({tuple(filter(None, rows_of_part)) for rows_of_part in before_and_after}) > 1:
        return None
    return Gap(first, old_end, new_end, rows)


def _has_no_code(document: Document, first: int, end: int) -> bool:
    """Returns whether the rows of a part hold no code after its beginning: cheap, and no for most changes."""
    comment = document.text.rfind("#", document.lines.starts[document.lines.row(first) - 1], first)
    rows = document.text[first if comment < 0 else comment : document.row_span(document.lines.row(end)).end]
    return _is_blank(rows)


def _is_blank(rows: str) -> bool:
    """Returns whether rows hold nothing but comments."""
    return all(_NO_CODE.match(row) for row in _ROW_END.split(rows))


def _goes_on(text: str, start: int) -> bool:
    """Returns whether the row before a row's start goes on in it."""
    return text[:start].rstrip("\r\n").endswith("\\")


def _end_before(document: Document, body: Sequence[ast.stmt], first: int, last: int) -> int | None:
    """Returns where the last statement ends before a part; None where the part is in a statement or a header. 0: there is none."""
    end = 0
    for one in body:
        span = statement_span(document, one)
        if span.end <= first:
            end = span.end
            continue
        if span.start >= last:
            return end
        for part in (one, *getattr(one, "handlers", ()), *getattr(one, "cases", ())):
            for name in _BLOCKS:
                block = getattr(part, name, None)
                if not isinstance(block, list) or not block:
                    continue
                inside = statement_span(document, block[0]).start, statement_span(document, block[-1]).end
                if inside[0] <= first and last <= inside[1]:
                    return _end_before(document, block, first, last)
                if last <= inside[0] and _is_blank(document.text[first : inside[0]]):
                    return first  # directly after the header
        return None
    return end
