"""Converts changed libCST nodes to text edits, and applies edits to text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit
from torchlsp.core.records import replace
from torchlsp.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    import libcst as cst

    from torchlsp.core.text import Cell, Document
    from torchlsp.syntax.fragments import Fragment


def edit_for(fragment: Fragment, old: cst.CSTNode, new: cst.CSTNode) -> Edit | None:
    """Returns the smallest edit on whole words that turns `old` into `new`; None when nothing changes.

    Raises ValueError when `old` is not a node of the fragment, or when the change touches the `pass` that
    stands for the body of a compound statement.
    """
    if old not in fragment:
        raise ValueError("the node to replace is not part of this fragment")
    found = _difference_of_expressions(fragment, old, new)
    if found is None:
        import libcst as cst

        changed = fragment.module.deep_replace(old, new)
        assert isinstance(changed, cst.Module)  # a statement of it was replaced, or a part of one
        found = _difference(fragment.code, changed.code)
    if found is None:
        return None
    start, end, text = found
    place = Span(start + fragment.shift, end + fragment.shift)
    if not fragment.rows.contains(place):
        raise ValueError("the change reaches beyond the statement's own header and rows")
    return Edit(place, text)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Returns the text with all edits applied. Raises ValueError when two overlap or insert at one place."""
    ordered = sorted(edits, key=lambda edit: (edit.span.start, edit.span.end))
    parts: list[str] = []
    done = 0
    previous: Edit | None = None
    for edit in ordered:
        if previous is not None and conflict(previous, edit):
            raise ValueError(f"edits overlap at {edit.span.start}")
        if edit.span.start < 0 or edit.span.end > len(text) or edit.span.end < edit.span.start:
            raise ValueError(f"edit outside the text: {edit.span}")
        parts.append(text[done : edit.span.start])
        parts.append(edit.text)
        done = edit.span.end
        previous = edit
    parts.append(text[done:])
    return "".join(parts)


def edited(document: Document, edits: Iterable[Edit]) -> Document:
    """Returns the document with all edits applied, a notebook's cells and what the user wrote in them kept.

    Raises ValueError as `apply_edits`, and for an edit that does not lie inside one cell of a notebook.
    """
    made = list(edits)
    text = apply_edits(document.text, made)
    if not document.cells:
        return document.with_text(text)
    growth: Counter[int] = Counter()
    for edit in made:
        around = document.cell_at(edit.span.start)
        if around is None or not around.span.contains(edit.span):
            raise ValueError("an edit lies in no cell, or in several")
        growth[around.number] += len(edit.text) - edit.span.length
    shift = 0
    cells: list[Cell] = []
    for cell in document.cells:
        start = cell.span.start + shift
        shift += growth[cell.number]
        cells.append(replace(cell, span=Span(start, cell.span.end + shift)))
    return document.with_text(text, cells=tuple(cells), original=apply_edits(document.original, made))


def conflict(one: Edit, other: Edit) -> bool:
    """Returns whether the order of the two edits matters: they overlap, or both insert at one place."""
    if one.span.start == other.span.start and (one.span.length == 0) == (other.span.length == 0):
        return True
    return one.span.overlaps(other.span)


_AROUND = 200
"""The number of characters around a changed expression that are looked at for the ends of words."""


def _difference_of_expressions(
    fragment: Fragment, old: cst.CSTNode, new: cst.CSTNode
) -> tuple[int, int, str] | None:
    """Returns what `_difference` does where an expression takes the place of another, without writing the whole statement.

    None where this is not so simple, or where nothing differs.
    """
    import libcst as cst

    if not isinstance(old, cst.BaseExpression) or not isinstance(new, cst.BaseExpression):
        return None
    write, code = fragment.module.code_for_node, fragment.code
    before, after = write(old), write(new)
    start = fragment.span_of(old).start - fragment.shift - sum(len(write(one)) for one in old.lpar)
    end = start + len(before)
    if code[start:end] != before:
        return None
    first, last = max(start - _AROUND, 0), end + _AROUND
    found = _difference(code[first:last], code[first:start] + after + code[end:last])
    if found is None or found[0] == 0 < first or found[1] == last - first:
        return None
    return found[0] + first, found[1] + first, found[2]


def _difference(old: str, new: str) -> tuple[int, int, str] | None:
    """Returns start and end of what differs in `old`, and its replacement in `new`, widened to whole words."""
    if old == new:
        return None
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    while head and _in_word(old[head - 1]) and (_char(old, head) or _char(new, head)):
        head -= 1
    while (
        tail and _in_word(old[-tail]) and (_char(old, len(old) - tail - 1) or _char(new, len(new) - tail - 1))
    ):
        tail -= 1
    return head, len(old) - tail, new[head : len(new) - tail]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _char(text: str, index: int) -> bool:
    return 0 <= index < len(text) and _in_word(text[index])
