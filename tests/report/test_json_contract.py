"""The JSON document that other programs read. Rows and columns count from 1, columns in code points; ends are
exclusive; in a notebook rows count within the cell. Keys are never left out."""

from __future__ import annotations

import json

from built_findings import finding, notebook, rendered, result_of

from torchlsp.core.finding import (
    Applicability,
    Edit,
    Fix,
    Outcome,
    ProbeRequest,
    Raises,
    Related,
    Severity,
    Verdict,
)
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import CheckResult, Engine
from torchlsp.engine.fingerprint import fingerprints

FINDING = {
    "filename": str,
    "location": dict,
    "end_location": dict,
    "cell": int | None,
    "code": str,
    "name": str,
    "message": str,
    "severity": str,
    "group": str | None,
    "fix": dict | None,
    "related": list,
    "probe": dict | None,
    "fingerprint": str,
}
EDIT = {"location": dict, "end_location": dict, "cell": int | None, "content": str}
RELATED = {"filename": str, "location": dict, "end_location": dict, "cell": int | None, "message": str}


def records(result: CheckResult) -> list[dict]:
    return json.loads(rendered("json", result))


def test_a_full_record() -> None:
    # The characters before `x` are four code points, but six UTF-16 units and twelve bytes of UTF-8.
    document = Document("pkg/a.py", "import torch\r\n'𝕏𝕏é'; x.view(\n    6)\r\n")
    start = document.text.index("x.view")
    whole = finding(
        "pkg/a.py",
        start,
        document.text.index(")") + 1,
        related=(
            Related(Span(0, 12), "torch comes from here"),
            Related(Span(2, 4), "from here", path="gone/b.py"),
        ),
        fixes=(
            Fix(
                "Use `reshape`",
                (Edit(Span(start + 2, start + 6), "reshape"), Edit(Span(0, 0), "# é\n")),
                Applicability.SAFE,
            ),
            Fix("Use another", (), Applicability.UNSAFE),
        ),
        probe=ProbeRequest("program", Raises("view")),
        verdict=Verdict(
            Outcome.CONFIRMED,
            "torch",
            "eager-cpu",
            "RuntimeError: view",
            "why",
            "B = 2",
            ("contiguous",),
            "2.13.0",
            "cpu",
            1.5,
            "why not",
            ("f32[2]",),
        ),
        scope="Net.forward",
    )
    result = result_of([document], whole, groups={"TL101": "correctness"})
    (record,) = records(result)
    assert record == {
        "filename": "pkg/a.py",
        "location": {"row": 2, "column": 8},
        "end_location": {"row": 3, "column": 7},
        "cell": None,
        "code": "TL101",
        "name": "view-on-noncontiguous",
        "message": "`x` is not contiguous",
        "severity": "error",
        "group": "correctness",
        "fix": {
            "title": "Use `reshape`",
            "applicability": "safe",
            "edits": [
                {
                    "location": {"row": 2, "column": 10},
                    "end_location": {"row": 2, "column": 14},
                    "cell": None,
                    "content": "reshape",
                },
                {
                    "location": {"row": 1, "column": 1},
                    "end_location": {"row": 1, "column": 1},
                    "cell": None,
                    "content": "# é\n",
                },
            ],
        },
        "related": [
            {
                "filename": "pkg/a.py",
                "location": {"row": 1, "column": 1},
                "end_location": {"row": 1, "column": 13},
                "cell": None,
                "message": "torch comes from here",
            },
            {
                "filename": "gone/b.py",
                "location": None,
                "end_location": None,
                "cell": None,
                "message": "from here",
            },
        ],
        "probe": {
            "verdict": "confirmed",
            "kind": "eager-cpu",
            "evidence": "torch",
            "error": "RuntimeError: view",
            "witness": "B = 2",
            "assumes": ["contiguous"],
            "torch": "2.13.0",
            "device": "cpu",
            "ms": 1.5,
            "reason": "why",
            "facts": ["f32[2]"],
            "own_code": "why not",
        },
        "fingerprint": fingerprints([whole], result.documents)[0],
    }
    assert list(record) == [*list(FINDING)]


def test_what_is_absent_is_null_or_empty() -> None:
    result = result_of([Document("a.py", "x")], finding("a.py", 0, 1, severity=Severity.INFO))
    (record,) = records(result)
    assert (record["cell"], record["fix"], record["related"], record["probe"]) == (None, None, [], None)
    assert record["severity"] == "info"


def test_every_fact_of_a_verdict_may_be_unknown() -> None:
    verdict = Verdict(Outcome.INCONCLUSIVE, reason="no worker")
    (record,) = records(result_of([Document("a.py", "x")], finding("a.py", 0, 1, verdict=verdict)))
    unknown = {key for key, value in record["probe"].items() if value is None}
    assert unknown == {"error", "witness", "torch", "device", "ms", "own_code"}
    assert (record["probe"]["assumes"], record["probe"]["facts"]) == ([], [])


def test_rows_of_a_notebook_count_within_the_cell_that_is_named() -> None:
    document = notebook()
    text = document.text
    start, first = text.index("x.view"), text.index("x = 1")
    edits = (
        Edit(Span(start + 2, start + 6), "reshape"),
        Edit(Span(0, 0), "import os\n"),
        # A row with the line end that joins two cells: the cell cannot give up what it does not have.
        Edit(Span(first, first + 6), ""),
    )
    found = finding(
        "train.ipynb",
        start,
        start + 9,
        related=(Related(Span(first, first + 1), "assigned here"),),
        fixes=(Fix("Use `reshape`", edits),),
    )
    (record,) = records(result_of([document], found))
    assert (record["location"], record["end_location"], record["cell"]) == (
        {"row": 2, "column": 2},
        {"row": 2, "column": 11},
        3,
    )
    (related,) = record["related"]
    assert (related["cell"], related["location"]) == (1, {"row": 2, "column": 1})
    assert [
        (edit["cell"], edit["location"]["row"], edit["location"]["column"], edit["end_location"]["column"])
        for edit in record["fix"]["edits"]
    ] == [(3, 2, 4, 8), (1, 1, 1, 1), (1, 2, 1, 6)]


def test_a_real_notebook(project) -> None:
    def cell(kind: str, source: str) -> dict:
        return {"cell_type": kind, "metadata": {}, "source": source}

    cells = [
        cell("code", "import torch\n"),
        cell("markdown", "# Views"),
        cell("code", "!ls\n%time y = torch.zeros(2, 3).t().view(6)"),
    ]
    project({"a.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})})
    (record,) = records(Engine().check(["."]))
    assert (record["cell"], record["location"], record["end_location"]) == (
        3,
        {"row": 2, "column": 11},
        {"row": 2, "column": 40},
    )


def test_findings_of_one_place_have_fingerprints_of_their_own() -> None:
    one = finding("a.py", 0, 1)
    prints = [record["fingerprint"] for record in records(result_of([Document("a.py", "x")], one, one))]
    assert len(set(prints)) == 2
    assert all(len(value) == 64 and int(value, 16) >= 0 for value in prints)


def test_the_types_of_a_real_run(checked: CheckResult) -> None:
    for record in records(checked):
        check_types(record, FINDING)
        assert record["severity"] in ("error", "warning", "info")
        for related in record["related"]:
            check_types(related, RELATED)
        assert record["fix"]["applicability"] in ("safe", "unsafe")
        for edit in record["fix"]["edits"]:
            check_types(edit, EDIT)
    assert records(checked)[0]["location"] == {"row": 3, "column": 5}


def check_types(record: dict, expected: dict) -> None:
    assert list(record) == list(expected)
    for key, kind in expected.items():
        assert isinstance(record[key], kind), key
        if key in ("location", "end_location"):
            assert list(record[key]) == ["row", "column"]
            assert all(type(number) is int and number >= 1 for number in record[key].values())
