"""Renders the changes of fixes as a unified diff."""

from __future__ import annotations

import os
from difflib import unified_diff
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlsp.engine.engine import Change


def unified(change: Change, context: int = 3) -> Iterator[str]:
    """Yields the lines of the diff with their ends, and with `context` unchanged lines around a change.

    A notebook has one diff for each changed cell, which a person can read and no patch program apply.
    """
    path = change.document.path.replace(os.sep, "/")
    if not change.document.cells:
        yield from _diff(
            change.document.text,
            change.fixed.text,
            _name_in_header(f"a/{path}"),
            _name_in_header(f"b/{path}"),
            context,
        )
        return
    for before, after in zip(change.document.cells, change.fixed.cells, strict=True):
        name = _name_in_header(f"{path}:cell {before.number}")
        old = change.document.original[before.span.start : before.span.end]
        new = change.fixed.original[after.span.start : after.span.end]
        yield from _diff(_ended(old), _ended(new), name, name, context)


def _name_in_header(path: str) -> str:
    """Quotes a name that would drive a terminal or break the header, as git does."""
    if path.isprintable():
        return path
    escaped = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    parts = [
        escaped.get(one)
        or (one if one.isprintable() else "".join(f"\\{byte:03o}" for byte in os.fsencode(one)))
        for one in path
    ]
    return f'"{"".join(parts)}"'


def _diff(old: str, new: str, old_name: str, new_name: str, context: int) -> Iterator[str]:
    for line in unified_diff(_lines(old), _lines(new), old_name, new_name, n=context):
        if line.endswith("\n"):
            yield line
        else:
            yield line + "\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Splits text into rows with their ends, as a patch program does: form feeds do not end a row."""
    rows = text.split("\n")
    return [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def _ended(source: str) -> str:
    """Adds the missing end of a cell's last row, which a diff need not mention."""
    return source if source.endswith("\n") or not source else source + "\n"
