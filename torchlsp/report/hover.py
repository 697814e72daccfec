"""Renders descriptions of places as Markdown, and as plain text for clients that show no Markdown."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.engine.values_shown import shortened
from torchlsp.lint import message_text
from torchlsp.report.pages import TOOL_PAGES

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.inspection import Description
    from torchlsp.engine.values_shown import Note, Step
    from torchlsp.report.sources import Sources

_MAX_SOURCE_LENGTH = 80
_MAX_NAME_LENGTH = 60
_ASSIGNED = re.compile(r"[\w.]+(?:, *[\w.]+)* [-+*/@]?= $")
_TICKS = re.compile(r"`+")
_DECLARED = re.compile(r"\A\*[^*\n]+ · [^*\n]+\*\n+")
"""What a rule declares, which stands in the title already."""
_FENCE_LINE = re.compile(r"^`{3,}.*\n?", re.MULTILINE)

PageLink = Callable[[str], str]
"""From a rule's code to the address of its page."""


def markdown(
    description: Description,
    sources: Sources,
    *,
    page_link: PageLink | None = None,
    below: str = "",
    most_lines: int | None = None,
) -> str:
    """Renders the fact as code, then what is known of it as a list, then `below` it what is said of its symbol.

    With `most_lines` the oldest of what is known is left out where the hover would be longer.
    """
    if description.kind == "rule":
        return _rule_markdown(description, page_link)
    headline = _headline(description)
    lines = []
    # A signature says what is called.
    if description.symbol is not None and description.symbol != headline and "```python" not in below:
        lines.append(f"- {_code(description.symbol)}")
    lines.extend(f"- {_noted(note, _escaped, _code)}" for note in description.notes)
    lines.extend(
        f"- {_stepped(step, sources, description.path, _escaped, _code)}" for step in description.trail
    )
    if (
        not description.fact
        and not description.layer
        and description.symbol == headline
        and "```python" in below
    ):
        # The signature says it all.
        return "\n\n".join(filter(None, ("\n".join(lines), below)))
    if most_lines is not None:
        room = most_lines - headline.count("\n") - 4 - (below.count("\n") + 2 if below else 0)
        lines = lines[: max(room, 1)]
    return "\n\n".join(filter(None, (_fenced(headline), "\n".join(lines), below)))


def plain_text(description: Description, sources: Sources, *, page_link: PageLink | None = None) -> str:
    """Renders the same without markup."""
    if description.kind == "rule":
        return _without_ticks(_rule_plain(description, page_link))
    lines = _headline(description).split("\n")
    if description.symbol is not None and description.symbol != lines[0]:
        lines.append(description.symbol)
    lines.extend(_noted(note, str, str) for note in description.notes)
    lines.extend(_stepped(step, sources, description.path, str, str) for step in description.trail)
    return _without_ticks("\n".join(lines))


def _headline(description: Description) -> str:
    if description.layer:
        # The layer first: it is what the call's facts are about.
        called = _printable(f"{shortened(description.name, _MAX_NAME_LENGTH)}: {description.layer}")
        return f"{called}\n{_printable(description.fact)}".rstrip()
    if not description.fact:
        return description.symbol or shortened(description.name, _MAX_NAME_LENGTH)
    return _printable(f"{shortened(description.name, _MAX_NAME_LENGTH)}: {description.fact}")


def _noted(note: Note, words: Callable[[str], str], code: Callable[[str], str]) -> str:
    parts = [words(_printable(note.words))] if note.words else []
    if note.code:
        parts.append(code(_printable(note.code)))
    return " ".join(parts)


def _stepped(
    step: Step, sources: Sources, path: str, words: Callable[[str], str], code: Callable[[str], str]
) -> str:
    """Renders a step: `permuted at line 12 (x = x.permute(0, 2, 1)): f32[2, 4, 3] noncontig`"""
    document = sources.get(step.path or path)
    text = words(step.done)
    if document is not None and step.span.end <= len(document.text):
        file = "" if step.path is None else f"{_nearby(step.path, path)}, "
        text += f" at {words(file + _place(document, step.span.start))}"
        text += f" ({code(_source(document, step))})"
    elif step.path is not None:
        text += f" in {words(_nearby(step.path, path))}"
    return f"{text}: {code(step.fact)}" if step.fact else text


def _nearby(path: str, beside: str) -> str:
    """Returns a path as seen from the folder of another file, where that is shorter."""
    if os.path.isabs(path) != os.path.isabs(beside):
        return path
    try:
        seen = os.path.relpath(path, os.path.dirname(beside) or ".")
    except ValueError:  # another drive
        return path
    return seen if len(seen) < len(path) else path


def _place(document: Document, offset: int) -> str:
    place = document.place(offset)
    row = f"line {place.row}"
    return row if place.cell is None else f"cell {place.cell}, {row}"


def _source(document: Document, step: Step) -> str:
    """Returns the expression of a step, with the names that it is assigned to where they stand before it on
    the row."""
    row = document.row_span(document.lines.row(step.span.start))
    before = document.text[row.start : step.span.start].lstrip()
    last = document.row_span(document.lines.row(step.span.end))
    behind = document.text[step.span.end : last.end].strip()
    is_whole = _ASSIGNED.fullmatch(before) and (not behind or behind.startswith("#"))
    assigned = before if is_whole else ""
    # Names stay whole as long as leaving out what is in brackets is enough.
    text = message_text.shortened(assigned + document.slice(step.span), _MAX_SOURCE_LENGTH)
    return _printable(shortened(text, _MAX_SOURCE_LENGTH))


# ---- rules --------------------------------------------------------------------------------------------------------------


def _rule_markdown(description: Description, page_link: PageLink | None) -> str:
    title = f"**{description.name}** {description.symbol}"
    link = page_link(description.name) if page_link is not None else ""
    if link:
        title = f"[{description.name}](<{link}>) {description.symbol}"
    severity = "".join(f" ({note.words})" for note in description.notes)
    body = _page(description)
    return f"{title}{severity}\n\n{body}".rstrip()


def _rule_plain(description: Description, page_link: PageLink | None) -> str:
    severity = "".join(f" ({note.words})" for note in description.notes)
    lines = [f"{description.name} {description.symbol}{severity}"]
    link = page_link(description.name) if page_link is not None else ""
    if link:
        lines.append(link)
    body = _FENCE_LINE.sub("", _page(description))
    return "\n\n".join([*lines, body]).rstrip()


def _page(description: Description) -> str:
    """Returns the rule's page without its title, which is shown already; the tool's own findings have theirs
    here."""
    _, own = TOOL_PAGES.get(description.name, ("", ""))
    return _without_title(description.page) or own.rstrip() or description.fact


def _without_title(page: str) -> str:
    first, _, rest = page.partition("\n")
    return _DECLARED.sub("", rest.strip()) if first.startswith("# ") else page.strip()


# ---- markup -------------------------------------------------------------------------------------------------------------


def _fenced(text: str) -> str:
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}python\n{text}\n{fence}"


def _code(text: str) -> str:
    """Renders any text as inline code."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (_longest_run(text) + 1)
    return f"{ticks} {text} {ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _escaped(text: str) -> str:
    """Escapes the user's text (a docstring, a path), so that it is not read as markup."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", text)


def _without_ticks(text: str) -> str:
    return text.replace("`", "'" if "``" not in text else "")


def _printable(text: str) -> str:
    """Replaces control characters of checked code by `?`; some of them reorder text."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "?" for character in text)
