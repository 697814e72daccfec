"""Finds the statements around a place in an `ast`."""

from __future__ import annotations

import ast
from bisect import bisect_right
from typing import TYPE_CHECKING

from torchlsp.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlsp.core.text import Document
    from torchlsp.syntax.parse import SyntaxTree


def enclosing_statements(tree: SyntaxTree, span: Span) -> list[ast.stmt]:
    """Returns the statements that contain the whole span, outermost first; empty when it lies outside all."""
    found: list[ast.stmt] = []
    # What was left out may be all that the rest need not be read for.
    if any(left_out.contains(span) for left_out in tree.blanked) or tree.module is None:
        return found
    document = tree.document

    def first_place(statement: ast.stmt) -> tuple[int, int]:
        first = first_row(statement)
        return first, document.offset(first, statement.col_offset) if first == row else 0

    bodies: list[list[ast.stmt]] = [tree.module.body]
    row = document.lines.row(span.start)
    while bodies:
        body = bodies.pop()
        # Several statements can share a row: look back from the last that begins at or before the place.
        index = bisect_right(body, (row, span.start), key=first_place) - 1
        while index >= 0:
            whole = statement_span(document, body[index])
            if whole.contains(span):
                found.append(body[index])
                bodies = list(_bodies(body[index]))
                break
            if whole.end <= span.start and whole.end < document.lines.starts[row - 1]:
                break
            index -= 1
    return found


def statement_span(document: Document, statement: ast.stmt) -> Span:
    """Returns the whole statement, decorators included."""
    span = document.span_of(statement)
    decorators = getattr(statement, "decorator_list", None)
    if decorators:
        first = decorators[0]
        at = document.text.rfind("@", 0, document.offset(first.lineno, first.col_offset))
        return Span(at, span.end)
    return span


def first_row(statement: ast.stmt) -> int:
    """Returns the row (from 1) where the statement begins; with decorators, the first decorator's expression."""
    decorators = getattr(statement, "decorator_list", None)
    if decorators:
        return min(statement.lineno, decorators[0].lineno)
    return statement.lineno


def scope_name(tree: SyntaxTree, span: Span) -> str:
    """Returns the dotted name of the function or class around a place, as in "Net.forward". "" at module
    level."""
    names = [
        statement.name
        for statement in enclosing_statements(tree, span)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    return ".".join(names)


def statement_row(tree: SyntaxTree, span: Span) -> int | None:
    """Returns the first row of the smallest statement around a place."""
    around = enclosing_statements(tree, span)
    if not around:
        return None
    return tree.document.lines.row(statement_span(tree.document, around[-1]).start)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(statement, name, None)
        if body:
            yield body
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body
