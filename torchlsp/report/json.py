"""Renders findings as one JSON array; rows and columns from 1, columns in code points, ends exclusive.

In a notebook every pair of locations has the number of its `cell` (from 1, among cells of all kinds) beside it, and
rows count within that cell; elsewhere `cell` is null. tests/report/test_json_contract.py says all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchlsp.engine.fingerprint import fingerprints
from torchlsp.report.ascii_json import dumps
from torchlsp.report.counts import by_rule
from torchlsp.report.places import extent

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding, Fix, Related, Verdict
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document, Place
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders the whole document, without a final line end."""
    prints = fingerprints(result.findings, result.documents, known=result.known)
    records = [
        _record(finding, sources, fingerprint, result.groups.get(finding.rule))
        for finding, fingerprint in zip(result.findings, prints, strict=True)
    ]
    return dumps(records)


def statistics(result: CheckResult) -> str:
    """Renders counts by rule, the most frequent first; `fixable` is how many of the findings have a fix,
    `safely_fixable` how many one that --fix makes."""
    return dumps(
        [
            {
                "code": one.code,
                "name": one.name,
                "group": result.groups.get(one.code) or None,
                "count": one.count,
                "fixable": one.fixable,
                "safely_fixable": one.safely_fixable,
            }
            for one in by_rule(result.findings)
        ]
    )


def _record(finding: Finding, sources: Sources, fingerprint: str, group: str | None) -> dict[str, Any]:
    document = sources.get(finding.path)
    return {
        "filename": finding.path,
        **_location(document, finding.span),
        "code": finding.rule,
        "name": finding.name,
        "message": finding.message,
        "severity": finding.severity.value,
        "group": group or None,
        "fix": None if finding.fix is None else _fix(document, finding.fix),
        "related": [_related(finding, related, sources) for related in finding.trail],
        "probe": _probe(finding.verdict) if finding.verdict else None,
        "fingerprint": fingerprint,
    }


def _location(document: Document | None, span: Span) -> dict[str, Any]:
    if document is None:
        return {"location": None, "end_location": None, "cell": None}
    both = extent(document, span)
    return {"location": _place(both.start), "end_location": _place(both.end), "cell": both.start.cell}


def _place(place: Place) -> dict[str, int]:
    return {"row": place.row, "column": place.column}


def _fix(document: Document | None, fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [{**_location(document, edit.span), "content": edit.text} for edit in fix.edits],
    }


def _related(finding: Finding, related: Related, sources: Sources) -> dict[str, Any]:
    path = related.path or finding.path
    return {"filename": path, **_location(sources.get(path), related.span), "message": related.message}


def _probe(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.outcome.value,
        "kind": verdict.kind,
        "evidence": verdict.evidence,
        "error": verdict.error,
        "witness": verdict.witness,
        "assumes": list(verdict.assumes),
        "torch": verdict.torch,
        "device": verdict.device,
        "ms": verdict.ms,
        "reason": verdict.reason,
        "facts": list(verdict.facts),
        "own_code": verdict.own_code,
    }
