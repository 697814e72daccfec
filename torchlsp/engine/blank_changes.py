"""Follows changes of blank rows: the analysis of the text before holds for the text after, at places that have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from torchlsp.core.records import dataclass, replace
from torchlsp.engine.led_to import moved_related
from torchlsp.engine.padding import NO_PADDING, Displacement, Padding
from torchlsp.engine.relevance import may_use_torch
from torchlsp.engine.result import CheckResult
from torchlsp.syntax.blanks import changed_gap
from torchlsp.syntax.parse import SyntaxTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.examination import Examination, Shown
    from torchlsp.syntax.blanks import Gap


class Modules(Protocol):
    """Finds other files, as a provider does."""

    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None: ...


Answers = dict[tuple[str, str], "SyntaxTree | None"]
"""The answers of a provider, by its questions."""


@dataclass(slots=True)
class Kept:
    """The examination of a text that parsed, with what it rests on: the answers about other files, and the files that were checked."""

    examination: Examination
    answers: Answers
    checked: frozenset[str]
    whole: SyntaxTree | None = None
    """The tree of the document, where it was asked for."""

    def followed(
        self,
        document: Document,
        provider: Modules,
        checked: frozenset[str],
        cancelled: Callable[[], None] | None,
        shown: Shown,
    ) -> Examination | None:
        """Returns the examination of a text in which only blanks have changed; None where it must be analysed.

        `shown` leaves out what comments and settings suppress.
        """
        last, old = self.examination, self.examination.document
        if document.path != old.path or document.cells or old.cells or "\0" in document.text:
            return None
        if last.record is not None or last.result.stopped or checked != self.checked:
            return None
        if may_use_torch(old.text) != may_use_torch(document.text):
            return None
        if self.whole is None:
            self.whole = SyntaxTree.unread(old)
        gap = changed_gap(self.whole, document, comments=last.is_quiet)
        if gap is None or any(_writes_at(gap, one, last) for one in last.found):
            return None
        for (name, importing), tree in self.answers.items():
            if provider.module(name, importing) is not tree:
                return None
        return _moved(last, document, gap, cancelled, shown)


def _writes_at(gap: Gap, finding: Finding, last: Examination) -> bool:
    """Returns whether a fix of a finding in the analysed text writes beside the rows of a gap, where it may be another now."""
    start, end = (last.padding.inside(place) for place in gap.rows)
    edits = (edit for fix in finding.fixes for edit in fix.edits)
    return any(edit.span.start <= end + 1 and start - 1 <= edit.span.end for edit in edits)


def _moved(
    last: Examination,
    document: Document,
    gap: Gap,
    cancelled: Callable[[], None] | None,
    shown: Shown,
) -> Examination:
    """Returns the examination with everything at its place in the document."""
    assert isinstance(last.padding, Padding)
    here = Displacement(last.padding, gap.start, gap.old_end, gap.new_end)
    tree, result = SyntaxTree.unread(document), CheckResult(files=1, contradicted=last.result.contradicted)
    found = [here.finding_outside(one) for one in last.found]
    findings = shown(tree, found, last.judged)
    new = replace(
        last, tree=tree, result=result, cancelled=cancelled, standing=None, padding=here, padded=last.analysed,
        how="same", own=tuple(findings), found=found,
    )  # fmt: skip
    place = replace(here, padding=NO_PADDING).outside
    new.elsewhere = {
        other: [moved_related(one, document.path, place) for one in findings]
        for other, findings in last.elsewhere.items()
    }
    new.show(findings)
    return new
