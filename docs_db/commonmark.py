"""Writes pieces of CommonMark: fences and their content, lists, quotations, and text that must not be parsed
as one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.docs_db.inline import without_roles

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"\(?(\d{1,3}|#)[.)]$")
_CODE_LINE = re.compile(
    r"(?:import |from \S+ import |def |class |with .+:$|for .+:$|if .+:$|@\w|return\b|#|\$ |%|pip |python |torchrun )"
    r"|[\w.\[\], ]+ (?:[-+*/@]?=) \S|[\w.]+\(.*\)?,?$"
)


def quoted(title: str, blocks: Sequence[str]) -> str:
    text = "\n\n".join([f"**{title}**", *blocks])
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def listed(items: Sequence[tuple[str, list[str]]]) -> str:
    """Joins items without empty lines between them, unless one has several blocks."""
    drawn = []
    for number, (mark, blocks) in enumerate(items, 1):
        start = f"{number}. " if _NUMBER.match(mark) else "- "
        if kind_of_mark(mark) == "letter":
            blocks = [f"{mark} {blocks[0]}", *blocks[1:]] if blocks else [mark]
        text = "\n\n".join(blocks) or "\u200b"
        pad = " " * len(start)
        drawn.append(start + "\n".join(pad + line if line else "" for line in text.split("\n"))[len(pad) :])
    loose = any("\n\n" in text for text in drawn)
    return ("\n\n" if loose else "\n").join(drawn)


def kind_of_mark(mark: str) -> str:
    return "number" if _NUMBER.match(mark) else "letter" if mark.strip("().").isalpha() else "bullet"


def fenced(lines: Sequence[str], language: str) -> str:
    text = without_roles("\n".join(dedented(lines)).strip("\n"))
    if not text.strip():
        return ""
    longest = max((len(ticks) for ticks in re.findall(r"^ *(`{3,})", text, re.MULTILINE)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def at_line_start(text: str) -> str:
    """Escapes what would turn a paragraph into a list, a heading or a quotation."""
    found = re.match(r"(?:[-+#>=]|\d{1,9}[.)])(?=\s|$|#)|>|#{1,6}(?=\s)|={2,}$|-{2,}$", text)
    if found is None:
        return text
    if text[0].isdigit():
        return f"{found[0][:-1]}\\{text[len(found[0]) - 1 :]}"
    return f"\\{text}"


def dedented(lines: Sequence[str]) -> list[str]:
    least = min((indentation(line) for line in lines if line.strip()), default=0)
    return [line[least:] if line.strip() else "" for line in lines]


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_code(body: Sequence[str], *, is_certain: bool) -> bool:
    filled = [line.strip() for line in body if line.strip()]
    if any(line.startswith((">>>", "```", ".. ")) for line in filled):
        # Told apart, prose and examples both show as what they are.
        return False
    if is_certain:
        return True
    return bool(filled) and bool(_CODE_LINE.match(filled[0])) and not filled[0].endswith(".")
