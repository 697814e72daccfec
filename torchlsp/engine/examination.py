"""Holds one text with all results of its analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.padding import NO_PADDING, Padding
from torchlsp.engine.result import CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.records import FileRecord
    from torchlsp.engine.standing import Changed, Standing
    from torchlsp.syntax.parse import SyntaxTree


@dataclass(slots=True)
class Examination:
    """A text with all results of its analysis. `analysis` is None where nothing was analysed.

    `cancelled` is called between statements and may raise Cancelled. Where what was found out of the text before it is
    used again (`standing`), `padded` is the tree that the analysis is about, whose text has `padding`.
    """

    tree: SyntaxTree
    result: CheckResult
    cancelled: Callable[[], None] | None = None
    analysis: Analysis | None = None
    detailed: Analysis | None = None
    """An analysis of the same text with more steps, once there is one: what is shown of values is read from it."""
    standing: Standing | None = None
    padding: Padding = NO_PADDING
    padded: SyntaxTree | None = None
    how: str = "whole"
    """The extent of a partial analysis: "change", what a change reaches, or "kept", nothing, for the text
    does not parse and the result is that of the text before it, as far as that is valid."""
    reads_callers: bool = True
    """Whether what is shown takes into account how other files of the workspace call this one."""
    record: FileRecord | None = None
    """What recorded runs say of the file."""

    @property
    def document(self) -> Document:
        return self.tree.document

    @property
    def analysed(self) -> SyntaxTree:
        return self.tree if self.padded is None else self.padded

    def tell(self, findings: Sequence[Finding]) -> None:
        """Adds findings in the analysed text to the result, at their places in the document."""
        if self.padding.size:
            findings = [self.padding.finding_outside(one) for one in findings]
        if findings:
            self.result.findings.extend(findings)
            self.result.documents[self.document.path] = self.document


def of_change(
    document: Document, change: Changed, standing: Standing, cancelled: Callable[[], None] | None
) -> Examination:
    """Returns an examination to be filled with what a change reaches."""
    from torchlsp.syntax.parse import SyntaxTree

    result = CheckResult(files=1)
    tree = SyntaxTree.unread(document)
    return Examination(tree, result, cancelled, None, None, standing, change.padding, change.tree, "change")
