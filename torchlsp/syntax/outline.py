"""Parses an imported file without its functions, whose bodies are parsed on demand.

Most functions of an imported file are never called, and parsing them is most of the work.  Bodies are found by their
indentation, in a copy of the text in which strings and comments are blank; what is left is parsed as it stands, with every row
in its place.  Whatever does not fit this picture (a tab, a row that is indented less inside brackets) makes something not
parse, and then the whole file is parsed as ever.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.syntax.partial import try_parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlsp.core.text import Document

MIN_BODY_LENGTH = 120
"""Shorter bodies are parsed at once: parsing them later costs more."""

_NO_CODE = re.compile(
    r"""
    \"\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"\"\"
    | '''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
    | "[^"\\\n]*(?:\\.[^"\\\n]*)*"
    | '[^'\\\n]*(?:\\.[^'\\\n]*)*'
    | \#[^\n]*
    | \\\n
    """,
    re.VERBOSE | re.DOTALL,
)
_UNFIT = re.compile(r"[\t\r\f\0]")
_DEFINES = re.compile(r"(?:async +)?def\b")
_ROWS = re.compile(r"^[^\s)\]}]", re.MULTILINE)
_INDENTED_ROW = re.compile(r"^( *)[^\s)\]}]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a function's body, whole rows, and where its last statement ends."""

    span: Span
    end: int


@dataclass(slots=True)
class Outline:
    """A file in which the body of some functions is `0`: `bodies` has their text, by the row of the `def`."""

    module: ast.Module | None
    bodies: dict[int, Body]
    weight: int
    """The number of characters that were parsed."""

    def take(self, document: Document) -> ast.Module:
        """Returns the tree, which is not kept: it is lowered once as a rule, and takes more memory than all
        the rest."""
        taken, self.module = self.module, None
        if taken is None:
            again = outline(document)
            assert again is not None and again.module is not None  # of the same text
            return again.module
        return taken


def outline(document: Document) -> Outline | None:
    """Returns the outline; None where the file must be parsed as a whole."""
    text = document.text
    if document.decode_problem is not None or document.cells or _UNFIT.search(text):
        return None
    masked = _NO_CODE.sub(_blank, text)
    if '"' in masked or "'" in masked:
        return None  # a string that is read otherwise than here: quotes inside an f-string's braces
    parts: list[str] = []
    bodies: dict[int, Body] = {}
    done = 0
    row = document.lines.row
    for start, colon, span in _bodies(masked):
        end = _end(masked, span)
        if end is None:
            return None
        bodies[row(start)] = Body(span, end)
        parts += (text[done : colon + 1], "0", "\n" * text.count("\n", colon, span.end))
        done = span.end
    parts.append(text[done:])
    skeleton = "".join(parts)
    module, _ = try_parse(skeleton)
    if module is None or not bodies or _put_ends(document, module, bodies) != len(bodies):
        return None
    return Outline(module, bodies, len(skeleton))


def _put_ends(document: Document, module: ast.Module, bodies: dict[int, Body]) -> int:
    """Restores the ends of functions without their bodies; returns how many there are."""
    count = 0
    for statement in module.body:
        if type(statement) in _FUNCTIONS and statement.lineno in bodies:
            _put_end(document, statement, bodies[statement.lineno].end)
            count += 1
        elif type(statement) is ast.ClassDef:
            for inner in statement.body:
                if type(inner) in _FUNCTIONS and inner.lineno in bodies:
                    _put_end(document, inner, bodies[inner.lineno].end)
                    count += 1
            last = statement.body[-1]
            statement.end_lineno, statement.end_col_offset = last.end_lineno, last.end_col_offset
    return count


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _put_end(document: Document, node: ast.stmt, end: int) -> None:
    row = document.lines.row(end)
    node.end_lineno = row
    node.end_col_offset = len(document.text[document.lines.starts[row - 1] : end].encode())


def _blank(found: re.Match[str]) -> str:
    """Replaces comments and joined rows by spaces, and a string, line ends inside included, by a word."""
    text = found.group()
    return (" " if text[0] in "#\\" else "_") * len(text)


def _bodies(masked: str) -> Iterator[tuple[int, int, Span]]:
    """Returns, for top-level functions and methods of top-level classes, where the `def` is, the colon, and
    the rows."""
    starts = [found.start() for found in _ROWS.finditer(masked)]
    for start, end in pairwise([*starts, len(masked)]):
        if end - start < MIN_BODY_LENGTH:
            continue
        if masked.startswith(("def ", "async "), start):
            yield from _body(masked, start, end)
        elif masked.startswith("class ", start):
            yield from _methods(masked, start, end)


def _methods(masked: str, start: int, end: int) -> Iterator[tuple[int, int, Span]]:
    colon = _colon(masked, start, end)
    first = _INDENTED_ROW.search(masked, colon, end) if colon is not None else None
    if first is None:
        return
    indent = first.group(1)
    rows = re.compile(rf"^{indent}[^\s)\]}}]", re.MULTILINE)
    starts = [found.start() for found in rows.finditer(masked, first.start(), end)]
    for row, after in pairwise([*starts, end]):
        if after - row >= MIN_BODY_LENGTH:
            yield from _body(masked, row + len(indent), after)


def _body(masked: str, start: int, end: int) -> Iterator[tuple[int, int, Span]]:
    if not _DEFINES.match(masked, start):
        return
    colon = _colon(masked, start, end)
    if colon is None:
        return
    first = masked.find("\n", colon) + 1
    if end - first >= MIN_BODY_LENGTH:
        yield start, colon, Span(first, end)


def _colon(masked: str, start: int, end: int) -> int | None:
    """Returns the colon that ends the header of a definition; None when more follows it."""
    row_end = start
    while True:
        row_end = masked.find("\n", row_end + 1, end)
        if row_end < 0:
            return None
        header = masked[start:row_end]
        if all(header.count(one) == header.count(other) for one, other in ("()", "[]", "{}")):
            header = header.rstrip()
            return start + len(header) - 1 if header.endswith(":") else None


def _end(masked: str, span: Span) -> int | None:
    """Returns where the last statement of a body ends."""
    code = masked[span.start : span.end].rstrip()
    # A semicolon may end a statement and is no part of it.
    return None if not code or code.endswith(";") else span.start + len(code)
