"""The format for coding agents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from built_findings import PLAIN, finding, rendered, reshape, result_of

from torchlsp.core.finding import Applicability, Edit, Fix, Outcome, Related, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document
from torchlsp.engine.agent_environment import VARIABLES
from torchlsp.report.agent import MOST, closing, worst
from torchlsp.report.formats import render
from torchlsp.report.sources import Sources

TEXT = "import torch\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
VIEW = TEXT.index("view")
DOCUMENT = Document("a.py", TEXT)


def at_view(**more):
    return finding("a.py", VIEW, VIEW + 7, **more)


def test_without_findings_there_is_exactly_one_line() -> None:
    assert rendered("agent", result_of([DOCUMENT])) == "No findings in 1 file"


def test_a_finding_has_place_causes_with_their_lines_verdict_and_the_fix_as_an_edit() -> None:
    step = Related(Span(TEXT.index("torch.zeros"), TEXT.index("\ny")), "transposed here: f32[3, 2] noncontig")
    fix = Fix("Replace view by reshape", (Edit(Span(VIEW, VIEW + 4), "reshape"),), Applicability.SAFE)
    verdict = Verdict(Outcome.CONFIRMED, error="RuntimeError: view size is not compatible", torch="2.13.0")
    result = result_of([DOCUMENT], at_view(related=(step,), fixes=(fix,), verdict=verdict))
    assert rendered("agent", result) == (
        "a.py:3:7: error TL101 [view-on-noncontiguous]: `x` is not contiguous\n"
        "    3 | y = x.view(6)\n"
        "  because transposed here: f32[3, 2] noncontig (a.py:2:5)\n"
        "    2 | x = torch.zeros(2, 3).t()\n"
        "  probe: confirmed by torch 2.13.0: your code fails here: RuntimeError: view size is not compatible\n"
        "  fix (safe): Replace view by reshape\n"
        "    @@ -3 +3 @@\n"
        "    -y = x.view(6)\n"
        "    +y = x.reshape(6)\n"
        "\n"
        "1 error in 1 file; 1 fixable with --fix"
    )


def test_without_a_fix_the_page_of_the_rule_is_named() -> None:
    assert "no automatic fix: `torchlsp explain TL101` says what to do" in rendered(
        "agent", result_of([DOCUMENT], at_view())
    )


def test_a_fix_that_would_not_parse_is_not_offered() -> None:
    broken = Fix("Break it", (Edit(Span(VIEW, VIEW + 4), "(("),), Applicability.SAFE)
    assert "Break it" not in rendered("agent", result_of([DOCUMENT], at_view(fixes=(broken,))))


def test_a_fix_in_a_notebook_names_its_cell() -> None:
    text = "import torch\nx.view(1)\n"
    document = Document("train.ipynb", text, cells=(Cell(1, Span(0, 12)), Cell(3, Span(13, 22))))
    place = text.index("view")
    flagged = finding("train.ipynb", place, place + 7, fixes=(reshape(place, place + 4),))
    told = rendered("agent", result_of([document], flagged))
    assert "--- train.ipynb:cell 3" in told
    assert "    +x.reshape(1)" in told


def test_errors_and_confirmed_warnings_come_first_and_what_is_refuted_last() -> None:
    confirmed = Verdict(Outcome.CONFIRMED, torch="2.13.0")
    reproduced = Verdict(Outcome.REPRODUCED, torch="2.13.0")
    refuted = Verdict(Outcome.REFUTED, torch="2.13.0")
    ordered = [
        at_view(message="1", severity=Severity.ERROR, verdict=refuted),
        at_view(message="2", severity=Severity.INFO),
        at_view(message="3", severity=Severity.WARNING),
        at_view(message="4", severity=Severity.WARNING, verdict=confirmed),
        at_view(message="5", severity=Severity.WARNING, verdict=reproduced),
        at_view(message="6", severity=Severity.ERROR),
        at_view(message="7", severity=Severity.INFO, verdict=confirmed),
    ]
    assert [one.message for one in worst(ordered, 0)] == ["4", "5", "6", "3", "2", "7", "1"]
    assert [one.message for one in worst(ordered, 2)] == ["4", "5"]


def test_twenty_are_shown_and_the_others_counted() -> None:
    result = result_of([DOCUMENT], *[at_view() for _ in range(25)])
    told = rendered("agent", result)
    assert len(re.findall("^a.py:3:7: error", told, re.MULTILINE)) == MOST == 20
    assert told.endswith("25 errors in 1 file; 5 findings not shown (--max-findings 0 shows all)")
    assert "not shown" not in closing(result, 0)


def test_notes_stand_in_the_closing_line() -> None:
    assert closing(result_of([DOCUMENT]), MOST, ["one", "two"]) == "No findings in 1 file; one; two"


@pytest.mark.parametrize("text", ["\x1b[31m", "\x00"])
def test_control_characters_of_the_code_do_not_reach_the_reader(text: str) -> None:
    document = Document("a.py", f"x = 1 # {text}\n")
    result = result_of([document], finding("a.py", 0, 1, message=text))
    assert text not in render("agent", result, Sources(result.documents), PLAIN)


def test_the_documents_list_every_variable_of_an_agent() -> None:
    document = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    listed = document.partition("has set one of its\nvariables: ")[2].partition(". The exit status")[0]
    assert re.findall(r"`([^`]+)`", listed) == list(VARIABLES)
