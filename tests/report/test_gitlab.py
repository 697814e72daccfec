"""GitLab's code-quality report: the fields that its documentation names, and no others."""

from __future__ import annotations

import json

from built_findings import finding, notebook, rendered, result_of

from torchlsp.core.finding import Outcome, Severity, Verdict
from torchlsp.core.text import Document
from torchlsp.engine.engine import CheckResult
from torchlsp.engine.fingerprint import fingerprints


def test_a_finding() -> None:
    document = Document("a b.py", "import torch\nx.view(\n1)\n")
    found = finding("a b.py", 13, 23)
    result = result_of([document], found)
    assert json.loads(rendered("gitlab", result)) == [
        {
            "description": "`x` is not contiguous",
            "check_name": "TL101 view-on-noncontiguous",
            "fingerprint": fingerprints([found], result.documents)[0],
            "severity": "critical",
            "location": {"path": "a b.py", "lines": {"begin": 2, "end": 3}},
        }
    ]


def test_severities() -> None:
    found = [finding("a.py", 0, 1, severity=severity) for severity in Severity]
    refuted = finding("a.py", 0, 1, verdict=Verdict(Outcome.REFUTED))
    records = json.loads(rendered("gitlab", result_of([Document("a.py", "x")], *found, refuted)))
    assert [record["severity"] for record in records] == ["critical", "major", "minor", "info"]


def test_equal_findings_have_different_fingerprints() -> None:
    found = finding("a.py", 0, 1)
    records = json.loads(rendered("gitlab", result_of([Document("a.py", "x")], found, found)))
    assert len({record["fingerprint"] for record in records}) == 2


def test_a_span_that_ends_where_a_row_begins_ends_on_the_row_before() -> None:
    (record,) = json.loads(rendered("gitlab", result_of([Document("a.py", "x\ny\n")], finding("a.py", 0, 2))))
    assert record["location"]["lines"] == {"begin": 1, "end": 1}


def test_a_notebook_cell_is_named_in_the_description() -> None:
    document = notebook()
    start = document.text.index("x.view")
    (record,) = json.loads(
        rendered("gitlab", result_of([document], finding("train.ipynb", start, start + 9)))
    )
    assert record["description"] == "cell 3, row 2: `x` is not contiguous"
    assert record["location"] == {"path": "train.ipynb", "lines": {"begin": 1, "end": 1}}


def test_nothing_found_is_an_empty_array() -> None:
    assert json.loads(rendered("gitlab", CheckResult())) == []
