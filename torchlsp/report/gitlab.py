"""Renders findings as GitLab's code-quality report.

GitLab shows rows of files: a finding in a notebook stands at the first, and its description names the cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchlsp.core.finding import Severity
from torchlsp.engine.fingerprint import fingerprints
from torchlsp.report.ascii_json import dumps
from torchlsp.report.places import extent, in_checkout
from torchlsp.report.words import in_cell, is_refuted

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "minor"}


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders the whole document, without a final line end."""
    prints = fingerprints(result.findings, result.documents, known=result.known)
    return dumps(
        [_record(finding, sources, one) for finding, one in zip(result.findings, prints, strict=True)]
    )


def _record(finding: Finding, sources: Sources, fingerprint: str) -> dict[str, Any]:
    return {
        "description": in_cell(finding, sources) + finding.message,
        "check_name": f"{finding.rule} {finding.name}",
        "fingerprint": fingerprint,
        "severity": "info" if is_refuted(finding) else _SEVERITIES[finding.severity],
        "location": {"path": in_checkout(finding.path), "lines": _lines(finding, sources)},
    }


def _lines(finding: Finding, sources: Sources) -> dict[str, int]:
    document = sources.get(finding.path)
    if document is None or document.cells:
        return {"begin": 1, "end": 1}
    both = extent(document, finding.span)
    return {"begin": both.start.row, "end": both.last_row}
