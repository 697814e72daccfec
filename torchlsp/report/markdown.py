"""Renders findings as a table in GitHub's Markdown: for the summary of a CI run, or a comment.

What comes from checked code is written in character references: it can neither end a cell nor begin a link, a mention, an
emoji or a formula.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.report.places import in_checkout, shown
from torchlsp.report.text import Painter, summary
from torchlsp.report.words import basis_words, fix_words, is_refuted, link_word, printable, verdict_words

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding, Related
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources

_ACTIVE = re.compile(r"[^\w\s.,;/()?'%-]|_")
_QUOTED = re.compile(r"`([^`]+)`")


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders the summary and, where there are findings, the table below it; without a final line end."""
    lines = [f"**torchlsp**: {summary(result, Painter(False), fixed=False)}"]
    if result.findings:
        lines += ["", "| place | rule | finding |", "|---|---|---|"]
        lines += [_row(finding, sources) for finding in result.findings]
    return "\n".join(lines)


def _row(finding: Finding, sources: Sources) -> str:
    severity = "refuted" if is_refuted(finding) else finding.severity.value
    told = [_text(finding.message)]
    told += [_because(finding, related, sources) for related in finding.trail]
    if (fix := fix_words(finding)) is not None:
        told.append(_text(fix))
    if finding.verdict is not None:
        told.append(_text(f"probe: {verdict_words(finding.verdict)}"))
        told.extend(_text(basis) for basis in basis_words(finding.verdict))
    place = shown(in_checkout(finding.path), sources.get(finding.path), finding.span)
    return f"| {_code(place)} | {severity} {finding.rule} {finding.name} | {'<br>'.join(told)} |"


def _because(finding: Finding, related: Related, sources: Sources) -> str:
    path = related.path or finding.path
    place = shown(in_checkout(path), sources.get(path), related.span)
    return f"{link_word(related)} {_text(related.message)} ({_code(place)})".lstrip()


def _text(text: str) -> str:
    """Escapes a message, in which names of the code are between backquotes."""
    parts = _QUOTED.split(" ".join(text.split()))
    return "".join(_code(part) if number % 2 else _inert(part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    return f"<code>{_inert(text)}</code>"


def _inert(text: str) -> str:
    return _ACTIVE.sub(lambda found: f"&#{ord(found[0])};", printable(text))
