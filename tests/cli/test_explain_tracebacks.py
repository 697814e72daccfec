"""`explain` on what people paste: the right error, the right meaning, the user's own line."""

from __future__ import annotations

import time

import pytest
from explain_tracebacks import CASES, INTERLEAVED, MODEL, SHAPES
from hypothesis import given, settings
from hypothesis import strategies as st
from reported_tracebacks import CASES as REPORTED

from torchlsp.engine.explaining import account
from torchlsp.engine.tracebacks import cleaned, raised
from torchlsp.report.explaining import as_json, as_text
from torchlsp.report.text import Painter


@pytest.mark.parametrize(
    ("text", "identifier", "place"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_right_meaning_at_the_right_line(text: str, identifier: str | None, place) -> None:
    said = account(text)
    assert (said.explanation.entry.id if said.explanation else None) == identifier
    if place is None:
        assert said.place is None
        return
    assert said.place is not None
    where = said.place.path if said.place.cell is None else f"cell {said.place.cell}"
    assert (where, said.place.row, said.place.source) == place


@pytest.mark.parametrize(
    ("text", "identifier", "place"), [case[1:] for case in REPORTED], ids=[case[0] for case in REPORTED]
)
def test_what_people_reported(text: str, identifier: str, place: tuple[str, int] | None) -> None:
    said = account(text)
    assert said.explanation is not None and said.explanation.entry.id == identifier
    if place is None:
        assert said.place is None
        return
    assert said.place is not None
    where = said.place.path if said.place.cell is None else f"cell {said.place.cell}"
    assert (where, said.place.row) == place


@pytest.mark.parametrize("cases", [CASES, REPORTED], ids=["made up", "reported"])
def test_there_are_forty(cases) -> None:
    assert len(cases) >= 40 and len({case[0] for case in cases}) == len(cases)


def test_what_a_rank_did_is_not_mixed_with_the_others() -> None:
    first, second, *rest = raised(cleaned(INTERLEAVED))
    assert rest == []
    assert (first.stream, second.stream) == ("[rank1]:", "[rank0]:")
    assert first.frames == second.frames == raised(MODEL)[0].frames
    assert first.text == second.text == SHAPES.partition(": ")[2].strip()


def test_eight_ranks_that_write_line_by_line() -> None:
    ranks = [[f"[rank{rank}]: {line}\n" for line in MODEL.splitlines()] for rank in range(8)]
    found = raised(cleaned("".join(line for lines in zip(*ranks) for line in lines)))
    assert [one.stream for one in found] == [f"[rank{rank}]:" for rank in range(8)]
    assert {one.frames for one in found} == {raised(MODEL)[0].frames}


def test_thousands_of_ranks_do_not_take_long() -> None:
    text = "".join(f"[rank{rank}]: Traceback (most recent call last):\n" for rank in range(40_000))
    begun = time.process_time()
    account(text)
    assert time.process_time() - begun < 5


def test_marks_below_a_line_are_columns_of_its_source() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/a/b.py", line 3, in f\n    y = g(x) + h(x)\n'
        "        ~~~~~^~~~~~\nRuntimeError: no\n"
    )
    (error,) = raised(text)
    carets = error.frames[0].carets
    assert carets is not None and error.frames[0].source[slice(*carets)] == "g(x) + h(x)"


def test_the_check_that_failed_on_the_gpu_is_told_from_the_lines_before() -> None:
    text = next(case[1] for case in CASES if case[0] == "device-side assert")
    said = account(text)
    assert said.explanation is not None
    assert "`t >= 0 && t < n_classes`" in said.explanation.here


def test_of_a_log_only_the_line_is_quoted() -> None:
    text = next(case[1] for case in CASES if case[0] == "log without a traceback")
    assert account(text).error.text == "ERROR " + SHAPES.strip()


def test_what_other_tools_draw_below_an_error_is_no_part_of_it() -> None:
    for drawn in (
        "=========== short test summary info ===========\nFAILED a.py\n",
        "  0%|          | 0/10 [00:00<?]\n",
    ):
        (error,) = raised(cleaned(MODEL + drawn))
        assert error.text == SHAPES.partition(": ")[2].strip()


def test_what_other_programs_print_below_is_not_quoted() -> None:
    text = MODEL + "wandb: you can sync this run\n"
    assert not any("wandb" in line for line in as_text(account(text), Painter(False)))


def test_who_handed_an_error_on_is_told() -> None:
    said = account(next(case[1] for case in CASES if case[0] == "worker, collate"))
    assert said.carrier is not None and said.carrier.entry.id == "E51"
    assert "  Worker 0 raised RuntimeError." in as_text(said, Painter(False))


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_nothing_that_is_printed_can_drive_a_terminal(case) -> None:
    for text in (case[1], case[1].replace("main", "ma\x1b[2Jin\u202e\x07\x9b31m")):
        said = account(text)
        lines = as_text(said, Painter(False))
        assert all(line.isprintable() for line in lines)
        assert "\x1b" not in str(as_json(said))


PIECES = [piece for case in CASES for piece in case[1].splitlines(keepends=True)]
PIECES += [
    "\r",
    "\n",
    "│",
    "╭── Traceback (most recent call last) ──╮\n",
    "╰──╯\n",
    'File "',
    "[rank0]: ",
    "E   ",
    "----> 1 ",
]


@pytest.mark.slow
@settings(max_examples=150, deadline=2000)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=30), max_size=40).map("".join))
def test_any_text_is_answered(text: str) -> None:
    said = account(text)
    assert all(line.isprintable() for line in as_text(said, Painter(True)) if "\x1b" not in line)
    assert as_json(said)["id"] == (said.explanation.entry.id if said.explanation else None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "Traceback (most recent call last):\n",
        "[rank0]: Traceback (most recent call last):\n[rank0]: x\n",
        '  File "/a.py", line 1, in f\n',
        "RuntimeError: x\n",
        "RuntimeError",
        "E   x\n",
        "a:1: ",
        "a.",
        "\x1b[",
        "\x1b]",
        " " * 50,
        "│ ❱ 1 │ ",
        "│" * 40,
        "╭ Traceback (most recent call last)\n",
        "\r",
        "During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n",
        MODEL,
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    begun = time.process_time()
    account(text)
    assert time.process_time() - begun < 4
