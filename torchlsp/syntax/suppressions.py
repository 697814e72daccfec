"""Reads suppression comments: `# torchlsp: ignore[TL101] reason`, `ignore-file[...]`, and TL codes in `#
noqa:`."""

from __future__ import annotations

import ast
import re
from itertools import chain
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.syntax.lexing import COMMENT, STRING

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.syntax.parse import SyntaxTree

# Strings are matched only to step over them: a comment inside one is no comment.
_STRING_OR_COMMENT = re.compile(rf"{STRING}|(?P<comment>{COMMENT})", re.DOTALL)
_OURS = re.compile(r"#\s*torchlsp:\s*(?P<word>ignore-file|ignore)\b(?:\s*\[(?P<codes>[^\]\r\n]*)\])?")
_NOQA = re.compile(r"#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_TL_CODE = re.compile(r"TL[0-9]+\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suppression:
    """A suppression comment. `codes` are (as written, span); empty means every rule.

    `whole_file` holds for `ignore-file`, which counts only above the first statement (`effective` False
    elsewhere). `ours` is False for `noqa`: there `codes` are the TL codes only, `listed` all of them.
    """

    span: Span
    row: int
    codes: tuple[tuple[str, Span], ...]
    listed: tuple[tuple[str, Span], ...]
    whole_file: bool
    ours: bool
    effective: bool = True


def suppressions(tree: SyntaxTree) -> tuple[Suppression, ...]:
    """Returns all suppression comments of the document, in order; works on text that does not parse."""
    text = tree.document.text
    if "torchlsp:" not in text and "noqa" not in text.lower():
        return ()
    found: list[Suppression] = []
    first = _first_code(tree)
    # A string that a notebook's cell leaves open ends with it.
    parts = (_STRING_OR_COMMENT.finditer(text, part.start, part.end) for part in tree.document.parts)
    for match in chain.from_iterable(parts):
        start = match.start("comment")
        if start < 0:
            continue
        comment = match.group("comment")
        ours = _OURS.search(comment)
        if ours:
            found.append(_own(tree.document, start, ours, first))
            continue
        noqa = _NOQA.search(comment)
        if noqa:
            listed = _codes(noqa.group("codes"), start + noqa.start("codes"))
            codes = tuple(code for code in listed if _TL_CODE.match(code[0]))
            if codes:
                span = Span(start + noqa.start(), start + noqa.end())
                row = tree.document.lines.row(start)
                found.append(Suppression(span, row, codes, listed, whole_file=False, ours=False))
    return tuple(found)


def _own(document: Document, start: int, match: re.Match[str], first: int) -> Suppression:
    listed = match.group("codes")
    codes = _codes(listed, start + match.start("codes")) if listed else ()
    whole_file = match.group("word") == "ignore-file"
    # The span runs to the end of the comment: the reason goes with it.
    end = document.row_span(document.lines.row(start)).end
    return Suppression(
        Span(start + match.start(), end),
        document.lines.row(start),
        codes,
        codes,
        whole_file=whole_file,
        ours=True,
        effective=not whole_file or start < first,
    )


def _codes(listed: str, start: int) -> tuple[tuple[str, Span], ...]:
    return tuple(
        (word.group(), Span(start + word.start(), start + word.end()))
        for word in re.finditer(r"[^,\s]+", listed)
    )


def _first_code(tree: SyntaxTree) -> int:
    """Returns where the first statement begins that is not the docstring; the end of a text with none."""
    end = len(tree.document.text)
    if tree.module is None:
        return end
    for statement in tree.module.body:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
            return tree.document.offset(statement.lineno, statement.col_offset)
    return end
