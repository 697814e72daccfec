"""Describes how a program can end, and reads such a description from a process that is not trusted to keep to the form."""

from __future__ import annotations

import unicodedata

MAX_TEXT_LENGTH = 2000
MAX_NAME_LENGTH = 200
# Ends that a program's own process may tell; that it hung or died is seen from outside.
OUTCOMES = (
    "passed",
    "raised",
    "deadlock",
    "mismatch",
    "denied",
    "resource",
    "import",
    "syntax",
    "unsupported",
)
RANKS = tuple(map(str, range(8)))


def ended(outcome, name, text):
    # type: (str, str, str) -> dict
    """Returns the result of a program that has no place of an error."""
    error = {"class": name, "text": text, "row": None}
    return {"outcome": outcome, "error": error, "reached": None, "lines": None, "ms": None}


def read(told):
    # type: (object) -> dict
    """Returns a result with its texts cleaned. Raises ValueError, KeyError or TypeError for what is not one: a
    program that got past the gate can write what it likes, but spoils nothing except its own result."""
    error, lines, outcome, reached, ms = (
        told[name] for name in ("error", "lines", "outcome", "reached", "ms")
    )
    if outcome not in OUTCOMES or (outcome == "passed") != (error is None):
        raise ValueError("outcome")
    if not (reached is None or type(reached) is bool) or not (ms is None or type(ms) in (int, float)):
        raise ValueError("reached")
    if error is not None:
        name, text = clean(error["class"], MAX_NAME_LENGTH), clean(error["text"], MAX_TEXT_LENGTH + 20)
        error = {"class": name, "text": text, "row": _row(error["row"])}
    if lines is not None:
        lines = {RANKS[RANKS.index(rank)]: _row(row) for rank, row in dict(lines).items()}
    return {"outcome": outcome, "error": error, "reached": reached, "lines": lines, "ms": ms}


def _row(told):
    # type: (object) -> object
    if told is not None and type(told) is not int:
        raise ValueError("row")
    return told


def clean(text, limit=MAX_TEXT_LENGTH):
    # type: (str, int) -> str
    """Returns at most 2 kB of text, without control characters, direction marks and halves of characters."""
    if not isinstance(text, str):
        raise TypeError("text")
    kept = [
        one if one == "\n" or not unicodedata.category(one).startswith("C") else " " for one in text[:limit]
    ]
    return "".join(kept).encode("utf-8")[:limit].decode("utf-8", "ignore")
