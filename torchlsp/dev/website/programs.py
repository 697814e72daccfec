"""Renders the programs of pages and notes for the site: labelled, a wrong one beside the right one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Protocol

_EXPECT = re.compile(r"\s*# expect: (?:[A-Z0-9, ]+?)(?: \(info\))?\s*$")
_OK = re.compile(r"# ok: ")
_MAX_MESSAGE_LENGTH = 90
_NEEDS = {"cuda": "on a GPU", "cuda-emulated": "on a GPU"}


class Program(Protocol):
    """A block of a rule's page, or of a note."""

    @property
    def role(self) -> str: ...
    @property
    def source(self) -> str: ...
    def attr(self, name: str, default: str = "") -> str: ...


def shown_source(source: str) -> str:
    """Returns a program without the markers of tests; what they say to readers stays as a comment."""
    return "".join(f"{_OK.sub('# ', _EXPECT.sub('', line))}\n" for line in source.rstrip("\n").split("\n"))


def labelled(program: Program, label: str, marked: Sequence[int] = ()) -> str:
    """Returns a fence below a label, with some rows (1-based) marked."""
    source = shown_source(program.source)
    ticks = "`" * max(3, 1 + max(map(len, re.findall(r"`+", source)), default=0))
    rows = f' hl_lines="{" ".join(map(str, marked))}"' if marked else ""
    return f'{ticks}python title="{_attribute(label)}"{rows}\n{source}{ticks}'


def wrong(program: Program) -> str:
    """Returns a wrong program with the error that it ends with; the rows that are reported are marked."""
    expected = [
        number
        for number, line in enumerate(program.source.split("\n"), 1)
        if _EXPECT.search(line) is not None
    ]
    return labelled(program, _ending(program), expected)


def side_by_side(bad: Program, right: Program, label: str) -> str:
    """Returns a wrong program and the right one, in two columns where the window is wide enough."""
    changed = _changed_rows(shown_source(bad.source), shown_source(right.source))
    columns = (wrong(bad), labelled(right, label, changed))
    inner = "\n\n".join(
        f'<div class="{kind}" markdown>\n\n{column}\n\n</div>'
        for kind, column in zip(("wrong", "right"), columns, strict=True)
    )
    return f'<div class="sides" markdown>\n\n{inner}\n\n</div>'


def folded(title: str, text: str) -> str:
    """Returns text that is shown after a click."""
    body = "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
    return f'??? note "{_attribute(title)}"\n\n{body}'


def _ending(program: Program) -> str:
    """Words how a wrong program ends, as far as its page says it."""
    message = re.sub(r"\\(.)", r"\1", program.attr("raises").replace(".*", "…"))
    where = _NEEDS.get(program.attr("needs"), "")
    if program.attr("world"):
        where = f"on {program.attr('world')} ranks"
    label = f"Bad, {where}" if where else "Bad"
    if message == "hang":
        return f"{label}: never ends"
    if len(message) > _MAX_MESSAGE_LENGTH:
        message = message[:_MAX_MESSAGE_LENGTH].rsplit(" ", 1)[0] + " …"
    return f"{label}: {message}" if message else label


def _changed_rows(before: str, after: str) -> list[int]:
    """Returns the rows (1-based) of `after` that `before` does not have."""
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    return [
        row + 1
        for kind, _, _, start, end in matcher.get_opcodes()
        if kind in ("replace", "insert")
        for row in range(start, end)
    ]


def _attribute(text: str) -> str:
    return " ".join(text.split()).replace('"', "'")
