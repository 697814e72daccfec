"""Findings as text: the source with its because-trail, or one line each."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from torchlsp.core.finding import Applicability, Severity

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding, Related
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources

_RESET = "\x1b[0m"
_COLOURS = {
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "trail": "\x1b[36m",
    "fix": "\x1b[32m",
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.INFO: "\x1b[1;34m",
}
_WIDEST_LINE = 160


class Painter:
    """Colours, or none."""

    __slots__ = ("_on",)

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, style: str | Severity, text: str) -> str:
        return f"{_COLOURS[style]}{text}{_RESET}" if self._on and text else text


def render_concise(result: CheckResult, sources: Sources, paint: Painter) -> list[str]:
    """One line for each finding."""
    return [_headline(finding, sources, paint) for finding in result.findings]


def render_full(result: CheckResult, sources: Sources, paint: Painter) -> list[str]:
    """A block for each finding, an empty line after each."""
    lines: list[str] = []
    for finding in result.findings:
        lines.append(_headline(finding, sources, paint))
        document = sources.get(finding.path)
        if document is not None and document.text:
            lines.extend(_quoted(document, finding.span, paint, finding.severity))
        for related in finding.related:
            lines.extend(_because(finding, related, sources, paint))
        for fix in finding.fixes[:1]:
            unsafe = "" if fix.applicability is Applicability.SAFE else " (unsafe)"
            lines.append(paint("fix", f"  fix{unsafe}: ") + fix.title)
        if finding.verdict is not None and finding.verdict.reason:
            lines.append(f"  probe: {finding.verdict.outcome.value}, {finding.verdict.reason}")
        lines.append("")
    return lines


def summary(result: CheckResult, paint: Painter, *, fixed: bool) -> str:
    """The closing line."""
    files = _count(result.files, "file")
    counts = dict.fromkeys(Severity, 0)
    for finding in result.findings:
        counts[finding.severity] += 1
    parts = [
        paint(severity, _count(number, severity.value)) if severity is not Severity.INFO else f"{number} info"
        for severity, number in counts.items()
        if number
    ]
    text = f"{', '.join(parts)} in {files}" if parts else f"No findings in {files}"
    made = sum(change.fixes for change in result.changes)
    if fixed and made:
        text = f"{_count(made, 'fix', 'fixes')} made, {text[0].lower()}{text[1:]}"
    safe = sum(_has_fix(finding, Applicability.SAFE) for finding in result.findings)
    unsafe = sum(_has_fix(finding, Applicability.UNSAFE) for finding in result.findings)
    if safe:
        text += f"; {safe} fixable with --fix"
    elif unsafe:
        text += f"; {unsafe} fixable with --fix --unsafe-fixes"
    return text


def statistics(result: CheckResult, paint: Painter) -> list[str]:
    """Findings counted by rule, the most frequent first."""
    counts: dict[tuple[str, str], int] = {}
    for finding in result.findings:
        key = (finding.rule, finding.name)
        counts[key] = counts.get(key, 0) + 1
    width = max((len(str(number)) for number in counts.values()), default=1)
    return [
        f"{number:>{width}}  {paint('bold', code)}  {name}"
        for (code, name), number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def _headline(finding: Finding, sources: Sources, paint: Painter) -> str:
    place = _place(finding.path, sources.get(finding.path), finding.span)
    severity = paint(finding.severity, f"{finding.severity.value} {finding.rule}")
    return f"{paint('bold', place)}: {severity} {_printable(finding.message)} [{finding.name}]"


def _place(path: str, document: Document | None, span: Span) -> str:
    path = _printable(path)
    if document is None:
        return path
    row, column = document.row_column(span.start)
    return f"{path}:{row}:{column}"


def _because(finding: Finding, related: Related, sources: Sources, paint: Painter) -> list[str]:
    path = related.path or finding.path
    document = sources.get(path)
    place = _place(path, document, related.span)
    lines = [f"  {paint('trail', 'because')} {_printable(related.message)} ({place})"]
    if document is not None and document.text:
        lines.extend(_quoted(document, related.span, paint, "trail"))
    return lines


def _quoted(document: Document, span: Span, paint: Painter, style: str | Severity) -> list[str]:
    """The source row of a span's start with carets below it."""
    row, column = document.row_column(span.start)
    line = document.line_text(row)
    last_row, last_column = document.row_column(span.end)
    end = last_column - 1 if last_row == row else len(line.rstrip())
    start = column - 1
    end = max(end, start + 1)
    if len(line) > _WIDEST_LINE:
        cut = max(0, start - 40)
        shown = line[cut : cut + _WIDEST_LINE]
        start, end = start - cut, min(end - cut, len(shown))
        line = shown
    before, marked = _cells(line[:start]), max(1, len(_cells(line[start:end])))
    blanks = "".join("\t" if character == "\t" else " " for character in before)
    number = str(row)
    edge = paint("dim", "|")
    return [
        f"{paint('dim', f'{number:>5}')} {edge} {_printable(line)}",
        f"      {edge} {blanks}{paint(style, '^' * marked)}",
    ]


def _cells(text: str) -> str:
    """As many characters as the text takes terminal cells, tabs kept."""
    cells: list[str] = []
    for character in text:
        if character == "\t":
            cells.append("\t")
        elif unicodedata.combining(character):
            continue
        else:
            cells.append("  " if unicodedata.east_asian_width(character) in "WF" else " ")
    return "".join(cells)


def _printable(text: str) -> str:
    """Checked code is not trusted: control characters, which could drive the terminal, become `?`."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() or character == "\t" else "?" for character in text)


def _has_fix(finding: Finding, applicability: Applicability) -> bool:
    return bool(finding.fixes) and finding.fixes[0].applicability is applicability


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
