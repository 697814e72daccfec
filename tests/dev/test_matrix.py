"""The programs of the pages in several releases of torch: how each ends, and the table of what differs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from torchlsp.dev import matrix
from torchlsp.lint.pages import page_paths


@pytest.mark.parametrize(
    ("error", "proof", "kind"),
    [
        ("", "", "ends"),
        ("", "the weights are zero", "ends, the proof fails"),
        ("TypeError: no argument `verbose`: it is gone", "", "raises TypeError"),
        ("hang: rank 1 waits in barrier", "", "hangs"),
    ],
)
def test_how_a_program_ended(error: str, proof: str, kind: str):
    assert matrix.kind_of(SimpleNamespace(error=error, proof=proof)) == kind


def test_only_programs_that_end_otherwise_are_listed():
    measured = {"TL1 a.md:3 bad": "raises TypeError", "TL1 a.md:9 good": "ends", "TL2 b.md:3 bad": "hangs"}
    older = measured | {"TL1 a.md:3 bad": "ends"}
    newer = measured | {"TL1 a.md:3 bad": "raises ValueError", "TL2 b.md:3 bad": "ends"}
    text = matrix.table({matrix.MEASURED: measured, "2.2.2": older, "2.15.0": newer})
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "| torch | programs that end otherwise |",
        "| --- | --- |",
        "| 2.2.2 | 1 |",
        "| 2.15.0 | 2 |",
        "| program | 2.13.0 | 2.2.2 | 2.15.0 |",
        "| --- | --- | --- | --- |",
        "| TL1 a.md:3 bad | raises TypeError | ends | raises ValueError |",
        "| TL2 b.md:3 bad | hangs | same | ends |",
    ]


def test_an_environment_that_is_there_is_used(tmp_path: Path):
    home = tmp_path / "torch-2.2.2"
    home.mkdir()
    (home / "installed").touch()
    assert matrix.environment(tmp_path, "2.2.2") == home / "bin" / "python"


@pytest.mark.torch
def test_programs_end_here_as_their_page_says(monkeypatch):
    def some(folder: Path) -> list[Path]:
        return [path for path in page_paths(folder) if path.stem == "mask_shape"]

    monkeypatch.setattr(matrix, "page_paths", some)
    ends = matrix.ends_of_pages(Path(sys.executable))
    assert ends
    for name, end in ends.items():
        assert end.startswith("raises") if name.endswith(" bad") else end == "ends", (name, end)


def test_a_release_without_environment_is_left_out(monkeypatch, tmp_path: Path, capsys):
    def environment(folder: Path, release: str) -> Path:
        if release == "9.9.9":
            raise matrix.subprocess.CalledProcessError(1, "pip")
        return folder / release

    monkeypatch.setattr(matrix, "environment", environment)
    monkeypatch.setattr(matrix, "ends_of_pages", lambda python: {"TL1 a.md:3 bad": "ends"})
    out = tmp_path / "table.md"
    assert matrix.main(["9.9.9", "2.2.2", "--folder", str(tmp_path), "--out", str(out)]) == 0
    assert "torch 9.9.9: no environment" in capsys.readouterr().err
    assert "| 2.2.2 | 0 |" in out.read_text()
