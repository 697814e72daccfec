"""A client's own copy of a text: written anew from the specification, so that the server's is checked against it."""

from __future__ import annotations

import re
from typing import Any

_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def length(text: str, encoding: str) -> int:
    """In code units."""
    return len(text.encode(_CODEC[encoding], "surrogatepass")) // _UNIT[encoding]


def lines(text: str) -> list[tuple[str, str]]:
    """Each line and what ends it: LF, CRLF, CR, and nothing else."""
    parts = re.split(r"(\r\n|\r|\n)", text)
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def position(text: str, offset: int, encoding: str) -> dict[str, int]:
    before = lines(text[:offset])
    # Between CR and LF the line has not ended.
    if text[offset - 1 : offset + 1] == "\r\n" and offset > 0:
        before = lines(text[: offset - 1])
    return {"line": len(before) - 1, "character": length(before[-1][0], encoding)}


def offset(text: str, place: dict[str, int], encoding: str) -> int:
    """A place beyond the end of its line is that end, one beyond the last line the end of the text, and one inside
    a character its start."""
    split = lines(text)
    if place["line"] >= len(split):
        return len(text)
    start = sum(len(line) + len(end) for line, end in split[: place["line"]])
    line = split[place["line"]][0]
    count = 0
    while count < len(line) and length(line[: count + 1], encoding) <= place["character"]:
        count += 1
    return start + count


def span(text: str, word: str, encoding: str, nth: int = 0) -> dict[str, Any]:
    """The range of the nth place of a word."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(word, start + 1)
    return {
        "start": position(text, start, encoding),
        "end": position(text, start + len(word), encoding),
    }


def at(text: str, place: dict[str, Any], encoding: str) -> str:
    """The text in a range."""
    return text[offset(text, place["start"], encoding) : offset(text, place["end"], encoding)]


def edited(text: str, edits: list[dict[str, Any]], encoding: str) -> str:
    """After text edits, which all speak of the text before and must not overlap."""
    places = sorted(
        (offset(text, e["range"]["start"], encoding), offset(text, e["range"]["end"], encoding), e["newText"])
        for e in edits
    )
    for (_, end, _), (start, _, _) in zip(places, places[1:], strict=False):
        assert end <= start, f"edits overlap: {edits}"
    for start, end, new in reversed(places):
        text = text[:start] + new + text[end:]
    return text
