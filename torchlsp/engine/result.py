"""Holds the result of a run: findings, fixes, notices and timings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis

from typing import TYPE_CHECKING, Protocol

from torchlsp.core.finding import Outcome, Severity
from torchlsp.core.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after its fixes, and the number of fixes."""

    document: Document
    fixed: Document
    fixes: int

    @property
    def text(self) -> str:
        return self.fixed.text


@dataclass(frozen=True, slots=True)
class FileTiming:
    """The cost of checking a file: seconds, imported files included, and steps of the interpreter, which are
    the same on every machine."""

    path: str
    seconds: float
    steps: int


@dataclass(slots=True)
class CheckResult:
    """The result of a run.

    `findings` are those to show, in order of path and place; `documents` has the text of each file with one.
    `stopped` says what was given up within limits, `problems` what could not be done with a file or folder,
    `internal_errors` one entry each, its traceback on the lines below the first. `timings` has one entry for
    each file whose check came to an end, in the order of the run. `known` are the findings that are not shown, because
    a baseline lists them or they are older than the changes asked about.
    """

    findings: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    files: int = 0
    contradicted: int = 0
    """Findings that were withdrawn because a recorded run has evaluated what they flag."""
    recalled: int = 0
    """The number of files that were not checked again, because they are unchanged since their results were
    cached."""
    groups: dict[str, str] = field(default_factory=dict)
    """The group of each rule, by code; "" for the tool's own."""
    documents: dict[str, Document] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    internal_errors: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    timings: list[FileTiming] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    """The files, as shown, whose findings are known, whether they were checked now or in an earlier run."""
    imported: set[str] = field(default_factory=set)
    """The paths of the files that those of the run import, and some that they have imported in an earlier run."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The seconds of each step, in all processes together."""

    def exit_code(self, *, fail_on: Severity = Severity.WARNING, diff: bool = False) -> int:
        """Returns 0, 1 (a finding as severe as `fail_on`, or with `diff` a change) or 2 (internal error)."""
        if self.internal_errors:
            return 2
        if diff:
            return 1 if self.changes else 0
        counted = (finding for finding in self.findings if not _is_refuted(finding))
        return 1 if any(finding.severity.rank <= fail_on.rank for finding in counted) else 0

    def add(self, part: CheckResult) -> None:
        """Adds the results of other files of the run."""
        self.findings.extend(part.findings)
        self.documents.update(part.documents)
        self.problems.extend(part.problems)
        self.stopped.extend(part.stopped)
        self.internal_errors.extend(part.internal_errors)
        self.timings.extend(part.timings)
        self.contradicted += part.contradicted
        for step, seconds in part.seconds.items():
            self.seconds[step] = self.seconds.get(step, 0.0) + seconds


def _is_refuted(finding: Finding) -> bool:
    """Returns whether a finding was refuted: shown on request, and without effect on the exit status."""
    return finding.verdict is not None and finding.verdict.outcome is Outcome.REFUTED


class AnalysisResult(Protocol):
    """The result of analysing one tree: findings, one line for each internal error (its traceback on the
    lines below), and one line for each analysis stopped by a limit.

    `elsewhere` are findings in imported files that only this file's calls lead to, each with the same finding
    at the innermost call in each file on the way there: it is shown in the first of these files that is checked."""

    findings: Sequence[Finding]
    elsewhere: Sequence[tuple[Finding, tuple[Finding, ...]]]
    internal_errors: Sequence[str]
    stopped: Sequence[str]
    analysis: Analysis | None
    steps: int
    followed: Sequence[tuple[str, Span]]
    cast: Sequence[str]
    is_quiet: bool
