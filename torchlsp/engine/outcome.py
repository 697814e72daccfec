"""Holds the result of checking one file in another process, and converts it to JSON."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp.core.finding import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Hangs,
    ProbeRequest,
    ProofFails,
    Raises,
    Related,
    Severity,
)
from torchlsp.core.records import dataclass, field
from torchlsp.core.span import Span
from torchlsp.engine.result import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.decoded import Decoded, Table

Asked = dict[tuple[str, str], tuple[str | None, str | None]]
"""Requested modules, by name and the folder of the importing file: the file that each of them is, and the
digest of its content. A module that is not in the workspace, or cannot be read, is None: that too may
change."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What the outcome of a file depends on besides its own text and settings.

    `in_run` are files in which its calls lead to a finding, and whether they belong to the run: what is found in
    a file of the run is shown there, else at the call.
    """

    asked: Asked = field(default_factory=dict)
    in_run: dict[str, bool] = field(default_factory=dict)

    @property
    def imported(self) -> set[str]:
        """Returns the paths of the files that were imported."""
        return {path for path, _ in self.asked.values() if path is not None}


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The outcome of a file; `elsewhere` are findings that its calls lead to in other files of the run.
    `digest` is that of the file's content; None where the outcome may be another one the next time: of a
    pipe, or after an error of ours."""

    result: CheckResult
    elsewhere: tuple[Finding, ...] = ()
    digest: str | None = None
    needs: Needs = Needs()
    is_lost: bool = False
    """The process that checked it died, or could not report its findings."""


def digest_of(data: bytes) -> str:
    """Returns the digest of a file's content."""
    return sha256(data).hexdigest()[:32]


def findings_told(findings: Iterable[Finding]) -> list[Table]:
    """Converts findings without a verdict to JSON."""
    return [_finding_told(finding) for finding in findings]


def findings_read(told: Decoded) -> list[Finding]:
    """Converts findings back from JSON. Raises ValueError, TypeError, KeyError or IndexError for what is
    none."""
    return [_finding_read(one) for one in told]


def _finding_told(finding: Finding) -> Table:
    return {
        "rule": finding.rule,
        "name": finding.name,
        "path": finding.path,
        "span": _span_told(finding.span),
        "message": finding.message,
        "severity": finding.severity.value,
        "related": [[_span_told(one.span), one.message, one.path, one.explains] for one in finding.related],
        "fixes": [
            [fix.title, fix.applicability.value, [[_span_told(edit.span), edit.text] for edit in fix.edits]]
            for fix in finding.fixes
        ],
        "probe": _probe_told(finding.probe),
        "scope": finding.scope,
    }


def _finding_read(told: Decoded) -> Finding:
    return Finding(
        rule=_text(told["rule"]),
        name=_text(told["name"]),
        path=_text(told["path"]),
        span=_span(told["span"]),
        message=_text(told["message"]),
        severity=Severity(told["severity"]),
        related=tuple(
            Related(_span(span), _text(message), None if path is None else _text(path), explains is True)
            for span, message, path, explains in told["related"]
        ),
        fixes=tuple(
            Fix(
                _text(title),
                tuple(Edit(_span(span), _text(text)) for span, text in edits),
                Applicability(applicability),
            )
            for title, applicability, edits in told["fixes"]
        ),
        probe=_probe_read(told["probe"]),
        scope=_text(told["scope"]),
    )


def _probe_told(probe: ProbeRequest | None) -> Table | None:
    if probe is None:
        return None
    match probe.expect:
        case None:
            expect: list[str] | None = None
        case Raises(pattern, exception):
            expect = ["raises", pattern, exception]
        case ProofFails():
            expect = ["proof fails"]
        case Hangs():
            expect = ["hangs"]
    return {
        "program": probe.program,
        "expect": expect,
        "kind": probe.kind,
        "flag": probe.flag,
        "assignments": probe.assignments,
        "world": probe.world,
        "assumes": probe.assumes,
        "guesses": probe.guesses,
        "facts": probe.facts,
        "shown": probe.shown,
    }


def _probe_read(told: Decoded) -> ProbeRequest | None:
    if told is None:
        return None
    match told["expect"]:
        case None:
            expect: Raises | ProofFails | Hangs | None = None
        case ["raises", pattern, exception]:
            expect = Raises(_text(pattern), _text(exception))
        case ["proof fails"]:
            expect = ProofFails()
        case ["hangs"]:
            expect = Hangs()
        case other:
            raise ValueError(f"nothing to expect: {other!r}")
    flag = told["flag"]
    return ProbeRequest(
        program=_text(told["program"]),
        expect=expect,
        kind=_text(told["kind"]),
        flag=None if flag is None else (_number(flag[0]), _number(flag[1])),
        assignments=tuple(
            tuple((_text(name), _number(size)) for name, size in sizes) for sizes in told["assignments"]
        ),
        world=_number(told["world"]),
        assumes=tuple(map(_text, told["assumes"])),
        guesses=told["guesses"] is True,
        facts=tuple(map(_text, told["facts"])),
        shown=None if told["shown"] is None else _text(told["shown"]),
    )


def _span_told(span: Span) -> list[int]:
    return [span.start, span.end]


def _span(told: Decoded) -> Span:
    start, end = told
    return Span(_number(start), _number(end))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r}")
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"not a number: {value!r}")
    return value
