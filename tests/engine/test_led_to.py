"""Findings to which calls of other files lead: merged at one place, and moved along with their text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.finding import Applicability, Edit, Finding, Fix, Related, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.callers import importing_files
from torchlsp.engine.led_to import MOST_CALLS, FaultPlace, first_checked, merge, moved_along

TEXT = "import torch\n\n\ndef f(x):\n    y = x.t()\n    return y.view(-1)\n\n\ndef g(x):\n    return x\n"
FAULT = "y.view(-1)"


def span_of(part: str, text: str = TEXT) -> Span:
    return Span(text.index(part), text.index(part) + len(part))


def call(row: int, path: str = "train.py") -> Related:
    return Related(Span(row, row + 1), "`f` is called here", path)


def finding(*related: Related, severity: Severity = Severity.ERROR, path: str = "model.py") -> Finding:
    fix = Fix("Replace", (Edit(span_of("view"), "reshape"),), Applicability.SAFE)
    return Finding("TL101", "a", path, span_of(FAULT), "wrong", severity, related, (fix,))


def merged(*findings: Finding) -> list[Finding]:
    into: dict[FaultPlace, Finding] = {}
    merge(findings, into)
    merge(findings, into)  # the same again adds nothing
    return list(into.values())


def test_the_calls_of_others_are_added_once_and_say_that_they_are_others() -> None:
    transposed = Related(span_of("x.t()"), "transposed here")
    (one,) = merged(finding(transposed, call(1), call(2)), finding(transposed, call(2), call(3)))
    words = [(step.span.start, step.message) for step in one.related[1:]]
    assert one.related[0] == transposed
    assert words == [(1, "`f` is called here"), (2, "`f` is called here"), (3, "`f` is called here too")]


def test_the_more_severe_of_two_findings_is_shown() -> None:
    mild = finding(call(1), severity=Severity.WARNING)
    (one,) = merged(mild, finding(call(2)))
    assert one.severity is Severity.ERROR and [step.span.start for step in one.related] == [2, 1]


def test_the_calls_of_many_files_have_a_bound() -> None:
    (one,) = merged(*(finding(call(row)) for row in range(40)))
    assert len(one.related) == MOST_CALLS


def test_findings_at_one_call_of_two_operations_stay_two() -> None:
    fails = [Related(Span(at, at + 1), "this is the operation that fails", "deep.py") for at in (1, 2)]
    assert len(merged(finding(fails[0]), finding(fails[1]))) == 2


def test_a_finding_is_placed_in_the_first_file_that_is_checked() -> None:
    places = [finding(path=path) for path in ("deep.py", "middle.py", "top.py")]
    asked: dict[str, bool] = {}
    assert first_checked(places, "top.py", frozenset({"other.py"}), asked) is places[2]
    assert asked == {"deep.py": False, "middle.py": False}
    assert first_checked(places, "top.py", frozenset({"middle.py"}), {}) is places[1]
    assert first_checked(places[:1], "top.py", frozenset(), {}) is None


@pytest.mark.parametrize(
    "old, new",
    [
        ("import torch\n", "import torch\nimport os\n"),
        ("import torch\n\n\n", "import torch\n"),
        ("def g(x):\n", "def g(x, y):\n"),
        ("    y = x.t()\n", "    y = x.t().t()\n"),
        ("view(-1)\n", "view(-1)\n    # done\n"),
    ],
)
def test_a_finding_moves_with_what_changes_around_it(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    step = Related(span_of("def f"), "here")
    (moved,) = moved_along([finding(step)], Document("model.py", TEXT), Document("model.py", text))
    assert moved.span == span_of(FAULT, text)
    assert moved.related[0].span == span_of("def f", text)
    assert moved.fixes[0].edits[0].span == span_of("view", text)


@pytest.mark.parametrize("new", ["y.view(-1, 2)", "z.view(-1)", "y.vew(-1)", "", "y.reshape(-1)"])
def test_a_finding_whose_place_has_changed_is_gone(new: str) -> None:
    text = TEXT.replace(FAULT, new)
    assert moved_along([finding()], Document("model.py", TEXT), Document("model.py", text)) == []


def files(folder: Path, **texts: str) -> None:
    (folder / "pyproject.toml").touch()
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)


def test_files_that_import_a_file_come_before_those_that_import_it_by_others(tmp_path: Path) -> None:
    files(
        tmp_path, model=TEXT, a="import z\n", z="from model import f\n", b="import model\n", c="import os\n"
    )

    def found(most: int) -> list[str]:
        paths = importing_files(str(tmp_path / "model.py"), most, lambda: None)
        return [os.path.basename(path) for path in paths]

    assert found(9) == ["b.py", "z.py", "a.py"]
    assert found(2) == ["b.py", "z.py"]


def test_the_search_for_files_that_import_one_can_be_interrupted(tmp_path: Path) -> None:
    files(tmp_path, model=TEXT, a="import model\n")

    def cancelled() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        importing_files(str(tmp_path / "model.py"), 9, cancelled)
