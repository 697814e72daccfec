"""Places and files in the protocol's words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document
from torchlsp.server.convert import Converter, DiagnosticMaker, path_of, place_name, uri_of
from torchlsp.server.features.actions import differences
from torchlsp.syntax.edits import apply_edits

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX paths")


@posix
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("file:/a/b.py", "/a/b.py"),
        ("FILE:///a/b.py", "/a/b.py"),
        ("file://localhost/a/b.py", "/a/b.py"),
        ("file:///a%20b/%C3%A9%F0%9F%98%80.py", "/a b/é😀.py"),
        ("file:///a b/é.py", "/a b/é.py"),
        ("file:///a%25b%2Fc.py", "/a%b/c.py"),
        ("file:///a/b%23c%3Fd%3Be.py", "/a/b#c?d;e.py"),
        ("file:///a/b;c=1.py", "/a/b;c=1.py"),
        ("file:///a/b%0Ac.py", "/a/b\nc.py"),
        ("file:///a/%FF.py", "/a/\udcff.py"),
        ("file:///a/b[1].py", "/a/b[1].py"),
        ("file:///c%3A/b.py", "/c:/b.py"),
        ("untitled:Untitled-1", None),
        ("vscode-notebook-cell:///a/b.ipynb#W1sZmlsZQ%3D%3D", None),
        ("vscode-notebook-cell://127.0.0.1:80/a/b.ipynb#W1", None),
        ("vscode-vfs://github/torch/torch/a.py", None),
        ("git:/a/b.py?%7B%22ref%22%3A%22%22%7D", None),
        ("jdt://[", None),
        ("", None),
    ],
)
def test_the_file_of_a_uri(uri: str, path: str | None):
    assert path_of(uri) == path


@posix
@pytest.mark.parametrize(
    "name", ["a b.py", "é😀.py", "a#b?c;d&e.py", "100%.py", "a%20b.py", "[x].py", "\udcff.py"]
)
def test_a_path_comes_back_from_its_uri(name: str, tmp_path: Path):
    path = str(tmp_path / name)
    assert path_of(uri_of(path)) == path
    assert all(ord(character) < 128 for character in uri_of(path))


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("untitled:Untitled-1", "Untitled-1"),
        ("untitled:/srv/u/new%20file.py", "/srv/u/new file.py"),
        ("vscode-notebook-cell://127.0.0.1:80/a/b.ipynb#W1", "/a/b.ipynb"),
        ("inmemory://model/1", "/1"),
        ("zipfile://", "zipfile://"),
    ],
)
def test_the_name_in_any_uri(uri: str, name: str):
    assert place_name(uri) == name


def cells(*texts: str) -> Document:
    """A notebook of these cells, one below the other."""
    found, start = [], 0
    for number, text in enumerate(texts, 1):
        found.append(Cell(number, Span(start, start + len(text)), f"cell:{number}"))
        start += len(text) + 1
    return Document("n.ipynb", "\n".join(texts), uri="file:///n.ipynb", cells=tuple(found))


def positions(found: types.Range) -> tuple[int, int, int, int]:
    return found.start.line, found.start.character, found.end.line, found.end.character


def test_rows_of_a_notebook_count_within_the_cell():
    document = cells("a = 1\nb = 2", "", "é = '😀'; c = 3\nd")
    converter = Converter(document, "utf-16")
    start = document.text.index("c = 3")
    assert converter.uri(start) == "cell:3"
    assert positions(converter.range(Span(start, start + 5))) == (0, 10, 0, 15)
    assert converter.uri(document.text.index("b")) == "cell:1"
    assert positions(converter.range(Span(len(document.text) - 1, len(document.text)))) == (1, 0, 1, 1)


def test_a_range_does_not_reach_beyond_its_cell():
    document = cells("a = 1", "another = 2")
    found = Converter(document, "utf-16").range(Span(4, len(document.text)))
    assert positions(found) == (0, 4, 0, 5)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 21), ("utf-16", 16), ("utf-32", 14)])
def test_columns_of_one_finding(encoding: str, column: int):
    document = Document("a.py", 'é = "😀😀"; x = y.view(-1)\n')
    start = document.text.index("y.view")
    # é is two bytes, each 😀 four bytes and two units of utf-16.
    assert Converter(document, encoding).position(start).character == column


def maker(document: Document, **named: object) -> DiagnosticMaker:
    asked = {
        "other": lambda path: None,
        "page": lambda code: None,
        "tag": lambda code: None,
        "related": True,
        "supported_tags": frozenset(),
    }
    return DiagnosticMaker(Converter(document, "utf-16"), **(asked | named))


def finding(**named: object) -> Finding:
    asked = {
        "rule": "TL101",
        "name": "view-on-noncontiguous",
        "message": "it cannot",
        "path": "a.py",
        "span": Span(0, 1),
        "severity": Severity.ERROR,
    }
    return Finding(**(asked | named))


def test_only_tags_that_the_client_knows_are_given():
    document = Document("a.py", "x\n")
    deprecated, unnecessary = types.DiagnosticTag.Deprecated, types.DiagnosticTag.Unnecessary
    for supported, given_tags in (({deprecated}, [deprecated]), ({unnecessary}, None), (set(), None)):
        make = maker(document, tag=lambda code: "deprecated", supported_tags=frozenset(supported))
        assert make(finding()).tags == given_tags


def test_severities():
    document = Document("a.py", "x\n")
    for ours, theirs in (
        (Severity.ERROR, types.DiagnosticSeverity.Error),
        (Severity.WARNING, types.DiagnosticSeverity.Warning),
        (Severity.INFO, types.DiagnosticSeverity.Information),
    ):
        assert maker(document)(finding(severity=ours)).severity is theirs


LINES = st.text(st.sampled_from(list("ab\n\r\x0c\u2028é😀")), max_size=20)


@given(old=LINES, new=LINES)
def test_differences_lead_from_one_text_to_the_other(old: str, new: str):
    edits = differences(old, new)
    assert apply_edits(old, edits) == new
    assert (edits == []) == (old == new)


def test_differences_touch_only_the_lines_that_differ():
    old = "".join(f"line {number}\n" for number in range(9))
    new = old.replace("line 3\n", "line three\n").replace("line 7\n", "")
    found = differences(old, new)
    assert [old[edit.span.start : edit.span.end] for edit in found] == ["line 3\n", "line 7\n"]
    assert [edit.text for edit in found] == ["line three\n", ""]
