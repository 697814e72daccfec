"""JUnit XML, read back by an XML parser."""

from __future__ import annotations

from xml.etree import ElementTree

from built_findings import finding, notebook, rendered, reshape, result_of
from hypothesis import given
from hypothesis import strategies as st

from torchlsp.core.finding import Outcome, Related, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import CheckResult


def read(result: CheckResult) -> ElementTree.Element:
    text = rendered("junit", result)
    assert text.isascii() and text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    return ElementTree.fromstring(text.encode())


def counts(element: ElementTree.Element) -> tuple[int, ...]:
    return tuple(int(element.attrib[name]) for name in ("tests", "failures", "errors", "skipped"))


def test_a_suite_for_each_file_and_a_failing_test_for_each_finding() -> None:
    first = finding(
        "a.py", 13, 22, fixes=(reshape(15, 19),), related=(Related(Span(0, 12), "torch comes from here"),)
    )
    second = finding("a.py", 15, 19, severity=Severity.WARNING)
    third = finding("b.py", 0, 1)
    root = read(
        result_of(
            [Document("a.py", "import torch\nx.view(1)\n"), Document("b.py", "x")], first, second, third
        )
    )
    assert (root.tag, root.attrib["name"], counts(root)) == ("testsuites", "torchlsp", (3, 3, 0, 0))
    assert [(suite.attrib["name"], counts(suite)) for suite in root] == [
        ("a.py", (2, 2, 0, 0)),
        ("b.py", (1, 1, 0, 0)),
    ]
    test = root[0][0]
    assert test.attrib == {"name": "TL101 view-on-noncontiguous 2:1", "classname": "a.py"}
    (failure,) = test
    assert (failure.tag, failure.attrib) == ("failure", {"message": "`x` is not contiguous", "type": "error"})
    assert failure.text == (
        "a.py:2:1: TL101 `x` is not contiguous\n"
        "because torch comes from here (a.py:1:1)\n"
        "fix (unsafe): Use `reshape`"
    )
    assert root[0][1][0].attrib["type"] == "warning"


def test_nothing_found_is_one_passing_test() -> None:
    root = read(CheckResult(files=3))
    assert counts(root) == (1, 0, 0, 0)
    (suite,) = root
    (test,) = suite
    assert list(test) == []


def test_an_internal_error_is_a_test_in_error() -> None:
    errors = ["a.py: KeyError at x.py:3: of ours\nTraceback\n  line"]
    root = read(
        CheckResult(files=1, internal_errors=errors, problems=["b: skipped"], stopped=["c: too deep"])
    )
    assert counts(root) == (1, 0, 1, 0)
    (test, notices) = root[0]
    assert test[0].tag == "error"
    assert test[0].attrib["message"] == "a.py: KeyError at x.py:3: of ours"
    assert test[0].text == "Traceback\n  line"
    assert (notices.tag, notices.text) == ("system-err", "b: skipped\nc: too deep")


def test_notices_beside_findings_add_no_test() -> None:
    found = finding("a.py", 0, 1)
    root = read(result_of([Document("a.py", "x")], found, stopped=["c: too deep"]))
    assert counts(root) == (1, 1, 0, 0)
    assert root[1][0].text == "c: too deep"


def test_a_refuted_finding_is_skipped() -> None:
    verdict = Verdict(Outcome.REFUTED, reason="it ran", torch="2.13.0")
    root = read(result_of([Document("a.py", "x")], finding("a.py", 0, 1, verdict=verdict)))
    assert counts(root) == (1, 0, 0, 1)
    assert root[0][0][0].attrib == {"message": "refuted by torch 2.13.0: it ran"}


def test_a_notebook_cell_is_named() -> None:
    document = notebook()
    start = document.text.index("x.view")
    root = read(result_of([document], finding("train.ipynb", start, start + 9)))
    assert root[0][0].attrib["name"] == "TL101 view-on-noncontiguous cell 3:2:2"
    assert (root[0][0][0].text or "").startswith("train.ipynb:cell 3:2:2: TL101 `x`")


def test_what_xml_cannot_hold_is_replaced() -> None:
    message = "a\x00\x1b\x0b\ufffe\uffff\ud800\x7f\x85\u2028<&>\"'😀]]>"
    root = read(result_of([Document("a.py", "x")], finding("a.py", 0, 1, message=message)))
    assert root[0][0][0].attrib["message"] == "a" + "\ufffd" * 6 + "\x7f\x85\u2028<&>\"'😀]]>"


@given(st.text(st.characters()))
def test_every_message_is_read_back_but_for_what_xml_cannot_hold(message: str) -> None:
    root = read(result_of([Document("a.py", "x")], finding("a.py", 0, 1, message=message)))
    expected = message.replace("\r\n", "\n").replace("\r", "\n")
    got = root[0][0][0].attrib["message"]
    assert len(got) == len(expected)
    assert all(a == b or a == "\ufffd" for a, b in zip(got, expected, strict=True))
