"""A real Vim with ALE, set up as editors/README.md shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor_availability import not_there
from editor_project import LIMIT, LINE, ROW, Desk, block, desk
from terminal import terminal

HERE = Path(__file__).parent
pytestmark = [pytest.mark.editors, pytest.mark.slow]

# ALE counts bytes where the server counts UTF-16: edits behind letters beyond ASCII would be made elsewhere.
PLAIN = "import torch\n\nx = torch.zeros(2, 3, 4).permute(0, 2, 1)\ny = x.view(2, 12)\n"


def vim() -> str:
    found = shutil.which("vim.nox") or shutil.which("vim")
    ale = "try | packadd ale | catch | cquit | endtry"
    check = ["-u", "NONE", "-i", "NONE", "-es", "-N", "-c", ale, "-c", "qa!"]
    if found is None or subprocess.run([found, *check], stdin=subprocess.DEVNULL, timeout=LIMIT).returncode:
        not_there("Vim with ALE is needed", ".ci/install-editors")
    return found


@pytest.fixture
def made(tmp_path) -> Iterator[tuple[Desk, list[str]]]:
    """A desk, and Vim with the set-up of the README."""
    program = vim()
    home = desk(tmp_path)
    begun = "set nocompatible encoding=utf-8\nfiletype plugin on\n"
    (tmp_path / "vimrc").write_text(begun + block("Vim with ALE", "vim"), encoding="utf-8")
    (home.work / "plain.py").write_text(PLAIN)
    yield home, [program, "-u", str(tmp_path / "vimrc"), "-i", "NONE", "-n"]
    os.close(home.alive)


def driven(made: tuple[Desk, list[str]], name: str, **place: str) -> dict:
    home, command = made
    report = home.home / f"{name}.json"
    ended = subprocess.run(
        [*command, "-es", name, "-S", str(HERE / "drive.vim")],
        cwd=home.work,
        env=home.environment | {"REPORT": str(report), **place},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert report.exists(), ended.stdout + ended.stderr
    told = json.loads(report.read_text(encoding="utf-8"))
    assert "failed" not in told, f"{told}\n{ended.stdout}{ended.stderr}"
    # ALE ends the wrapper along with the server.
    assert home.until_gone() in ("left with 0\n", "")
    return told


def test_diagnostics_hover_and_fix(made):
    told = driven(made, "plain.py", ROW="4", COLUMN="5", FIX="Replace view by reshape")
    (found,) = told["found"]
    assert (found["row"], found["column"], found["code"], found["type"]) == (4, 5, "TL101", "E")
    assert "noncontig cannot be viewed as [2, 12]" in found["text"]
    assert "x: f32[2, 4, 3] noncontig" in told["hover"]
    assert told["fixed"] == PLAIN.replace("x.view", "x.reshape").splitlines()


def test_a_line_with_letters_beyond_ascii(made):
    told = driven(made, "train.py")
    (found,) = told["found"]
    # ALE takes them for bytes, and the mark stands to the left of the word: it is told where the word is.
    units = len(LINE[: LINE.index("x.view")].encode("utf-16-le")) // 2
    assert (found["row"], found["column"]) == (ROW, units + 1)


def test_what_the_user_sees(made, tmp_path_factory):
    home, command = made
    with terminal(
        [*command, "plain.py"], home.work, home.environment, tmp_path_factory.mktemp("t")
    ) as screen:
        screen.until_shown(">>", "x.view")
        screen.keys("/x.view", "Enter")
        screen.until_shown("noncontig cannot be viewed as [2, 12]")
        screen.keys(":ALEHover", "Enter")
        screen.until_shown("x: f32[2, 4, 3] noncontig", "permuted")
        screen.keys(":qa!", "Enter")
        home.until_gone()
