"""Drops the findings that comments suppress, and reports comments that suppress nothing (TL001)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.finding import Applicability, Edit, Finding, Fix, Severity
from torchlsp.core.span import Span
from torchlsp.syntax.statements import scope_name, statement_row
from torchlsp.syntax.suppressions import Suppression, suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.engine.config import Catalogue
    from torchlsp.syntax.parse import SyntaxTree

UNUSED = "TL001"


def suppress(
    tree: SyntaxTree, findings: Iterable[Finding], catalogue: Catalogue, ran: frozenset[str]
) -> tuple[list[Finding], list[Finding]]:
    """Returns the findings that stay, and the TL001 findings. `ran` are the codes whose silence means
    something."""
    comments = suppressions(tree)
    if not comments:
        return list(findings), []
    used: set[tuple[Span, str]] = set()
    kept = [finding for finding in findings if not _is_suppressed(tree, finding, comments, catalogue, used)]
    unused = [found for comment in comments for found in _unused(tree, comment, catalogue, ran, used)]
    # TL001 can be suppressed by its code, also on its own row; an idle comment without codes does not hide itself.
    return kept, [
        one for one in unused if not _is_suppressed(tree, one, comments, catalogue, used, own=False)
    ]


def rows_that_count(tree: SyntaxTree, span: Span) -> tuple[int, ...]:
    """Returns the rows on which a comment suppresses a finding: its first, its last, and its statement's
    first."""
    lines = tree.document.lines
    first = statement_row(tree, span)
    own = lines.row(span.start), lines.row(max(span.start, span.end - 1))
    return own if first is None else (*own, first)


def _is_suppressed(
    tree: SyntaxTree,
    finding: Finding,
    comments: tuple[Suppression, ...],
    catalogue: Catalogue,
    used: set[tuple[Span, str]],
    *,
    own: bool = True,
) -> bool:
    rows: tuple[int, ...] | None = None
    hit = False
    for comment in comments:
        if not comment.effective:
            continue
        if not own and not comment.codes and comment.span.overlaps(finding.span):
            continue
        if not comment.whole_file:
            if rows is None:
                rows = rows_that_count(tree, finding.span)
            if comment.row not in rows:
                continue
        if not comment.codes and own:
            used.add((comment.span, ""))
            hit = True
        for word, span in comment.codes:
            if catalogue.selector(word) == finding.rule:
                used.add((span, word))
                hit = True
    return hit


def _unused(
    tree: SyntaxTree,
    comment: Suppression,
    catalogue: Catalogue,
    ran: frozenset[str],
    used: set[tuple[Span, str]],
) -> list[Finding]:
    if not comment.effective:
        message = "`ignore-file` suppresses nothing: it must stand above the first statement"
        return [_finding(tree, comment.span, message, ())]
    if not comment.codes:
        if (comment.span, "") in used:
            return []
        return [
            _finding(tree, comment.span, "this comment suppresses nothing", (_without(tree, comment, []),))
        ]
    idle: list[tuple[str, Span, str]] = []
    for word, span in comment.codes:
        rule = catalogue.get(word)
        if (span, word) in used:
            continue
        if rule is None:
            nearest = catalogue.nearest(word)
            meant = f", did you mean `{nearest}`?" if nearest else ""
            idle.append((word, span, f"unknown rule `{word}`{meant}"))
        elif rule.code in ran and rule.code != UNUSED:
            idle.append((word, span, f"`{word}` is suppressed here but not reported"))
    fixes = (_without(tree, comment, [span for _, span, _ in idle]),) if idle else ()
    return [_finding(tree, span, message, fixes) for _, span, message in idle]


def _finding(tree: SyntaxTree, span: Span, message: str, fixes: tuple[Fix, ...]) -> Finding:
    return Finding(
        rule=UNUSED,
        name="unused-suppression",
        path=tree.document.path,
        span=span,
        message=message,
        severity=Severity.WARNING,
        fixes=fixes,
        scope=scope_name(tree, span),
    )


def _without(tree: SyntaxTree, comment: Suppression, codes: list[Span]) -> Fix:
    """Returns a fix that removes codes from a comment, or the whole comment when none would be left."""
    text = tree.document.text
    left = [word for word, span in comment.listed if span not in codes]
    if left and codes:
        whole = Span(comment.listed[0][1].start, comment.listed[-1][1].end)
        return Fix("Remove the unused code", (Edit(whole, ", ".join(left)),), Applicability.SAFE)
    start, end = comment.span.start, comment.span.end
    row = tree.document.row_span(comment.row)
    # Only blanks may remain on the row: then the row goes, unless other text of the comment follows.
    while start > row.start and text[start - 1] in " \t":
        start -= 1
    if start == row.start and end == row.end:
        starts = tree.document.lines.starts
        end = starts[comment.row] if comment.row < len(starts) else end
    elif end < row.end and not text[end : row.end].lstrip().startswith("#"):
        # The text after a noqa becomes a comment of its own.
        return Fix(
            "Remove the unused comment", (Edit(Span(comment.span.start, end), "#"),), Applicability.SAFE
        )
    return Fix("Remove the unused comment", (Edit(Span(start, end), ""),), Applicability.SAFE)
