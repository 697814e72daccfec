"""Reads the pages of the rules: one Markdown file that is documentation, static test and executed proof at
once.

A page is read line by line, without a Markdown library::

    # TL101 view-on-noncontiguous          title: code and name
    *error · correctness · on by default*  what the rule declares: severity, group, whether it is on by default
    One sentence.                          summary: the next paragraph
    ## What goes wrong                     sections: SECTIONS, in this order
    ```python bad raises="…"               blocks: the role, then attributes

Roles: ``bad`` and ``good`` are programs, ``fixed`` is the bad program before it with the rule's first fix applied,
``watch`` runs before every program of the page and records what ``proof`` asks about afterwards.
``at`` is the line that raises where it is not the one of the finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass

if TYPE_CHECKING:
    from torchlsp.lint.question import RuleInfo

SECTIONS = ("What goes wrong", "Bad", "Good", "Fix safety", "When to ignore it", "Sources")
ROLES = ("bad", "good", "fixed", "watch", "proof")
ATTRIBUTES = ("raises", "world", "needs", "slow", "at")

FIXED = "**Fixed:**"
"""The label of a block that shows the program before it with the rule's fix applied."""
NOTATION_LINK = "[How facts are written](../notation.md)"
"""The last line of each page."""
NOTATION_PAGE = Path(__file__).parents[1] / "rules" / "notation.md"

_TITLE = re.compile(r"# (TL\d{3}) ([a-z0-9]+(?:-[a-z0-9]+)*)$")
_DECLARED = re.compile(r"\*([^*]+ · [^*]+)\*$")
_FENCE = re.compile(r"(`{3,})\s*(.*)$")
_ATTRIBUTE = re.compile(r'\s*([a-z-]+)(?:=(?:"([^"]*)"|(\S+)))?')
_EXPECT = re.compile(r"\s*# expect: ([A-Z0-9, ]+?)\s*$")
_REMARK = re.compile(r"\s*# ok: .*$")


class PageError(ValueError):
    """A page that does not have the form described above; the message begins with ``file:line:``."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A finding of `code` that must be reported on `line` (1-based, within the block)."""

    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Block:
    """One executable fence; `line` is the page's line (1-based) of the first line of `source`."""

    role: str
    attrs: tuple[tuple[str, str], ...]
    source: str
    line: int
    section: str
    expectations: tuple[Expectation, ...]

    def attr(self, name: str, default: str = "") -> str:
        return dict(self.attrs).get(name, default)

    @property
    def plain(self) -> str:
        """Returns the program without the comments that are meant for the tests."""
        lines = (_REMARK.sub("", _EXPECT.sub("", line)) for line in self.source.splitlines())
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    path: Path
    code: str
    name: str
    declared: str
    summary: str
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]

    def section(self, title: str) -> str:
        """Returns the Markdown below ``## title``; empty when the page has no such section."""
        return next((s.text for s in self.sections if s.title == title), "")

    def of_role(self, *roles: str) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.role in roles)

    @property
    def fixes(self) -> tuple[tuple[Block, Block], ...]:
        """Pairs each bad block with the block that shows it after the rule's first fix."""
        pairs = zip(self.blocks, self.blocks[1:], strict=False)
        return tuple((before, after) for before, after in pairs if after.role == "fixed")

    @property
    def markdown(self) -> str:
        """Writes the page for readers: fences without attributes, a label above what is corrected, no comments that
        are meant for the tests, and the notation of facts where the page has a link to it."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        if lines and lines[-1] == NOTATION_LINK:
            lines[-1:] = ["## Notation", *notation().splitlines()[1:]]
        return "\n".join(_shown(lines)) + "\n"


def notation() -> str:
    """Returns the page on how facts are written."""
    return NOTATION_PAGE.read_text(encoding="utf-8")


def load_page(path: Path) -> Page:
    """Reads one page; raises PageError where its form is broken."""
    return parse_page(path.read_text(encoding="utf-8"), path)


def declared(info: RuleInfo) -> str:
    """Words what a rule declares, as its page has it below the title."""
    default = "on by default" if info.is_default else "off by default"
    return " · ".join([info.severity.value, info.group, default, *(["preview"] if info.preview else [])])


def parse_page(text: str, path: Path) -> Page:
    lines = text.splitlines()
    title = _TITLE.match(lines[0]) if lines else None
    if title is None:
        raise PageError(f"{path}:1: the first line must read `# TL101 name-of-the-rule`")
    headings = [i for i, line in _outside_fences(lines, path) if line.startswith("## ")]
    sections = tuple(
        Section(lines[start][3:].strip(), "\n".join(lines[start + 1 : end]).strip(), start + 1)
        for start, end in zip(headings, [*headings, len(lines)][1:], strict=True)
    )
    opening = _paragraphs(lines[1 : headings[0] if headings else len(lines)])
    found = _DECLARED.match(opening[0]) if opening else None
    return Page(
        path=path,
        code=title[1],
        name=title[2],
        declared=found[1] if found else "",
        summary=opening[1 if found else 0] if len(opening) > bool(found) else "",
        sections=sections,
        blocks=tuple(_blocks(lines, path)),
    )


def page_paths(folder: Path) -> tuple[Path, ...]:
    """Lists every page below `folder`, whose subfolders are the families of rules."""
    return tuple(sorted(folder.glob("*/*.md")))


def _paragraphs(lines: list[str]) -> list[str]:
    text = "\n".join(lines).strip()
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]


def _fences(lines: list[str], path: Path) -> Iterator[tuple[int, int, str]]:
    """Yields (line index of the opening, of the closing, info string) of every fenced block."""
    opening: tuple[int, str, str] | None = None
    for index, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opening is None:
            opening = index, fence[1], fence[2].strip()
        elif fence[1] == opening[1] and not fence[2].strip():
            yield opening[0], index, opening[2]
            opening = None
    if opening is not None:
        raise PageError(f"{path}:{opening[0] + 1}: this block is never closed")


def _outside_fences(lines: list[str], path: Path) -> Iterator[tuple[int, str]]:
    inside = {i for start, end, _ in _fences(lines, path) for i in range(start, end + 1)}
    return ((i, line) for i, line in enumerate(lines) if i not in inside)


def _blocks(lines: list[str], path: Path) -> Iterator[Block]:
    section, previous = "", ""
    headings = {i: line[3:].strip() for i, line in _outside_fences(lines, path) if line.startswith("## ")}
    for start, end, info in _fences(lines, path):
        words = info.split(None, 2)
        if words[:1] != ["python"] or len(words) == 1:
            continue
        section = next((headings[i] for i in sorted(headings, reverse=True) if i < start), "")
        role = words[1]
        if role not in ROLES:
            raise PageError(f"{path}:{start + 1}: unknown kind of block `{role}`; known: {', '.join(ROLES)}")
        if role == "fixed" and previous != "bad":
            raise PageError(f"{path}:{start + 1}: a `fixed` block must follow the bad block that it fixes")
        source = lines[start + 1 : end]
        yield Block(
            role=role,
            attrs=_attributes(words[2] if len(words) > 2 else "", path, start + 1),
            source="\n".join(source) + "\n",
            line=start + 2,
            section=section,
            expectations=tuple(_expectations(source)),
        )
        previous = role


def _attributes(text: str, path: Path, line: int) -> tuple[tuple[str, str], ...]:
    attrs, at = [], 0
    while at < len(text.rstrip()):
        match = _ATTRIBUTE.match(text, at)
        if match is None or match[1] not in ATTRIBUTES:
            raise PageError(
                f"{path}:{line}: cannot read `{text[at:].strip()}`; known: {', '.join(ATTRIBUTES)}"
            )
        attrs.append((match[1], match[2] if match[2] is not None else match[3] or ""))
        at = match.end()
    return tuple(attrs)


def _expectations(source: list[str]) -> Iterator[Expectation]:
    for number, line in enumerate(source, 1):
        if match := _EXPECT.search(line):
            yield from (Expectation(number, code.strip()) for code in match[1].split(","))


def _shown(lines: list[str]) -> Iterator[str]:
    fenced = False
    for line in lines:
        if fence := _FENCE.match(line):
            fenced = not fenced
            if fence[2].split()[:2] == ["python", "fixed"]:
                yield FIXED
                yield ""
            yield fence[1] + (fence[2].split() or [""])[0]
        elif fenced:
            yield _REMARK.sub("", _EXPECT.sub("", line))
        else:
            yield line
