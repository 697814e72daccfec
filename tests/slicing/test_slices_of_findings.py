"""Findings get their slices: by way of the calls that are told as related places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torchlsp.core.finding import CALLED_HERE, Finding, Hangs, ProbeRequest, Related, Severity, Slice
from torchlsp.core.text import Document, Span
from torchlsp.engine import slices

TEXT = """import torch


def check(x, other):
    y = x.t(); y.view(6); y.view(7)


n = open("a")
check(torch.zeros(2, 3), n)
"""


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "main.py"
    path.write_text(TEXT)
    return Document(str(path), TEXT)


def span(place: str) -> Span:
    start = TEXT.index(place)
    return Span(start, start + len(place))


def finding(document: Document, place: str, *, rule: str = "TL101", calls: tuple[str, ...] = ()) -> Finding:
    related = tuple(Related(span(one), f"`check` is {CALLED_HERE}") for one in calls)
    return Finding(rule, "view", document.path, span(place), "", Severity.ERROR, related)


def sliced(findings: list[Finding], documents: list[Document]) -> list[Finding]:
    problems: list[str] = []
    found = slices.with_slices(findings, documents, problems.append)
    assert problems == []
    return found


def test_finding_in_a_function_is_cut_by_way_of_its_call(document):
    (made,) = sliced([finding(document, "y.view(6)", calls=("check(torch.zeros(2, 3), n)",))], [document])
    assert made.slice is not None and made.slice.reason is None
    assert made.slice.program.endswith("check(torch.zeros(2, 3), None)\n")


def test_findings_on_one_row_have_slices_of_their_own(document):
    call = ("check(torch.zeros(2, 3), n)",)
    made = sliced([finding(document, one, calls=call) for one in ("y.view(6)", "y.view(7)")], [document])
    rows = [
        one.slice.program.splitlines()[one.slice.flag[0] - 1].strip() for one in made if one.slice is not None
    ]
    assert rows == ["y.view(6)", "y.view(7)"]


def test_finding_that_was_moved_to_the_call_is_cut_there(document):
    call = "check(torch.zeros(2, 3), n)"
    (made,) = sliced([finding(document, call, calls=(call,))], [document])
    assert made.slice is not None
    assert made.slice.program.splitlines()[made.slice.flag[0] - 1].startswith("check(")


def test_finding_without_a_call_in_sight_has_a_reason(document):
    (made,) = sliced([finding(document, "y.view(6)")], [document])
    assert made.slice is not None and not made.slice.program
    assert made.slice.reason == "`x` of `check` comes from outside: no call of it is in sight"


def test_finding_of_which_torch_says_nothing_has_no_slice(document):
    (made,) = sliced([finding(document, "y.view(6)", rule="TL000")], [document])
    assert made.slice is None


def test_hang_of_ranks_has_no_slice(document):
    """What the other ranks do after the flagged statement may meet it."""
    of_ranks = replace(
        finding(document, "n = open"), rule="TL801", probe=ProbeRequest("", expect=Hangs(), world=2)
    )
    (made,) = sliced([of_ranks], [document])
    assert made.slice == Slice(reason=slices.OF_RANKS)


def test_internal_error_costs_one_slice(document, monkeypatch):
    broken = finding(document, "y.view(7)")
    whole = slices.slice_of

    def failing(one, files):
        if one == broken:
            raise KeyError("nothing")
        return whole(one, files)

    monkeypatch.setattr(slices, "slice_of", failing)
    call = ("check(torch.zeros(2, 3), n)",)
    problems: list[str] = []
    first, second = slices.with_slices(
        [broken, finding(document, "y.view(6)", calls=call)], [document], problems.append
    )
    assert first.slice is None
    assert second.slice is not None and second.slice.program
    (problem,) = problems
    assert problem.startswith(f"{document.path}: KeyError at ")
