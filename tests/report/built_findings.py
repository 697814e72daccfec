"""Short ways to build what a report is given."""

from __future__ import annotations

from typing import Any

from torchlsp.core.finding import Edit, Finding, Fix, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document
from torchlsp.engine.engine import CheckResult
from torchlsp.report.formats import render
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter

PLAIN = Painter(False)


def finding(path: str, start: int, end: int, **more: Any) -> Finding:
    """A TL101 error; `more` are the fields that matter to the test."""
    given = {
        "rule": "TL101",
        "name": "view-on-noncontiguous",
        "message": "`x` is not contiguous",
        "severity": Severity.ERROR,
        **more,
    }
    return Finding(path=path, span=Span(start, end), **given)


def reshape(start: int, end: int) -> Fix:
    return Fix("Use `reshape`", (Edit(Span(start, end), "reshape"),))


def result_of(documents: list[Document], *findings: Finding, **more: Any) -> CheckResult:
    by_path = {document.path: document for document in documents}
    return CheckResult(findings=list(findings), files=len(by_path), documents=by_path, **more)


def rendered(name: str, result: CheckResult) -> str:
    return render(name, result, Sources(result.documents), PLAIN)


def notebook(path: str = "train.ipynb") -> Document:
    """Two code cells; a text cell stands between them, so that they are the cells 1 and 3."""
    first, second = "import torch\nx = 1", "y = x\n\tx.view(1)"
    join = len(first) + 1
    cells = (Cell(1, Span(0, len(first))), Cell(3, Span(join, join + len(second))))
    return Document(path, f"{first}\n{second}\n", cells=cells)
