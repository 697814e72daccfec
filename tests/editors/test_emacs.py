"""A real Emacs with eglot, set up as editors/README.md shows: pushed diagnostics, columns in UTF-16."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor_availability import not_there
from editor_project import FIXED, LIMIT, LINE, ROW, SOURCE, Desk, block, column, desk
from terminal import terminal

HERE = Path(__file__).parent
pytestmark = [pytest.mark.editors, pytest.mark.slow]


def emacs() -> str:
    found = shutil.which("emacs")
    if found is None:
        not_there("Emacs with eglot is needed", ".ci/install-editors")
    eglot = ["-q", "--batch", "--eval", "(package-initialize)", "--eval", "(require 'eglot)"]
    if subprocess.run([found, *eglot], capture_output=True, timeout=LIMIT).returncode:
        not_there("eglot is needed in Emacs", ".ci/install-editors")
    return found


@pytest.fixture
def made(tmp_path) -> Iterator[tuple[Desk, list[str]]]:
    """A desk, and Emacs with the set-up of the README."""
    program = emacs()
    home = desk(tmp_path)
    # Debian's packages are found only after this.
    (tmp_path / "init.el").write_text(
        "(package-initialize)\n(setq native-comp-async-report-warnings-errors nil)\n"
        + block("Emacs", "elisp"),
        encoding="utf-8",
    )
    yield home, [program, "-q", "-l", str(tmp_path / "init.el")]
    os.close(home.alive)


def test_diagnostics_hover_and_fix(made, tmp_path):
    home, command = made
    report = tmp_path / "report.json"
    ended = subprocess.run(
        [*command, "--batch", "-l", str(HERE / "drive.el")],
        cwd=home.work,
        env=home.environment
        | {"REPORT": str(report), "FILE": str(home.work / "train.py"), "FIX": "Replace view by reshape"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert report.exists(), ended.stderr
    told = json.loads(report.read_text(encoding="utf-8"))
    assert "failed" not in told, f"{told}\n{ended.stderr}"
    (found,) = told["found"]
    assert (found["row"], found["column"], found["end"]) == (ROW, column("x.view"), len(LINE))
    assert found["type"] == "eglot-error"
    assert "torchlsp [TL101]" in found["text"]
    assert "noncontig cannot be viewed as [2, 12]" in found["text"]
    assert "x: f32[2, 4, 3] noncontig" in told["hover"]
    assert told["fixed"] == FIXED.split("\n")
    assert told["typed"] == SOURCE.split("\n")
    assert told["found-again"] == told["found"]
    # Emacs in a batch may end the wrapper before it has said a word; it is gone either way.
    assert home.until_gone() in ("left with 0\n", "")


def test_what_the_user_sees(made, tmp_path_factory):
    home, command = made
    with terminal(
        [*command, "-nw", "train.py"], home.work, home.environment, tmp_path_factory.mktemp("t")
    ) as screen:
        screen.until_shown("Flymake[1 0]", LINE)
        screen.keys("C-s")
        screen.keys("x.view", "Enter")
        screen.until_shown("Mark saved")
        # What is known shows after a movement, below the text.
        screen.keys("C-b")
        screen.until_shown("x.view: f32[2, 4, 3] noncontig → f32[2, 12]")
        screen.keys("C-h", ".")
        screen.until_shown("*eldoc*", "torch.Tensor.view")
        screen.keys("C-x", "1", "M-x")
        screen.keys("flymake-show-buffer-diagnostics", "Enter")
        # Row, column in characters, and the message.
        screen.until_shown(
            f"{ROW} {column('x.view'):>3} error", "torchlsp [TL101]: `x` f32[2, 4, 3] noncontig"
        )
        screen.keys("C-x", "C-c")
        home.until_gone()
