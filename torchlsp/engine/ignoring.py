"""Adds `# torchlsp: ignore[...]` comments on the lines of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit
from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.fixing import edits_in_cells, write
from torchlsp.engine.suppressing import rows_that_count
from torchlsp.syntax.comments import rows_that_take_a_comment
from torchlsp.syntax.edits import apply_edits, edited
from torchlsp.syntax.parse import parse
from torchlsp.syntax.suppressions import suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.engine.engine import CheckResult
    from torchlsp.syntax.parse import SyntaxTree
    from torchlsp.syntax.suppressions import Suppression

UNREADABLE = "TL000"


@dataclass(frozen=True, slots=True)
class Ignoring:
    """The edits that suppress findings, and the findings for which no line takes a comment."""

    edits: tuple[Edit, ...]
    refused: tuple[Finding, ...]


def ignore_edits(tree: SyntaxTree, findings: Iterable[Finding], reason: str = "") -> list[Edit]:
    """Returns the edits after which the findings are suppressed; none for those that no comment can reach."""
    return list(ignoring(tree, findings, reason).edits)


def ignoring(tree: SyntaxTree, findings: Iterable[Finding], reason: str = "") -> Ignoring:
    """Returns one comment for each line, its codes merged into an existing torchlsp comment.

    A comment goes on the finding's first line; where that ends in a string or a backslash, on its last line or
    the first of its statement. That a file cannot be read (TL000) is never ignored: it would hide all of it.
    """
    findings = list(findings)
    comments = {one.row: one for one in suppressions(tree)}
    usable = rows_that_take_a_comment(tree.document) - {
        row for row, comment in comments.items() if comment.whole_file or not comment.codes
    }
    while True:
        placed, refused = _placed(tree, findings, usable)
        edits = {
            row: _edit(tree.document, row, codes, comments.get(row), reason) for row, codes in placed.items()
        }
        missed = _missed(tree.document, edits, placed)
        if not missed:
            return Ignoring(tuple(edits.values()), tuple(refused))
        usable -= missed


def add_ignores(result: CheckResult, reason: str = "") -> int:
    """Writes the comments into the files of a run, and leaves in its findings those without a comment, each
    with a line in `problems`; returns how many findings got one."""
    left: list[Finding] = []
    by_path: dict[str, list[Finding]] = {}
    for finding in result.findings:
        by_path.setdefault(finding.path, []).append(finding)
    for path, findings in by_path.items():
        document = result.documents[path]
        answer = ignoring(parse(document), findings, reason)
        why = "no line of it takes a comment"
        refused: Iterable[Finding] = answer.refused
        if answer.edits:
            refusal = write(document, edited(document, answer.edits))
            if refusal is not None:
                refused, why = findings, refusal
        for finding in refused:
            row, column = document.row_column(finding.span.start)
            because = "a file must be readable" if finding.rule == UNREADABLE else why
            result.problems.append(f"{path}:{row}:{column}: {finding.rule} not ignored: {because}")
            left.append(finding)
    ignored = len(result.findings) - len(left)
    result.findings = left
    return ignored


def _placed(
    tree: SyntaxTree, findings: Sequence[Finding], usable: frozenset[int]
) -> tuple[dict[int, list[str]], list[Finding]]:
    """Returns the codes to write on each row, and the findings without one."""
    placed: dict[int, list[str]] = {}
    refused: list[Finding] = []
    for finding in findings:
        rows = [row for row in rows_that_count(tree, finding.span) if row in usable]
        if not rows or finding.rule == UNREADABLE:
            refused.append(finding)
            continue
        codes = placed.setdefault(rows[0], [])
        if finding.rule not in codes:
            codes.append(finding.rule)
    return {row: sorted(codes) for row, codes in sorted(placed.items())}, refused


def _edit(document: Document, row: int, codes: list[str], comment: Suppression | None, reason: str) -> Edit:
    if comment is not None:
        end = comment.listed[-1][1].end
        return Edit(Span(end, end), "".join(f", {code}" for code in codes))
    whole = document.row_span(row)
    end = whole.start + len(document.slice(whole).rstrip(" \t\f"))
    words = "".join(character for character in " ".join(reason.split()) if character.isprintable())
    return Edit(Span(end, whole.end), f"  # torchlsp: ignore[{', '.join(codes)}] {words}".rstrip())


def _missed(document: Document, edits: dict[int, Edit], placed: dict[int, list[str]]) -> set[int]:
    """Returns the rows whose new codes would not count: comments are found by a simpler lexer than Python's,
    and IPython reads some lines of a notebook in its own way."""
    if document.cells:
        missed = {row for row, edit in edits.items() if edits_in_cells(document, [edit]) is None}
        if missed:
            return missed
    changed = parse(Document(document.path, apply_edits(document.text, edits.values())))
    seen = {(one.row, word) for one in suppressions(changed) for word, _ in one.codes}
    return {row for row, codes in placed.items() if not seen.issuperset((row, code) for code in codes)}
