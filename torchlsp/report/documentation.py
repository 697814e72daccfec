"""Renders entries of the documentation as Markdown, for a terminal, and as data."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from string import ascii_letters
from typing import TYPE_CHECKING, Any

from torchlsp.docs_db.memory import MAY_SHARE, memory
from torchlsp.docs_db.notes import note

if TYPE_CHECKING:
    from torchlsp.docs_db.build import DocEntry

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_FAINT = "\x1b[2m"
_CODE = "\x1b[36m"
_HEADING = "\x1b[1;33m"
_ALARM = "\x1b[1;31m"
_FENCE = re.compile(r"(`{3,})(\w*)$")
_MARKED = re.compile(r"(?P<quote>(?:> ?)*)(?P<indent> *)(?P<mark>(?:- |\d+\. )?)(?P<text>.*)$")
_HEADED = re.compile(r"\*\*([^*]+)\*\*$|#{1,6} (.+)$")
_INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>[\s\S]+?)(?P=ticks)(?!`)"
    r"|\[(?P<title>(?:\\.|[^\]\\])+)\]\((?P<address>[^)\s]+)\)"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|(?<![\w*\\])\*(?P<weak>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"
    r"|\\(?P<escaped>[^\w\s])"
    r"|(?P<entity>&\w+;)"
)
_MODULE = re.compile(r"\b(?:typing|collections\.abc)\.")
_NARROWEST = 40
_MAX_SIGNATURE_LENGTH = 90
MEASURED = "2.13"
"""The torch that our notes and facts were measured on."""


def as_data(entry: DocEntry) -> dict[str, Any]:
    return asdict(entry) | {"effects": list(entry.effects)}


def as_markdown(entry: DocEntry) -> str:
    """Renders signature, warnings, text and source of an entry as Markdown."""
    parts = [f"```python\n{signature(entry)}\n```"]
    parts.extend(f"**{label}** {_sentence(text)}".rstrip() for label, text in alarms(entry))
    if effects := _effects(entry):
        parts.append("\n".join(f"- {effect}" for effect in effects))
    if entry.markdown:
        parts.append(entry.markdown)
    parts.append(_origin(entry, f"[{_page(entry)}]({entry.url})" if entry.url else None))
    return "\n\n".join(part for part in parts if part)


def our_notes(symbol: str, version: str | None) -> str:
    """Renders our notes on a symbol as Markdown: common mistakes, and whether its result shares memory.

    Empty without any. `version` is the user's torch; None where there is none, and then the text says for which
    torch the notes are."""
    known = note(symbol)
    if known is not None and version is not None and not known.holds_for(version):
        known = None
    parts = [known.markdown.rstrip()] if known is not None else []
    shared = memory(symbol)
    if shared is not None:
        words = {"view": "a view: it shares memory", "copy": "a copy", "self": "the tensor itself"}
        parts.append(f"Gives {words.get(shared.result, f'what it can, by {shared.on}')}.")
    if parts and version is None:
        parts.append(f"No torch is installed: this is of torch {MEASURED}.")
    return "\n\n".join(parts)


def notes_as_text(markdown: str, *, coloured: bool, width: int) -> str:
    """Renders our notes for a terminal."""
    return "\n".join(_terminal(markdown, coloured, max(width, _NARROWEST)))


def as_text(entry: DocEntry, *, coloured: bool, width: int) -> str:
    """Renders an entry for a terminal of the given width."""
    lines = [_styled(entry.symbol, _BOLD, coloured) + _styled(f"  {entry.kind}", _FAINT, coloured), ""]
    lines.extend(_styled(f"    {line}", _CODE, coloured) for line in signature(entry).split("\n") if line)
    if lines[-1]:
        lines.append("")
    for label, text in alarms(entry):
        lines.append(_styled(label, _ALARM, coloured) + f" {_shown(_sentence(text), coloured)}".rstrip())
        lines.append("")
    if effects := _effects(entry):
        lines.extend(f"• {_shown(effect, coloured)}" for effect in effects)
        lines.append("")
    if entry.markdown:
        lines.extend([*_terminal(entry.markdown, coloured, max(width, _NARROWEST)), ""])
    lines.append(_styled(_origin(entry, entry.url), _FAINT, coloured))
    return "\n".join(lines)


def listed(entries: list[DocEntry], *, coloured: bool, width: int) -> str:
    """Renders the results of a search, one line each."""
    longest = min(max((len(entry.symbol) for entry in entries), default=0), 48)
    lines = []
    for entry in entries:
        room = width - max(longest, len(entry.symbol)) - 2
        said = _shown(entry.summary, False)
        if len(said) > room:
            said = said[: max(room - 1, 0)].rstrip() + "…" if room > 10 else ""
        symbol = _styled(entry.symbol, _BOLD, coloured) + " " * (longest - len(entry.symbol))
        lines.append(f"{symbol}  {said}".rstrip())
    return "\n".join(lines)


def alarms(entry: DocEntry) -> list[tuple[str, str]]:
    """Returns what is to be said first of a symbol that is deprecated or gone: a label and a sentence."""
    found = []
    if entry.removed is not None:
        found.append(("Removed.", entry.removed))
    if entry.deprecated is not None:
        found.append(("Deprecated", entry.deprecated))
    return found


def signature(entry: DocEntry) -> str:
    """Renders a signature: types without the modules that they are named after, a long one with a row for
    each parameter."""
    lines = [_MODULE.sub("", line) for line in (entry.signature or entry.symbol).split("\n")]
    return "\n".join(_in_rows(line) if len(line) > _MAX_SIGNATURE_LENGTH else line for line in lines)


def _in_rows(line: str) -> str:
    head, bracket, rest = line.partition("(")
    rows, depth, begun = [], 0, 0
    for index, character in enumerate(rest):
        if character == "," and depth == 0:
            rows.append(rest[begun:index].strip())
            begun = index + 1
        elif character in ")]}" and depth == 0:
            rows.append(rest[begun:index].strip())
            return "\n".join([head + bracket, *(f"    {row}," for row in rows if row), rest[index:]])
        else:
            depth += (character in "([{") - (character in ")]}")
    return line


def _effects(entry: DocEntry) -> tuple[str, ...]:
    """Lists the effects from torch's schemas, except where our own facts are more exact."""
    if memory(entry.symbol) is None:
        return entry.effects
    return tuple(effect for effect in entry.effects if effect != MAY_SHARE)


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "!")) else f"{text}."


def _origin(entry: DocEntry, link: str | None) -> str:
    package = entry.symbol.partition(".")[0]
    since = f"since {entry.since}" if entry.since else None
    return " · ".join(part for part in (f"{package} {entry.torch}", since, entry.source, link) if part)


def _page(entry: DocEntry) -> str:
    return f"{entry.symbol} in the manual"


def _styled(text: str, style: str, coloured: bool) -> str:
    return f"{style}{text}{_RESET}" if coloured and text else text


def _terminal(markdown: str, coloured: bool, width: int) -> list[str]:
    """Renders our own, simple Markdown for a terminal: no table has more than one line to a row."""
    lines: list[str] = []
    fence: re.Match[str] | None = None
    for line in _with_whole_paragraphs(markdown.split("\n")):
        found = _MARKED.match(line)
        assert found is not None
        if fence is not None:
            # What is quoted is the block; further marks are code, as the prompt `>>>` is.
            code = line.removeprefix(fence["quote"]) if fence["quote"] else line
            if code.strip() == fence["text"].rstrip(ascii_letters):
                fence = None
            else:
                bars = "│ " * fence["quote"].count(">")
                code = _styled(f"    {code}" if code.strip("> ") else "", _CODE, coloured)
                lines.append(_barred(bars, code, coloured))
            continue
        if _FENCE.match(found["text"]) and not found["mark"]:
            fence = found
            continue
        bars = "│ " * found["quote"].count(">")
        text = found["mark"] + found["text"]
        headed = _HEADED.match(text)
        if headed and not found["indent"]:
            heading = _styled(_shown(headed[1] or headed[2], False), _HEADING, coloured)
            lines.append(_barred(bars, heading, coloured))
            continue
        lines.extend(_wrapped(found, bars, coloured, width))
    return lines


def _with_whole_paragraphs(lines: list[str]) -> Iterator[str]:
    """Joins each paragraph into one line: our notes are wrapped in their files."""
    whole, in_fence = "", False
    for line in lines:
        found = _MARKED.match(line)
        is_fence = found is not None and _FENCE.match(found["text"]) is not None
        goes_on = whole and line and not (in_fence or is_fence or line[0].isspace())
        if goes_on and found is not None and not (found["quote"] or found["mark"] or _HEADED.match(line)):
            whole = f"{whole} {line}"
            continue
        if whole:
            yield whole
        in_fence ^= is_fence
        is_text = not (in_fence or is_fence or _HEADED.match(line)) and line and line[0] not in " >-|"
        whole = line if is_text else ""
        if not is_text:
            yield line
    if whole:
        yield whole


def _wrapped(found: re.Match[str], bars: str, coloured: bool, width: int) -> list[str]:
    """Wraps a paragraph or an item with a hanging indent."""
    mark = "• " if found["mark"] == "- " else found["mark"]
    room = width - 2 * found["quote"].count(">")
    rows = textwrap.wrap(
        # Colours count for nothing in a line's length, so they come after.
        found["text"],
        max(room, _NARROWEST // 2),
        initial_indent=found["indent"] + mark,
        subsequent_indent=found["indent"] + " " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )
    if not rows:
        return [_barred(bars, "", coloured)]
    # Together: what is emphasised may go on in the next line.
    return [_barred(bars, row, coloured) for row in _shown("\n".join(rows), coloured).split("\n")]


def _barred(bars: str, text: str, coloured: bool) -> str:
    """Renders a line of a quotation, without blanks at its end."""
    return _styled(bars if text else bars.rstrip(), _FAINT, coloured) + text


def _shown(text: str, coloured: bool) -> str:
    def replaced(found: re.Match[str]) -> str:
        if found["code"] is not None:
            if not coloured:
                return f"`{found['code']}`"
            return "\n".join(_over_lines(found["code"], _CODE))
        if found["title"] is not None:
            title = re.sub(r"\\(.)", r"\1", found["title"])
            return f"{title} ({found['address']})"
        if found["strong"] is not None:
            return "\n".join(_over_lines(found["strong"], _BOLD)) if coloured else found["strong"]
        if found["weak"] is not None:
            return found["weak"]
        return found["escaped"] or html.unescape(found["entity"])

    return re.sub(_INLINE, replaced, text)


def _over_lines(text: str, style: str) -> list[str]:
    """Ends a colour at each line end and starts it again after the next line's margin."""
    styled = []
    for row in text.split("\n"):
        start = len(row) - len(row.lstrip())
        styled.append(row[:start] + _styled(row[start:], style, True))
    return styled
