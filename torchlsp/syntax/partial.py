"""Parses the valid parts of a text with errors, and reports what is wrong with the rest."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span

if TYPE_CHECKING:
    from torchlsp.core.text import Document

# How many neighbouring chunks an unclosed bracket or string may swallow before it is called broken.
_MAX_MERGE_LENGTH = 40
# The same over a whole file: each try parses again, and this bounds the time a broken file can take.
_MAX_MERGES = 400

# `else` and the like continue the statement above them, as do closing brackets.
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")
# A comment with half of a surrogate pair (JSON can hold one) is no comment to the parser.
_NO_CODE = re.compile(r"[ \t\f]*(?:#[^\r\n\ud800-\udfff]*)?(?:[\r\n]|\Z)")
_NOT_NEWLINE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """The reason why (a part of) a document was not parsed.

    `kind` is "syntax", "newer-python" (no mistake: a later Python reads it), "older-python" (Python 2), "ipython", "encoding", "null-byte",
    "too-deep" or "too-large".
    """

    span: Span
    message: str
    kind: str = "syntax"


def problems_of_parts(document: Document, blanked: tuple[Span, ...]) -> tuple[SyntaxProblem, ...]:
    """Returns the first problem of each cell that has one."""
    problems: list[SyntaxProblem] = []
    for part in document.parts:
        module, failure = try_parse(document.slice(part))
        if module is not None:
            continue
        index = bisect_left(blanked, part.start, key=lambda span: span.start)
        first = blanked[index] if index < len(blanked) and part.contains(blanked[index]) else part
        newer = newer_python(document, document.text, first, part)
        problems.append(newer or problem_of(document, failure, first.start, part))
    return tuple(problems)


def parses(text: str) -> bool:
    """Returns whether the running Python can read this text as a module."""
    return "\0" not in text and try_parse(text)[0] is not None


def parts_parse(document: Document) -> bool:
    """Returns whether the running Python can read the document, each cell of a notebook by itself."""
    return all(parses(document.slice(part)) for part in document.parts)


def try_parse(text: str) -> tuple[ast.Module | None, Exception | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text), None
        except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
            return None, failure


def problem_of(
    document: Document, failure: Exception | None, first_blanked: int, part: Span
) -> SyntaxProblem:
    """Returns the parser's error for a part of the document."""
    if isinstance(failure, UnicodeEncodeError):
        span = document.row_span(document.lines.row(first_blanked))
        return SyntaxProblem(span, "half of a surrogate pair stands alone here")
    if not isinstance(failure, SyntaxError):
        # A RecursionError or MemoryError has no place of its own.
        span = document.row_span(document.lines.row(first_blanked))
        return SyntaxProblem(span, "nested too deeply for Python's parser", "too-deep")
    message = failure.msg or "invalid syntax"
    starts = document.lines.starts
    kind = "syntax"
    last_row = len(starts) if part.end == len(document.text) else document.lines.row(part.end - 1)
    row = min(document.lines.row(part.start) + max(failure.lineno or 1, 1) - 1, last_row)
    line = document.row_span(row)
    if _OF_IPYTHON.match(document.text, line.start):
        message, kind = "a line for IPython, which Python does not read", "ipython"
    # SyntaxError counts columns in code points from 1 (0 or None: unknown).
    start = min(line.start + max((failure.offset or 1) - 1, 0), line.end)
    end = start + 1
    if failure.end_lineno == failure.lineno and failure.end_offset and failure.end_offset > 0:
        end = max(line.start + failure.end_offset - 1, start + 1)
    end = max(start, min(end, line.end))
    return SyntaxProblem(Span(start, end), message, kind)


_OF_IPYTHON = re.compile(r"[ \t]*(?:![ \t]*\w|%{1,2}[a-z])")
"""How a row begins that only IPython reads, in a script that was written for it or made from a notebook."""


def parse_intact(
    document: Document, text: str
) -> tuple[ast.Module | None, tuple[Span, ...], SyntaxProblem | None]:
    """Returns the module of the top-level statements that parse alone, the spans of the others, and, when the
    first of those needs a newer Python, the problem that says so."""
    blanked: list[Span] = []
    chunks = [chunk for part in document.parts for chunk in _top_level_chunks(document, part)]
    part_ends = {part.end for part in document.parts}
    merges_left = _MAX_MERGES
    number = 0
    while number < len(chunks):
        chunk = chunks[number]
        last = number
        module, failure = try_parse(text[chunk.start : chunk.end])
        if module is None and _unclosed(failure):
            furthest = min(number + min(_MAX_MERGE_LENGTH, merges_left), len(chunks))
            for later in range(number + 1, furthest):
                if chunks[later - 1].end in part_ends:
                    break
                merges_left -= 1
                merged, _ = try_parse(text[chunk.start : chunks[later].end])
                if merged is not None:
                    module, last = merged, later
                    break
        if module is None:
            blanked.append(chunk)
        number = last + 1
    if not blanked:
        # A null byte in a comment, which the caller has replaced.
        module, _ = try_parse(text)
        return module, () if module is not None else (Span(0, len(text)),), None
    parts: list[str] = []
    done = 0
    for span in blanked:
        parts.append(text[done : span.start])
        parts.append(_NOT_NEWLINE.sub(" ", text[span.start : span.end]))
        done = span.end
    parts.append(text[done:])
    # A blank is one byte where the character may have been several: harmless, blanked rows hold no node.
    module, _ = try_parse("".join(parts))
    whole = next(part for part in document.parts if part.start <= blanked[0].start < max(part.end, 1))
    newer = newer_python(document, text, blanked[0], whole)
    if module is None:
        return None, (Span(0, len(text)),), newer
    return module, tuple(blanked), newer


def is_settled_inside(failure: Exception | None, text: str) -> bool:
    """Returns whether a failure is that of any longer text, too: it is above the last row, and is not about
    what is missing there."""
    if not isinstance(failure, SyntaxError) or _unclosed(failure):
        return False
    last = text.rstrip().count("\n") + text.rstrip().count("\r") + 1
    return max(failure.lineno or last, failure.end_lineno or 0) < last


def _unclosed(failure: Exception | None) -> bool:
    """Returns whether text that follows may resolve the failure."""
    if not isinstance(failure, SyntaxError):
        return False
    message = failure.msg or ""
    return (
        "never closed" in message
        or "unterminated triple-quoted" in message
        or "EOF" in message
        or "expected 'except' or 'finally' block" in message
    )


def _top_level_chunks(document: Document, part: Span) -> list[Span]:
    """Returns runs of whole rows, together the part, that each begin where a top-level statement may begin."""
    text = document.text
    starts = document.lines.starts
    bounds: list[int] = []
    after_decorator = False
    for row in range(bisect_left(starts, part.start), bisect_left(starts, part.end)):
        start = starts[row]
        if not bounds and not _NO_CODE.match(text, start):
            # Whatever comes first must be in some run, to be left out if it does not parse.
            bounds.append(start)
            after_decorator = text[start] == "@"
            continue
        first = text[start : start + 1]
        if not first or first in " \t\f\r\n#\\" or _CONTINUES.match(text, start):
            continue
        if not after_decorator:
            bounds.append(start)
        after_decorator = first == "@"
    return [Span(start, end) for start, end in pairwise([*bounds, part.end])]


def newer_python(
    document: Document, text: str, chunk: Span, part: Span | None = None
) -> SyntaxProblem | None:
    """Returns a problem of kind "newer-python" if libCST reads the chunk, or the whole part of the document around it, and finds
    in it a form that the running Python does not know; libCST alone accepts more than any Python does."""
    from torchlsp.syntax.newer import newest_form

    # the chunk may end too early: a row inside a string looks like the begin of a statement
    for tried in dict.fromkeys((chunk, part or chunk)):
        found = (
            None
            if tried.length > 200_000
            else newest_form(text[tried.start : tried.end], sys.version_info[:2])
        )
        if found is not None:
            break
    else:
        return None
    span = Span(tried.start + found.start, tried.start + found.end)
    needed = f"{found.version[0]}.{found.version[1]}"
    message = f"{found.form} needs Python {needed} or later to be read"
    return SyntaxProblem(span, message, "newer-python")
