"""Holds one text with all results of its analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis

from functools import partial
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field
from torchlsp.engine.led_to import moved_related
from torchlsp.engine.padding import NO_PADDING, Displacement, Padding, moved
from torchlsp.engine.result import CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.engine.called_elsewhere import Elsewhere
    from torchlsp.engine.led_to import FaultPlace
    from torchlsp.engine.records import FileRecord
    from torchlsp.engine.standing import Changed, Standing
    from torchlsp.interp.store.called_files import CalledFiles
    from torchlsp.syntax.parse import SyntaxTree

    Shown = Callable[[SyntaxTree, list[Finding], frozenset[str]], list[Finding]]


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
    padding: Padding | Displacement = NO_PADDING
    padded: SyntaxTree | None = None
    how: str = "whole"
    """The extent of a partial analysis: "change", what a change reaches, "same", nothing, for only blanks
    have changed, or "kept", nothing, for the text does not parse and the result is that of the text before it, as far as
    that is valid."""
    reads_callers: bool = True
    """Whether what is shown takes into account how other files of the workspace call this one."""
    record: FileRecord | None = None
    """What recorded runs say of the file."""
    is_recorded: bool = True
    """Whether the facts of every expression are kept."""
    is_quiet: bool = False
    """Whether no rule has read the text."""
    own: tuple[Finding, ...] = ()
    """The findings of the text that its own analysis shows."""
    found: Sequence[Finding] = ()
    """The findings in the analysed text that comments and settings may suppress."""
    judged: frozenset[str] = frozenset()
    """The codes for which a comment that suppresses nothing is reported."""
    elsewhere: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    """Findings in other files that are checked, by path, to which this text's calls lead."""
    called: CalledFiles | None = None
    """What its calls make of the functions of other files, if that is recorded."""
    passed: Elsewhere | None = None
    """What the calls of other files make of the functions of the document, as far as that is known."""
    led_to: Mapping[str, bool] = field(default_factory=dict)
    """The other files in which its calls lead to a finding, or pass on the way, and whether each is checked."""

    @property
    def document(self) -> Document:
        return self.tree.document

    @property
    def analysed(self) -> SyntaxTree:
        return self.tree if self.padded is None else self.padded

    @property
    def analyse(self) -> Callable[..., Analysis] | None:
        """Returns what stands in for `interp.run.analyse`, if anything does."""
        if self.standing is not None:
            return self.standing.analyse
        if self.called is None:
            return None
        from torchlsp.interp.run.caller_run import analyse_as_caller

        return partial(analyse_as_caller, self.called)

    @property
    def is_cut_short(self) -> bool:
        """Returns whether the text, or some of its functions, is not analysed because it is too large."""
        if self.analysis is not None and self.analysis.left_out:
            return True
        return any(problem.kind == "too-large" for problem in self.tree.problems)

    def tell(self, findings: Sequence[Finding]) -> None:
        """Adds findings in the analysed text to the result, at their places in the document."""
        if self.padding.is_needed:
            findings = [self.padding.finding_outside(one) for one in findings]
        self.own = tuple(findings)
        if findings:
            self.result.findings.extend(findings)
            self.result.documents[self.document.path] = self.document

    def keep_elsewhere(
        self, found: Mapping[str, Mapping[FaultPlace, Finding]], led_to: Mapping[str, bool]
    ) -> None:
        """Keeps findings in other files, with the calls at their places in the document."""
        path, outside = self.document.path, self.padding.outside
        self.elsewhere = {
            other: [moved_related(one, path, outside) for one in findings.values()]
            for other, findings in found.items()
        }
        self.led_to = dict(led_to)

    def show(self, findings: Sequence[Finding]) -> None:
        """Replaces the findings in the document."""
        self.result.findings[:] = findings
        self.result.documents[self.document.path] = self.document

    def own_places(self) -> set[tuple[str, Span]]:
        """Returns the rules and places in the document of the findings of the text's own analysis."""
        if self.how == "kept":
            return {(one.rule, one.span) for one in self.own}
        if self.how == "same":
            return {(one.rule, one.span) for one in self.found}
        return {(one.rule, self.padding.span_outside(one.span)) for one in self.found}

    def with_callers(self, led_to: Sequence[Finding], shown: Shown) -> list[Finding]:
        """Returns the findings together with those to which calls of other files lead, at other places; `shown` leaves out what
        comments and settings suppress."""
        if not led_to:
            return list(self.own)
        if self.how == "kept":
            added = shown(self.tree, list(led_to), frozenset())
            return sorted(dict.fromkeys((*self.own, *added)), key=lambda one: (one.span, one.rule))
        if self.how == "same":  # here `found` is in the document
            return shown(self.tree, [*self.found, *led_to], self.judged)
        inside = [moved(one, self.padding.inside) for one in led_to]
        findings = shown(self.analysed, [*self.found, *inside], self.judged)
        return [self.padding.finding_outside(one) if self.padding.is_needed else one for one in findings]


def of_change(
    document: Document, change: Changed, standing: Standing, cancelled: Callable[[], None] | None
) -> Examination:
    """Returns an examination to be filled with what a change reaches."""
    from torchlsp.syntax.parse import SyntaxTree

    result = CheckResult(files=1)
    tree = SyntaxTree.unread(document)
    return Examination(tree, result, cancelled, None, None, standing, change.padding, change.tree, "change")


def of_caller(tree: SyntaxTree, watched: frozenset[str], cancelled: Callable[[], None] | None) -> Examination:
    """Returns an examination to be filled with what the calls of a text lead to in the files that are watched."""
    from torchlsp.interp.store.called_files import CalledFiles

    examination = Examination(tree, CheckResult(files=1), cancelled, is_recorded=False)
    examination.called = CalledFiles(watched)
    return examination
