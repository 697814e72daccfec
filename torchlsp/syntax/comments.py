"""Finds rows where a comment can be added without changing the program."""

from __future__ import annotations

import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.core.text import Document


def rows_that_take_a_comment(document: Document) -> frozenset[int]:
    """Returns the rows (from 1) that end outside strings and backslash continuations.

    Of a text that Python's tokenizer cannot read to its end, those above the place where it stops.
    """
    rows = iter([f"{document.line_text(row)}\n" for row in document.rows])
    found: set[int] = set()
    try:
        for token in tokenize.generate_tokens(lambda: next(rows, "")):
            if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT):
                found.add(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        pass
    return frozenset(found)
