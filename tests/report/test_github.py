"""Workflow commands, read back by the rules of the runner that reads them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from built_findings import finding, notebook, rendered, reshape, result_of
from hypothesis import given
from hypothesis import strategies as st

from torchlsp.core.finding import Outcome, Related, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import CheckResult


def read(row: str) -> tuple[str, dict[str, str], str]:
    """(command, properties, message), as the runner reads `::command key=value,…::message`."""
    head, _, data = row.removeprefix("::").partition("::")
    command, _, written = head.partition(" ")
    properties = dict(pair.split("=", 1) for pair in written.split(","))
    return command, {key: unescaped(value) for key, value in properties.items()}, unescaped(data)


def unescaped(text: str) -> str:
    for written, meant in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(written, meant)
    return text


def one(result: CheckResult) -> tuple[str, dict[str, str], str]:
    (row,) = rendered("github", result).splitlines()
    return read(row)


def test_a_finding_on_one_row() -> None:
    document = Document("a.py", "import torch\nx.view(1)\n")
    found = finding(
        "a.py", 13, 22, fixes=(reshape(15, 19),), related=(Related(Span(0, 12), "torch comes from here"),)
    )
    assert rendered("github", result_of([document], found)) == (
        "::error file=a.py,line=2,col=1,endLine=2,endColumn=10,title=TL101 view-on-noncontiguous"
        "::`x` is not contiguous%0Abecause torch comes from here (a.py:1:1)%0Afix (unsafe): Use `reshape`"
    )


def test_a_span_of_several_rows_has_no_columns() -> None:
    # The runner drops columns when the rows differ, and a row of which nothing is meant is not the last.
    document = Document("a.py", "x.view(\n1)\ny\n")
    _, properties, _ = one(result_of([document], finding("a.py", 0, 10)))
    assert properties == {"file": "a.py", "line": "1", "endLine": "2", "title": "TL101 view-on-noncontiguous"}
    _, properties, _ = one(result_of([document], finding("a.py", 0, 11)))
    assert properties["endLine"] == "2"


@pytest.mark.parametrize(
    ("severity", "command"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")],
)
def test_severities(severity: Severity, command: str) -> None:
    found = finding("a.py", 0, 1, severity=severity)
    document = Document("a.py", "x")
    assert one(result_of([document], found))[0] == command
    refuted = replace(found, verdict=Verdict(Outcome.REFUTED))
    assert one(result_of([document], refuted))[0] == "notice"


def test_a_notebook_cell_is_named_in_the_message() -> None:
    document = notebook()
    start = document.text.index("x.view")
    _, properties, message = one(result_of([document], finding("train.ipynb", start, start + 9)))
    assert properties == {"file": "train.ipynb", "title": "TL101 view-on-noncontiguous"}
    assert message == "cell 3, row 2: `x` is not contiguous"


def test_what_would_end_a_property_or_the_row_is_escaped() -> None:
    path = "a,b:c%0A\n::error::.py"
    found = finding(path, 0, 1, message="50 % of x: y, z::error::")
    row = rendered("github", result_of([Document(path, "x")], found))
    assert row.startswith("::error file=a%2Cb%3Ac%250A%0A%3A%3Aerror%3A%3A.py,line=1,")
    assert row.endswith("::50 %25 of x: y, z::error::")


CONTROLS = "\x1b]0;title\x07\x9b31m\u202e\u2066\u200f\x08\x7f\udcff"


def test_controls_and_marks_of_direction_reach_no_terminal() -> None:
    path = f"a{CONTROLS}\r\nb.py"
    found = finding(path, 0, 1, message=f"is {CONTROLS} wrong")
    row = rendered("github", result_of([Document(path, "x")], found))
    assert row.isprintable()
    assert row.startswith("::error file=a?]0;title??31m??????%0D%0Ab.py,line=1,")
    for name in ("text", "concise", "markdown", "json", "sarif", "gitlab"):
        text = rendered(name, result_of([Document(path, "x")], found))
        assert all(line.isprintable() for line in text.splitlines()), name


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1), st.text())
def test_path_and_message_are_read_back(path: str, message: str) -> None:
    found = finding(path, 0, 1, message=message)
    text = rendered("github", result_of([Document(path, "x")], found))
    assert "\n" not in text and "\r" not in text
    _, properties, read_message = read(text)
    written = (one if one.isprintable() or one in "\t\r\n" else "?" for one in path)
    assert properties["file"] == "".join(written)
    assert [a for a, b in zip(read_message, message, strict=True) if a != b and b.isprintable()] == []
