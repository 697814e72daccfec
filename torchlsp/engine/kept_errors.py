"""Makes infos of errors in notebooks that a kept output of the cell shows already: who keeps it knows of it."""

from __future__ import annotations

from collections.abc import Sequence

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.records import replace
from torchlsp.core.text import Document


def as_infos(document: Document, findings: Sequence[Finding]) -> list[Finding]:
    """Returns the findings, errors as infos in rows whose cell keeps a traceback that ends in them."""
    raised = [(cell.span, cell.raised) for cell in document.cells or () if cell.raised]
    if not raised:
        return list(findings)
    return [
        replace(one, severity=Severity.INFO)
        if one.severity is Severity.ERROR
        and any(
            span.start <= one.span.start < span.end and _row(document.text, one.span.start) in rows
            for span, rows in raised
        )
        else one
        for one in findings
    ]


def _row(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    return text[start:].partition("\n")[0].strip()
