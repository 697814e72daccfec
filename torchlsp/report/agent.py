"""Renders findings for coding agents: the worst first, each with its causes, its verdict and its fix as an edit.

A cause has its source line, which saves the reader a look into the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.finding import Severity
from torchlsp.engine.fixing import with_fix
from torchlsp.engine.result import Change
from torchlsp.report.diff import unified
from torchlsp.report.places import shown
from torchlsp.report.text import Painter, counted, summary
from torchlsp.report.words import basis_words, is_refuted, printable, related_words, verdict_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.span import Span
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources

MOST = 20
"""The number of findings that are shown unless another is asked for."""
_WIDEST_LINE = 200
_LAST = 3


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders the worst findings and a closing line; the closing line alone where there are none."""
    return "\n\n".join((*blocks(result, sources, MOST), closing(result, MOST)))


def blocks(result: CheckResult, sources: Sources, most: int) -> list[str]:
    """Renders a block for each of the worst findings, at most that many (0: all of them)."""
    return ["\n".join(block(finding, sources)) for finding in worst(result.findings, most)]


def closing(result: CheckResult, most: int, notes: Iterable[str] = (), *, only_new: bool = False) -> str:
    """Renders the last line: how many findings there are, how many of them are left out, and the notes."""
    head = summary(result, Painter(False), fixed=bool(result.changes))
    if only_new:
        head = head.replace("No findings", "No new findings").replace("no findings", "no new findings")
    parts = [head]
    left_out = max(len(result.findings) - most, 0) if most else 0
    if left_out:
        parts.append(f"{counted(left_out, 'finding')} not shown (--max-findings 0 shows all)")
    return "; ".join((*parts, *map(printable, notes)))


def worst(findings: Sequence[Finding], most: int) -> list[Finding]:
    """Returns the findings in order of severity, warnings that torch confirmed among the errors, at most that
    many (0: all of them)."""
    ordered = sorted(findings, key=_rank)
    return ordered[:most] if most else ordered


def _rank(finding: Finding) -> int:
    """Returns 0 for the worst."""
    if is_refuted(finding):
        return _LAST
    is_confirmed = finding.verdict is not None and finding.verdict.is_positive
    return 0 if is_confirmed and finding.severity is Severity.WARNING else finding.severity.rank


def block(finding: Finding, sources: Sources) -> list[str]:
    """Renders one finding: the headline, its line of source, the causes, the verdict and the fix."""
    place = printable(shown(finding.path, sources.get(finding.path), finding.span))
    refuted = " (refuted)" if is_refuted(finding) else ""
    lines = [
        f"{place}: {finding.severity.value} {finding.rule} [{finding.name}]{refuted}: {printable(finding.message)}",
        *_source(finding.path, finding.span, sources),
    ]
    for related in finding.trail:
        lines.append(f"  {printable(related_words(finding, related, sources))}")
        lines.extend(_source(related.path or finding.path, related.span, sources))
    if finding.verdict is not None:
        lines.append(f"  probe: {printable(verdict_words(finding.verdict))}")
        lines.extend(f"    {printable(basis)}" for basis in basis_words(finding.verdict))
    diff = fix_diff(finding, sources)
    if finding.fix is not None and diff:
        safety = "safe" if finding.fix.is_safe else "unsafe"
        lines.append(f"  fix ({safety}): {printable(finding.fix.title)}")
        lines.extend(f"    {printable(line)}" for line in diff)
    else:
        lines.append(f"  no automatic fix: `torchlsp explain {finding.rule}` says what to do")
    return lines


def fix_diff(finding: Finding, sources: Sources) -> list[str]:
    """Returns the fix as the hunks of a unified diff without context; empty where there is none."""
    document = sources.get(finding.path)
    after = with_fix(document, finding.fix) if document is not None and finding.fix is not None else None
    if document is None or after is None:
        return []
    rows = [line.rstrip("\r\n") for line in unified(Change(document, after, 1), context=0)]
    # Of a notebook the two rows of the header say which cell is meant.
    return rows if document.cells else rows[2:]


def _source(path: str, span: Span, sources: Sources) -> list[str]:
    document = sources.get(path)
    if document is None or not document.text:
        return []
    row, _ = document.row_column(span.start)
    line = document.original_line(row).strip()
    dots = "..." if len(line) > _WIDEST_LINE else ""
    return [f"    {document.place(span.start).row} | {printable(line[:_WIDEST_LINE])}{dots}"]
