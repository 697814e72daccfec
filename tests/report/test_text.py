"""Text for people: what is marked, and that marks stand below what they mark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from built_findings import PLAIN, finding, notebook, rendered, reshape, result_of

from torchlsp.core.finding import Applicability, Fix, Outcome, Related, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document
from torchlsp.report.text import summary


def quoted(text: str, marked: str) -> list[str]:
    """The row and its marks below it, for a finding at `marked` in a file of this text."""
    start = text.index(marked)
    result = result_of([Document("a.py", text)], finding("a.py", start, start + len(marked)))
    return rendered("text", result).splitlines()[1:3]


def test_a_span_of_several_rows_is_marked_to_the_end_of_the_first() -> None:
    assert quoted("y = x.view(  \n    6,\n)\n", "x.view(  \n    6,\n)") == [
        "    1 | y = x.view(  ",
        "      |     ^^^^^^^",
    ]


def test_tabs_stay_tabs_above_and_below() -> None:
    assert quoted("\tif\tx.view(1,\t2)", "x.view(1,\t2)") == [
        "    1 | \tif\tx.view(1,\t2)",
        "      | \t  \t^^^^^^^^^\t^^",
    ]
    assert quoted("a\t\t# b", "\t\t") == ["    1 | a\t\t# b", "      |  ^"]


@pytest.mark.parametrize(
    ("before", "cells"),
    [
        ("'漢字'", 6),
        ("'👍'", 4),
        # A combining accent, a Thai vowel above its consonant, a variation selector.
        ("'e\u0301'", 3),
        ("'ก\u0e31'", 3),
        ("'❤\ufe0f'", 3),
        # Shown as `?`, so one cell, whatever the character is.
        ("'\u3000'", 3),
        ("'\u200b'", 3),
        ("'\x1b'", 3),
    ],
)
def test_marks_stand_below_what_they_mark(before: str, cells: int) -> None:
    row, marks = quoted(f"{before}; 漢.view(1)", "漢.view(1)")
    assert marks == "      | " + " " * (cells + 2) + "^" * 10
    assert row.endswith("; 漢.view(1)")


def test_a_very_long_row_is_cut_around_what_is_marked() -> None:
    head, tail = "a" * 500, "b" * 500
    row, marks = quoted(f"{head}; x.view(1); {tail}", "x.view(1)")
    assert row.startswith("    1 | ...aaaa") and row.endswith("bbbb...")
    assert row[marks.index("^") : marks.rindex("^") + 1] == "x.view(1)"
    assert len(row) < 200


def test_a_long_row_marked_at_its_end_is_cut_on_the_left_only() -> None:
    row, marks = quoted("a" * 500 + "; x.view(1)", "x.view(1)")
    assert row.startswith("    1 | ...aaaa") and row.endswith("; x.view(1)")
    assert marks.endswith("^" * 9) and len(marks) == len(row)


def test_a_long_row_marked_throughout_is_marked_as_far_as_it_is_shown() -> None:
    text = "x" * 500
    row, marks = quoted(text, text)
    assert row.endswith("xxx...") and marks.count("^") == row.count("x") == 160


def test_rows_beyond_99999_keep_their_marks_in_line() -> None:
    row, marks = quoted("\n" * 123_455 + "x.view(1)", "x.view(1)")
    assert (row, marks) == ("123456 | x.view(1)", "       | ^^^^^^^^^")


def test_an_empty_span_at_the_end_of_a_row_has_one_mark() -> None:
    result = result_of([Document("a.py", "ab\nc")], finding("a.py", 2, 2))
    assert rendered("text", result).splitlines()[1:3] == ["    1 | ab", "      |   ^"]


def test_a_step_in_another_file_quotes_that_file(project) -> None:
    project({"model.py": "import torch\nx = y.t()\n"})
    step = Related(Span(17, 22), "transposed here", path="model.py")
    result = result_of([Document("a.py", "x.view(1)")], finding("a.py", 0, 9, related=(step,)))
    assert rendered("text", result).splitlines()[3:6] == [
        "  because transposed here (model.py:2:5)",
        "    2 | x = y.t()",
        "      |     ^^^^^",
    ]


def test_a_step_in_a_file_that_is_gone_is_told_without_quoting(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    step = Related(Span(17, 22), "transposed here", path="gone.py")
    result = result_of([Document("a.py", "x.view(1)")], finding("a.py", 0, 9, related=(step,)))
    assert rendered("text", result).splitlines()[3:] == ["  because transposed here (gone.py)"]


def test_a_notebook_names_the_cell_and_counts_its_rows() -> None:
    document = notebook()
    start = document.text.index("x.view")
    step = Related(Span(0, 12), "torch comes from here")
    result = result_of([document], finding("train.ipynb", start, start + 9, related=(step,)))
    head = "train.ipynb:cell 3:2:2: error TL101 `x` is not contiguous [view-on-noncontiguous]"
    assert rendered("concise", result) == head
    assert rendered("text", result).splitlines() == [
        head,
        "    2 | \tx.view(1)",
        "      | \t^^^^^^^^^",
        "  because torch comes from here (train.ipynb:cell 1:1:1)",
        "    1 | import torch",
        "      | ^^^^^^^^^^^^",
    ]


def test_a_notebook_is_quoted_as_it_was_written() -> None:
    """What only IPython reads is blanked in the text that is analysed."""
    written = "x.view(1); !ls"
    document = Document(
        "a.ipynb", written[:11] + "   ", original=written, cells=(Cell(1, Span(0, len(written))),)
    )
    row = rendered("text", result_of([document], finding("a.ipynb", 0, 9))).splitlines()[1]
    assert row == "    1 | x.view(1); !ls"


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (
            Verdict(Outcome.CONFIRMED, error="RuntimeError: view size\nis not", torch="2.13.0"),
            "  probe: confirmed by torch 2.13.0: your code fails here: RuntimeError: view size is not",
        ),
        (
            Verdict(Outcome.CONFIRMED, "emulated", "logical-device", error="RuntimeError", torch="2.13.0"),
            "  probe: confirmed (emulated device): your code fails here: RuntimeError",
        ),
        (
            Verdict(Outcome.REPRODUCED, error="RuntimeError: no", torch="2.13.0", witness="B=2"),
            "  probe: torch 2.13.0 refuses these operands: RuntimeError: no (with B=2)",
        ),
        (
            Verdict(
                Outcome.REPRODUCED, error="AttributeError: no", torch="2.13.0", shown="has no `torch.foo`"
            ),
            "  probe: torch 2.13.0 has no `torch.foo`: AttributeError: no",
        ),
        (
            Verdict(Outcome.REPRODUCED, reason="nothing is raised, but it differs", torch="2.13.0"),
            "  probe: torch 2.13.0 shows it: nothing is raised, but it differs",
        ),
        (
            Verdict(Outcome.REPRODUCED, "emulated", "logical-device", error="RuntimeError", torch="2.13.0"),
            "  probe: would raise (emulated device): RuntimeError",
        ),
        (
            Verdict(Outcome.REPRODUCED, "emulated", "ranks", torch="2.13.0"),
            "  probe: would hang (simulated ranks)",
        ),
        (
            Verdict(Outcome.REFUTED, reason="it ran", torch="2.13.0"),
            "  probe: refuted by torch 2.13.0: it ran",
        ),
        (Verdict(Outcome.REFUTED, "emulated", "logical-device"), "  probe: refuted (emulated device)"),
        (Verdict(Outcome.INCONCLUSIVE, reason="no worker"), "  probe: inconclusive: no worker"),
    ],
)
def test_only_what_real_kernels_did_is_said_of_torch(verdict: Verdict, line: str) -> None:
    result = result_of([Document("a.py", "x.view(1)")], finding("a.py", 0, 9, verdict=verdict))
    assert rendered("text", result).splitlines()[3] == line


def test_a_verdict_says_what_it_rests_on() -> None:
    verdict = Verdict(
        Outcome.REPRODUCED,
        error="RuntimeError: no",
        facts=("f32[2, 3]", "i64[?]"),
        own_code="`x` of `f` comes from outside",
    )
    result = result_of([Document("a.py", "x.view(1)")], finding("a.py", 0, 9, verdict=verdict))
    assert rendered("text", result).splitlines()[4:6] == [
        "    operands: f32[2, 3], i64[?]",
        "    your own code proves nothing: `x` of `f` comes from outside",
    ]
    confirmed = replace(verdict, outcome=Outcome.CONFIRMED, own_code=None)
    result = result_of([Document("a.py", "x.view(1)")], finding("a.py", 0, 9, verdict=confirmed))
    assert "operands" not in rendered("text", result)


def test_a_refuted_finding_is_counted_apart() -> None:
    refuted = finding("a.py", 0, 9, verdict=Verdict(Outcome.REFUTED))
    document = Document("a.py", "x.view(1)")
    assert rendered("concise", result_of([document], refuted)).endswith("[view-on-noncontiguous] (refuted)")
    assert summary(result_of([document], refuted), PLAIN, fixed=False) == "1 refuted in 1 file"
    both = result_of([document], finding("a.py", 0, 9), refuted)
    assert summary(both, PLAIN, fixed=False) == "1 error, 1 refuted in 1 file"


def test_control_characters_reach_the_terminal_from_nowhere() -> None:
    evil = "\x1b]0;x\x07"
    found = finding(
        f"{evil}.py",
        0,
        1,
        message=evil,
        related=(Related(Span(0, 1), evil),),
        fixes=(Fix(evil, (), Applicability.SAFE),),
        verdict=Verdict(Outcome.INCONCLUSIVE, reason=evil),
    )
    result = result_of([Document(f"{evil}.py", evil)], found)
    for name in ("text", "concise"):
        text = rendered(name, result)
        assert "\x1b" not in text and "\x07" not in text
    assert rendered("text", result).count("]0;x") == 8
    assert "\x1b" not in rendered("github", result).split("::")[2]


def test_the_first_fix_is_told_with_its_safety() -> None:
    document = Document("a.py", "x.view(1)")
    unsafe = finding("a.py", 0, 9, fixes=(reshape(2, 6), Fix("Another", ())))
    assert rendered("text", result_of([document], unsafe)).splitlines()[3:] == [
        "  fix (unsafe): Use `reshape`"
    ]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("transposed here", "because transposed here"),
        ("if CUDA is available", "only if CUDA is available"),
        ("unless the caller switches gradients off", "unless the caller switches gradients off"),
        (
            "with NumPy 2.4; older versions may let torch do it",
            "with NumPy 2.4; older versions may let torch do it",
        ),
    ],
)
def test_an_assumption_is_not_worded_as_a_reason(message: str, line: str) -> None:
    document = Document("a.py", "x.view(1)\n")
    one = finding("a.py", 0, 9, related=(Related(Span(0, 1), message),))
    assert f"  {line} (a.py:1:1)" in rendered("text", result_of([document], one)).splitlines()
