"""A slice ends as the whole program does: with the same error, the same text, at the same statement."""

from __future__ import annotations

from pathlib import Path

import pytest
from generated_programs import Program
from program_runs import difference, run_files, slice_at
from written_programs import PROGRAMS

pytestmark = pytest.mark.torch

SEEDS = 60


def write(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def compared(folder: Path) -> str | None:
    """Returns how the slice of a program differs; "not whole: …" where it cannot be cut, None where it does not differ."""
    whole = run_files(folder)
    assert whole.error is not None and whole.sites
    made = slice_at(whole.sites)
    return f"not whole: {made.reason}" if made.reason is not None else difference(whole, made)


def test_slices_of_written_programs_end_as_the_programs_do(tmp_path):
    found = {name: compared(write(tmp_path / name, texts)) for name, texts in PROGRAMS.items()}
    assert {name: problem for name, problem in found.items() if problem is not None} == {}


def test_slices_of_generated_programs_end_as_the_programs_do(tmp_path):
    different = {}
    whole = 0
    for seed in range(SEEDS):
        program = Program(seed)
        folder = write(tmp_path / str(seed), {"main.py": program.main, "lib.py": program.library})
        problem = compared(folder)
        whole += problem is None or not problem.startswith("not whole")
        if problem is not None and not problem.startswith("not whole"):
            different[seed] = problem
    assert different == {}
    assert whole > SEEDS * 0.8
