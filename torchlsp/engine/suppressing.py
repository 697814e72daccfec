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
_MOST_MEANT = 100
"""The number of unknown codes of a file for which the nearest one is looked up."""


def suppress(
    tree: SyntaxTree, findings: Iterable[Finding], catalogue: Catalogue, ran: frozenset[str]
) -> tuple[list[Finding], list[Finding]]:
    """Returns the findings that stay, and the TL001 findings. `ran` are the codes whose silence means
    something."""
    written = suppressions(tree)
    if not written:
        return list(findings), []
    comments = _Comments(tree, written, catalogue)
    kept = [finding for finding in findings if not comments.suppress(finding)]
    unused = [found for comment in written for found in _unused(tree, comment, comments, catalogue, ran)]
    # TL001 can be suppressed by its code, also on its own row; an idle comment without codes does not hide itself.
    return kept, [one for one in unused if not comments.suppress(one, own=False)]


def rows_that_count(tree: SyntaxTree, span: Span) -> tuple[int, ...]:
    """Returns the rows on which a comment suppresses a finding: its first, its last, and its statement's
    first."""
    lines = tree.document.lines
    first = statement_row(tree, span)
    own = lines.row(span.start), lines.row(max(span.start, span.end - 1))
    return own if first is None else (*own, first)


class _Comments:
    """The comments that count, by row, and what they have suppressed."""

    def __init__(self, tree: SyntaxTree, comments: Iterable[Suppression], catalogue: Catalogue) -> None:
        self._tree = tree
        self._catalogue = catalogue
        self._rules: dict[str, str | None] = {}
        self._meant: dict[str, str] = {}
        self._used: set[tuple[Span, str]] = set()
        """The spans of comments, with the rules that they have suppressed; "" for those without codes."""
        self._used_for_file: set[str] = set()
        self._of_file: set[str | None] = set()
        self._of_rows: dict[int, list[tuple[Suppression, frozenset[str | None]]]] = {}
        for one in comments:
            if one.effective:
                rules = frozenset(self.rule(word) for word, _ in one.codes) or frozenset({""})
                if one.whole_file:
                    self._of_file |= rules
                else:
                    self._of_rows.setdefault(one.row, []).append((one, rules))

    def rule(self, word: str) -> str | None:
        """Returns the rule, or the group of rules, that a word stands for."""
        if word not in self._rules:
            self._rules[word] = self._catalogue.selector(word)
        return self._rules[word]

    def meant(self, word: str) -> str:
        """Returns the question whether another name was meant; nothing after many wrong ones."""
        if word not in self._meant:
            nearest = self._catalogue.nearest(word) if len(self._meant) < _MOST_MEANT else None
            self._meant[word] = f", did you mean `{nearest}`?" if nearest else ""
        return self._meant[word]

    def is_used(self, comment: Suppression, word: str = "") -> bool:
        rule = (self.rule(word) or word) if word else ""
        return rule in self._used_for_file if comment.whole_file else (comment.span, rule) in self._used

    def suppress(self, finding: Finding, *, own: bool = True) -> bool:
        """Returns whether a comment suppresses a finding, and keeps which ones do. `own` is False for findings about
        comments."""
        accepted = (finding.rule, "") if own else (finding.rule,)
        found = [rule for rule in accepted if rule in self._of_file]
        self._used_for_file.update(found)
        if not self._of_rows:
            return bool(found)
        hit = bool(found)
        for row in dict.fromkeys(rows_that_count(self._tree, finding.span)):
            for comment, rules in self._of_rows.get(row, ()):
                for rule in accepted:
                    if rule in rules:
                        self._used.add((comment.span, rule))
                        hit = True
        return hit


def _unused(
    tree: SyntaxTree,
    comment: Suppression,
    comments: _Comments,
    catalogue: Catalogue,
    ran: frozenset[str],
) -> list[Finding]:
    if not comment.effective:
        message = "`ignore-file` suppresses nothing: it must stand above the first statement"
        return [_finding(tree, comment.span, message, ())]
    if not comment.codes:
        if comments.is_used(comment):
            return []
        return [
            _finding(tree, comment.span, "this comment suppresses nothing", (_without(tree, comment, []),))
        ]
    idle: list[tuple[str, Span, str]] = []
    for word, span in comment.codes:
        rule = catalogue.get(word)
        if comments.is_used(comment, word):
            continue
        if rule is None:
            idle.append((word, span, f"unknown rule `{word}`{comments.meant(word)}"))
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
    removed = set(codes)
    left = [word for word, span in comment.listed if span not in removed]
    if left and codes:
        whole = Span(comment.listed[0][1].start, comment.listed[-1][1].end)
        return Fix("Remove the unused code", (Edit(whole, ", ".join(left)),), Applicability.SAFE)
    start, end = comment.span.start, comment.span.end
    row = tree.document.row_span(comment.row)
    if not text[end : row.end].strip():
        end = row.end
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
