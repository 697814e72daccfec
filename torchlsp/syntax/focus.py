"""Finds the function that is being edited, and parses it alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.syntax.partial import try_parse
from torchlsp.syntax.statements import first_row

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.syntax.parse import SyntaxTree

_NO_CODE = re.compile(r"[ \t]*(?:#[^\r\n]*)?\Z")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Focus:
    """A top-level function or a method of a top-level class (`owner`): where its `def` is, where the rows of
    its body begin, where its last row ends, and the rows of the top-level statement that it is or is in, with
    what is between that and the next one.
    """

    start: int
    body: int
    end: int
    statement: Span
    owner: str | None


@dataclass(frozen=True, slots=True)
class Alone:
    """A `def` that was parsed alone. `above` are how many rows its positions lie above those in the document,
    `rows` how many rows of that there are."""

    node: ast.stmt
    above: int
    rows: int


def focus_at(tree: SyntaxTree, first: int, behind: int) -> Focus | None:
    """Returns the function that contains all changes between the tree's text and another. None for any other
    change.

    `first` characters were the same before, and `behind` at the end.
    """
    document = tree.document
    lines = document.lines
    row, last = lines.row(first), lines.row(max(len(document.text) - behind, first))
    body = tree.module.body if tree.module is not None else []
    index = next(
        (index for index, one in enumerate(body) if one.lineno <= row <= (one.end_lineno or 0)), None
    )
    if index is None:
        return None
    top = body[index]
    owner = top if isinstance(top, ast.ClassDef) else None
    for node in owner.body if owner is not None else body[index : index + 1]:
        if isinstance(node, _FUNCTIONS) and node.lineno <= row <= last <= (node.end_lineno or 0):
            below = (
                lines.starts[first_row(body[index + 1]) - 1] if index + 1 < len(body) else len(document.text)
            )
            statement = Span(lines.starts[first_row(body[index]) - 1], below)
            found = _focus(document, node, statement, owner.name if owner is not None else None)
            return found if found is not None and found.body <= first else None
    return None


def functions_of(tree: SyntaxTree) -> Iterator[Focus]:
    """Yields all functions that can be parsed alone, in their order."""
    document = tree.document
    lines = document.lines
    body = tree.module.body if tree.module is not None else []
    for index, top in enumerate(body):
        owner = top if isinstance(top, ast.ClassDef) else None
        functions = [
            one for one in (owner.body if owner is not None else (top,)) if isinstance(one, _FUNCTIONS)
        ]
        if functions:
            is_last = index + 1 == len(body)
            below = len(document.text) if is_last else lines.starts[first_row(body[index + 1]) - 1]
            statement = Span(lines.starts[first_row(top) - 1], below)
            for node in functions:
                found = _focus(document, node, statement, None if owner is None else owner.name)
                if found is not None:
                    yield found


def _focus(
    document: Document, node: ast.FunctionDef | ast.AsyncFunctionDef, statement: Span, owner: str | None
) -> Focus | None:
    """Returns the focus; None where a row holds something of the body and of something else."""
    span, inside = document.span_of(node), document.span_of(node.body[0])
    begin = document.lines.starts[node.body[0].lineno - 1]
    end = document.row_span(document.lines.row(span.end)).end
    if document.text[begin : inside.start].strip() or not _NO_CODE.match(document.text[span.end : end]):
        return None
    return Focus(span.start, begin, end, statement, owner)


def parse_alone(document: Document, start: int, end: int) -> Alone | bool:
    """Returns the function whose `def` is at `start`, first on its row, and whose rows end at `end`.

    False where the rows do not parse, True where they are something else than one function.
    """
    row = document.lines.row(start)
    begin = document.lines.starts[row - 1]
    # What stands above a method is at its class's indentation.
    above = "if 1:\n" if begin < start else ""
    rows = document.text[begin:end]
    module, _ = try_parse(f"{above}{rows}\n")
    if module is None:
        return False
    body = module.body
    if above:
        body = body[0].body if len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse else []
    if len(body) != 1 or not isinstance(body[0], _FUNCTIONS):
        return True
    return Alone(body[0], row - 1 - bool(above), rows.count("\n") + rows.count("\r") + 4)


def statement_around(document: Document, code: Alone | SyntaxTree, first: int, last: int) -> Span | None:
    """Returns the span of the innermost statements that hold or touch a part of a text. None where it is between two of a block.

    `code` is what was parsed of the text. What is in the header of a compound statement, or between two of its blocks, is in
    the whole statement.
    """
    if isinstance(code, Alone):
        return _innermost(document, [ast.increment_lineno(code.node, code.above)], first, last)
    return None if code.module is None else _innermost(document, code.module.body, first, last)


def _innermost(document: Document, body: Sequence[ast.stmt], first: int, last: int) -> Span | None:
    spans = [document.span_of(one) for one in body]
    touched = [number for number, span in enumerate(spans) if span.start <= last and first <= span.end]
    if not touched:
        return None
    if len(touched) == 1:
        for block in _blocks(body[touched[0]]):
            if document.span_of(block[0]).start <= first and last <= document.span_of(block[-1]).end:
                return _innermost(document, block, first, last)
    return Span(spans[touched[0]].start, spans[touched[-1]].end)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yields the blocks of a compound statement that are not empty."""
    for part in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(part, name, None)
            if isinstance(block, list) and block:
                yield block
