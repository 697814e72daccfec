"""Selects fixes that do not overlap, applies them, and writes files atomically."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit
from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.engine.reading import NotebookProblem, read_document, with_sources
from torchlsp.files import read_source
from torchlsp.syntax.edits import conflict, edited
from torchlsp.syntax.notebook import blanked, unbound_name
from torchlsp.syntax.partial import parses, parts_parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from torchlsp.core.finding import Finding, Fix
    from torchlsp.core.text import Cell, Document

MAX_ROUNDS = 10
_CHANGED = "it changed while it was being checked"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A document after its fixes, with the number of fixes. `parses` is False, and then none were made, when
    the result would not parse."""

    document: Document
    fixes: int
    parses: bool = True


class Refused(Exception):
    """The reason why a file cannot be written."""


def applicable_fix(finding: Finding, *, unsafe: bool) -> Fix | None:
    """Returns the fix of a finding if it may be made. An alternative is never made in its place: what is made
    is what is shown."""
    fix = finding.fix
    return fix if fix is not None and fix.edits and (unsafe or fix.is_safe) else None


def fix_document(document: Document, findings: Callable[[Document], Sequence[Finding]]) -> Document | None:
    """Returns the document after all rounds of safe fixes. None when nothing would change or it would not
    parse."""
    fixed = fixed_in_rounds(document, findings, unsafe=False)
    return fixed.document if fixed.fixes else None


def fixed_in_rounds(
    document: Document, findings: Callable[[Document], Sequence[Finding]], *, unsafe: bool
) -> Fixed:
    """Applies the fixes that do not conflict, checks again, and so on, until nothing changes or ten rounds
    are over."""
    made = 0
    current = document
    for _ in range(MAX_ROUNDS):
        new, count = one_round(current, findings(current), unsafe=unsafe)
        if not count or new.text == current.text:
            break
        if not parts_parse(new):
            return Fixed(document, 0, parses=False)
        current = new
        made += count
    return Fixed(current, made)


def one_round(document: Document, findings: Iterable[Finding], *, unsafe: bool) -> tuple[Document, int]:
    """Returns the document with every fix that does not overlap an earlier one, and the number of fixes.

    An edit that two fixes share (the same import, say) is made once. In a notebook, a fix is left out that would
    reach beyond a cell or into what only IPython reads.
    """
    accepted: set[Edit] = set()
    made = 0
    for finding in sorted(findings, key=lambda finding: (finding.span, finding.rule)):
        fix = applicable_fix(finding, unsafe=unsafe)
        edits = edits_in_cells(document, fix.edits) if fix is not None else None
        if edits is None:
            continue
        new = [edit for edit in edits if edit not in accepted]
        if not new or any(conflict(edit, other) for edit in new for other in accepted):
            continue
        accepted.update(new)
        made += 1
    return (edited(document, accepted), made) if accepted else (document, 0)


def edits_in_cells(document: Document, edits: Sequence[Edit]) -> Sequence[Edit] | None:
    """Returns the edits of a fix, in a notebook each inside one cell; None when one cannot be, or when
    IPython would read the result differently than we do."""
    if not document.cells:
        return edits
    made: list[Edit] = []
    touched: set[int] = set()
    for edit in edits:
        cell = document.cell_at(edit.span.start)
        settled = _edit_in_cell(document, cell, edit) if cell is not None else None
        if cell is None or settled is None:
            return None
        made.append(settled)
        touched.add(cell.number)
    unbound = unbound_name([document.original])
    after = edited(document, made)
    for cell, part in zip(after.cells, after.parts, strict=True):
        if cell.number not in touched:
            continue
        source = after.original[cell.span.start : cell.span.end]
        if blanked(source, unbound) != after.slice(cell.span) or not parses(after.slice(part)):
            return None
    return made


def with_fix(document: Document, fix: Fix) -> Document | None:
    """Returns the document with one fix made; None when that is impossible, or would not parse."""
    edits = edits_in_cells(document, fix.edits)
    if not edits:
        return None
    after = edited(document, edits)
    return after if parts_parse(after) else None


def _edit_in_cell(document: Document, cell: Cell, edit: Edit) -> Edit | None:
    if document.slice(edit.span) != document.original[edit.span.start : edit.span.end]:
        return None
    if cell.span.contains(edit.span):
        return edit
    if edit.text or edit.span.start < cell.span.start or edit.span.end != cell.span.end + 1:
        return None
    # The last row of a cell goes with the line end above it; the one below joins the cell to the next.
    above = document.text[cell.span.start : edit.span.start]
    end_above = 2 if above.endswith("\r\n") else 1 if above.endswith(("\n", "\r")) else 0
    return Edit(Span(edit.span.start - end_above, cell.span.end), "")


def write(before: Document, after: Document) -> str | None:
    """Replaces the file's content by the fixed text. Returns the reason when that is impossible, and then
    nothing changed.

    The new content appears at once or not at all, with the file's mode; a link stays a link. Of a notebook only
    the sources of changed cells are written. Refused when the file no longer holds what was checked, or its
    encoding cannot hold the text.
    """
    path = os.path.realpath(before.path)
    try:
        data = read_source(path)
        new = content(data, before, after)
        handle, temporary = tempfile.mkstemp(prefix=".torchlsp-", dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(new)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except Refused as refusal:
        return str(refusal)
    except OSError as failure:
        return failure.strerror or str(failure)
    return None


def content(data: bytes, before: Document, after: Document) -> bytes:
    """Returns the new content of a file that holds `data`, read as `before`. Raises Refused."""
    return _notebook_content(data, before, after) if before.cells else _content(data, before, after)


def _content(data: bytes, before: Document, after: Document) -> bytes:
    try:
        old, new = before.encode(before.text), after.encode(after.text)
    except (UnicodeEncodeError, LookupError):
        raise Refused(f"the fixed text cannot be written as {before.encoding}") from None
    if data != old:
        raise Refused(_CHANGED)
    return new


def _notebook_content(data: bytes, before: Document, after: Document) -> bytes:
    """Returns a notebook's new content, with what else changed in the file since it was read (outputs) kept."""
    if _cells(read_document(before.path, data)) != _cells(before):
        raise Refused(_CHANGED)
    old, wanted = dict(_cells(before)), _cells(after)
    try:
        new = with_sources(data, {number: source for number, source in wanted if source != old[number]})
    except NotebookProblem as problem:
        raise Refused(str(problem)) from None
    if _cells(read_document(before.path, new)) != wanted:
        raise Refused("its cells cannot be written back as they should be")
    return new


def _cells(document: Document) -> list[tuple[int, str]]:
    return [(cell.number, document.original[cell.span.start : cell.span.end]) for cell in document.cells]
