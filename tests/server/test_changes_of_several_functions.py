"""Changes in several functions of a text in turn: one whole analysis serves them, for blanks follow each function."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.finding import Edit
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine import standing
from torchlsp.engine.padding import Padding

sys.path.insert(0, str(Path(__file__).parent))

from examined_desk import CLASS, TWO, Desk


@pytest.fixture
def desk(tmp_path):
    return lambda text, **options: Desk(tmp_path, text, **options)


def test_one_whole_analysis_serves_the_changes_of_all_functions(desk):
    one = desk(CLASS)
    assert one.typed("self.first(x)", " ").count("whole") == 0
    how = one.typed("        return self.first(x)", ".relu()")
    assert how.count("whole") == 1 and one.is_as_new()
    for behind, letters in (
        ("torch.ones(2, 3)).t()", ".t()"),
        ("    return torch.ones(2, 3)", ".t()"),
        ("h = self.inner(x)", "\n        w = torch.ones(2, 3).t().view(6)"),
        ("self.second = nn.Linear(4, 5", ", bias=(False)"),
        ("return self.first(x).relu()", ".relu()"),
    ):
        how = one.typed(behind, letters)
        assert set(how) <= {"change", "kept", "same"} and one.is_as_new()
    one.replaced("return torch.ones(2, 3).t()", "return torch.ones(2, 3.t()")
    assert one.examination.how == "kept"
    one.replaced("h = self.inner(x)", "h = self.inner(x")
    one.replaced("return torch.ones(2, 3.t()", "return torch.ones(2, 3).t()")
    one.replaced("h = self.inner(x", "h = self.inner(x)")
    assert one.is_as_new()


@pytest.mark.parametrize("question", [1, 2])
def test_a_change_that_was_broken_off_is_not_kept_when_another_function_changes(desk, question):
    """The text returns to what it was in the first function, while it changes in the second."""
    text = TWO.replace("    return y", "    return y.t()")
    one = desk(text)
    one.typed("torch.zeros(2, 3)", ".exp()")
    text = one.text
    assert one.replaced("torch.ones(4, 6)", "torch.ones(4, 6, 1)").how == "change"
    one.put(text)
    questions = 0

    def cancelled():
        nonlocal questions
        questions += 1
        if questions == question:
            raise Cancelled

    with pytest.raises(Cancelled):
        one.put(text.replace("return y.t()", "return y.t().view(6)"), cancelled)
    one.put(text.replace("return z.view(24)", "return z.reshape(24)"))
    assert one.places() == [] and one.is_as_new()


def test_a_file_of_very_many_functions_has_blanks_after_one_of_them(desk, monkeypatch):
    monkeypatch.setattr(standing, "MOST_FUNCTIONS", 1)
    one = desk(TWO)
    assert one.typed("torch.zeros(2, 3)", ".t().t()").count("whole") == 1 and one.is_as_new()
    assert one.typed("torch.ones(4, 6).t()", ".t().t()").count("whole") == 1 and one.is_as_new()


MOVED_BY_FIXES = """import torch
from torch import nn


def attempted(make):
    return make()  # noqa: TL101


class Net(nn.Module):
    def __init__(self):
        self.first = nn.Linear(3, 4)
        super().__init__()

    def inner(self, x):
        return self.first(x)
"""


def test_fixes_hold_no_blanks_that_the_document_does_not_have(desk):
    one = desk(MOVED_BY_FIXES)
    assert one.typed("self.first(x)", ".exp()")[-1] == "change" and one.is_as_new()
    assert sorted(rule for rule, _ in one.places()) == ["TL001", "TL601"]
    edits = [
        edit for finding in one.examination.result.findings for fix in finding.fixes for edit in fix.edits
    ]
    assert [(one.text[edit.span.start : edit.span.end], edit.text) for edit in edits] == [
        ("  # noqa: TL101", ""), ("", "        super().__init__()\n"), ("        super().__init__()\n", ""),
    ]  # fmt: skip


def test_places_in_a_text_with_blanks_in_several_places():
    document = Document("a.py", "0123456789")
    padding = Padding((3, 7, 10), (2, 4, 3))
    text = padding.of(document).text
    assert text == "012  3456    789   "
    assert [text[padding.inside(offset) : padding.inside(offset) + 1] for offset in (0, 4, 6, 8)] == list(
        "0468"
    )
    assert [padding.outside(padding.inside(offset)) for offset in range(11)] == list(range(11))
    assert [padding.outside(offset) for offset in range(len(text) + 1)] == [
        *(0, 1, 2, 3, 3, 3), *(4, 5, 6, 7, 7, 7, 7, 7), *(8, 9, 10, 10, 10, 10),
    ]  # fmt: skip
    assert padding.grown(1, 3) == Padding((3, 10, 13), (2, 1, 3))
    rewritten = Edit(Span(2, 9), text[2:9].replace("4", "x"))
    assert padding.without(rewritten) == "23x56"
    assert padding.without(Edit(Span(5, 8), "3   6")) == "36"
