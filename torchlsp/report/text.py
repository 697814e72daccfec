"""Renders findings as text: the source with its because-trail, or one line each."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from torchlsp.core.finding import Severity
from torchlsp.report.places import shown
from torchlsp.report.words import basis_words, fix_words, is_refuted, printable, related_words, verdict_words

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
    """Paints text in colours, or leaves it plain."""

    __slots__ = ("_on",)

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, style: str | Severity, text: str) -> str:
        return f"{_COLOURS[style]}{text}{_RESET}" if self._on and text else text


def render(result: CheckResult, sources: Sources, paint: Painter) -> str:
    """Renders a block for each finding, with an empty line after each."""
    lines: list[str] = []
    for finding in result.findings:
        lines.append(headline(finding, sources, paint))
        document = sources.get(finding.path)
        if document is not None and document.text:
            lines.extend(_quoted(document, finding.span, paint, finding.severity))
        for related in finding.trail:
            lines.extend(_because(finding, related, sources, paint))
        fix = fix_words(finding)
        if fix is not None:
            head, _, title = fix.partition(": ")
            lines.append(paint("fix", f"  {head}: ") + printable(title))
        if finding.verdict is not None:
            lines.append(f"  probe: {printable(verdict_words(finding.verdict))}")
            lines.extend(f"    {printable(basis)}" for basis in basis_words(finding.verdict))
        lines.append("")
    return "\n".join(lines)


def summary(result: CheckResult, paint: Painter, *, fixed: bool) -> str:
    """Renders the closing line."""
    files = counted(result.files, "file")
    counts = dict.fromkeys(Severity, 0)
    refuted = 0
    for finding in result.findings:
        if is_refuted(finding):
            refuted += 1
        else:
            counts[finding.severity] += 1
    parts = [
        paint(severity, counted(number, severity.value))
        if severity is not Severity.INFO
        else f"{number} info"
        for severity, number in counts.items()
        if number
    ]
    if refuted:
        parts.append(f"{refuted:,} refuted")
    text = f"{', '.join(parts)} in {files}" if parts else f"No findings in {files}"
    made = sum(change.fixes for change in result.changes)
    if fixed and made:
        text = f"{counted(made, 'fix', 'fixes')} made, {text[0].lower()}{text[1:]}"
    safe = sum(finding.has_safe_fix for finding in result.findings)
    unsafe = sum(finding.fix is not None for finding in result.findings) - safe
    if safe:
        text += f"; {safe} fixable with --fix"
    elif unsafe:
        text += f"; {unsafe} fixable with --fix --unsafe-fixes"
    return text


def statistics(result: CheckResult, paint: Painter) -> list[str]:
    """Renders findings counted by rule, the most frequent first, and how many of them have a fix."""
    from torchlsp.report.counts import by_rule

    counts = by_rule(result.findings)
    width = max((len(str(one.count)) for one in counts), default=1)
    longest = max((len(one.name) for one in counts), default=0)
    lines = []
    for one in counts:
        unsafe = one.fixable - one.safely_fixable
        ways = [f"{one.safely_fixable} with --fix"] if one.safely_fixable else []
        ways += [f"{unsafe} with --fix --unsafe-fixes"] if unsafe else []
        fixable = paint("fix", f"  fixable: {', '.join(ways)}") if ways else ""
        name = f"{one.name:<{longest}}" if ways else one.name
        lines.append(f"{one.count:>{width}}  {paint('bold', one.code)}  {name}{fixable}")
    return lines


def headline(finding: Finding, sources: Sources, paint: Painter) -> str:
    """Renders place, severity and message in one line."""
    place = printable(shown(finding.path, sources.get(finding.path), finding.span))
    severity = paint(finding.severity, f"{finding.severity.value} {finding.rule}")
    refuted = " (refuted)" if is_refuted(finding) else ""
    return f"{paint('bold', place)}: {severity} {printable(finding.message)} [{finding.name}]{refuted}"


def _because(finding: Finding, related: Related, sources: Sources, paint: Painter) -> list[str]:
    because, _, rest = related_words(finding, related, sources).partition(" ")
    lines = [f"  {paint('trail', because)} {printable(rest)}"]
    document = sources.get(related.path or finding.path)
    if document is not None and document.text:
        lines.extend(_quoted(document, related.span, paint, "trail"))
    return lines


def _quoted(document: Document, span: Span, paint: Painter, style: str | Severity) -> list[str]:
    """Quotes the source row of a span's start with carets below it: to the row's end, if the span goes on."""
    row, column = document.row_column(span.start)
    last_row, last_column = document.row_column(span.end)
    line = document.original_line(row)
    start = column - 1
    end = last_column - 1 if last_row == row else len(line.rstrip())
    line, start, end = _window(line, start, max(end, start + 1))
    line = printable(line)
    # Tabs stay tabs, under them too: only the terminal knows their width.
    blanks = _cells(line[:start], " ")
    carets = _cells(line[start:end], "^")
    if "^" not in carets:
        carets = "^"
    number = f"{document.place(span.start).row:>5}"
    edge = paint("dim", "|")
    return [
        f"{paint('dim', number)} {edge} {line}",
        f"{' ' * len(number)} {edge} {blanks}{paint(style, carets)}",
    ]


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Cuts a very long row down to the surroundings of the marked part, with dots at the cuts."""
    if len(line) <= _WIDEST_LINE:
        return line, start, end
    cut = max(0, min(start - 40, len(line) - _WIDEST_LINE))
    before = "..." if cut else ""
    after = "..." if cut + _WIDEST_LINE < len(line) else ""
    shift = len(before) - cut
    kept = before + line[cut : cut + _WIDEST_LINE]
    return kept + after, start + shift, min(end + shift, len(kept))


def _cells(text: str, mark: str) -> str:
    """Returns as many marks as the text takes terminal cells; tabs are kept."""
    cells: list[str] = []
    for character in text:
        if character == "\t":
            cells.append("\t")
        elif unicodedata.category(character) in ("Mn", "Me"):
            continue
        else:
            cells.append(mark * (2 if unicodedata.east_asian_width(character) in "WF" else 1))
    return "".join(cells)


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
