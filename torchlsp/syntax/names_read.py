"""Lists the names that the statement on a row reads."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def names_read(text: str, row: int) -> tuple[str, ...]:
    """Returns the names that the statement on a row reads, attributes of `self` as `self.name`, those on the row itself first.

    Of a compound statement only the header counts. Empty where no statement stands there, or the text does not parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body: list[ast.stmt] = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    innermost: ast.stmt | None = None
    while body:
        around = [one for one in body if _first_row(one) <= row <= (one.end_lineno or one.lineno)]
        body = [] if not around else list(_statements_in(around[-1]))
        innermost = around[-1] if around else innermost
    if innermost is None:
        return ()
    found = [(node.lineno, node.col_offset, name) for node, name in _names_in(innermost)]
    found.sort(key=lambda one: (one[0] != row, one))
    return tuple(dict.fromkeys(name for _, _, name in found))


def _first_row(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _statements_in(child)


def _names_in(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yields the names that a statement reads itself, not in the statements inside of it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            continue
        match child:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Load()):
                yield child, f"self.{child.attr}"
            case ast.Name(ctx=ast.Load()):
                yield child, child.id
            case _:
                yield from _names_in(child)
    if isinstance(node, ast.AugAssign):
        target = node.target
        match target:
            case ast.Attribute(value=ast.Name(id="self")):
                yield target, f"self.{target.attr}"
            case ast.Name():
                yield target, target.id
