"""A real Helix in a terminal, set up as editors/README.md shows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor_availability import editors_folder, not_there
from editor_project import FIXED, SOURCE, Desk, block, desk
from terminal import terminal

pytestmark = [pytest.mark.editors, pytest.mark.slow]


def helix() -> str:
    own = editors_folder() / "helix" / "hx"
    found = str(own) if own.exists() else shutil.which("hx") or shutil.which("helix")
    if found is None:
        not_there("Helix is needed", ".ci/install-editors")
    return found


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Desk, list[str]]]:
    """A desk with the files of the README, and the command that opens Helix in it."""
    program = helix()
    home = desk(tmp_path)
    folder = tmp_path / "helix"
    folder.mkdir()
    (folder / "languages.toml").write_text(block("Helix", "toml", 0), encoding="utf-8")
    (folder / "config.toml").write_text(block("Helix", "toml", 1), encoding="utf-8")
    home.environment["XDG_CONFIG_HOME"] = str(tmp_path)
    yield home, [program, "--log", str(tmp_path / "helix.log"), "train.py"]
    os.close(home.alive)


def test_what_the_user_sees(made: tuple[Desk, list[str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    home, command = made
    with terminal(command, home.work, home.environment, tmp_path_factory.mktemp("t")) as screen:
        # The finding's sentence, and the hint behind the assignment.
        screen.until_shown("x.view(2, 12)", "noncontig cannot be viewed as [2, 12]", "f32[2, 4, 3] noncontig")
        screen.keys("/x.view", "Enter")
        screen.keys("Space", "k")
        screen.until_shown("x.view: f32[2, 4, 3] noncontig → f32[2, 12]")
        screen.keys("Escape")
        # Keys that come right behind Escape are taken for one with Alt.
        screen.until("the hover is closed", lambda shown: "→ f32[2, 12]" not in shown)
        screen.keys("Space", "a")
        screen.until_shown("Replace view by reshape")
        screen.keys("Enter")
        screen.until("the fix", lambda shown: "x.reshape(2, 12)" in shown and "cannot be viewed" not in shown)
        # One command: after `:w` the file is there before Helix has noted it, and `:q` is refused.
        screen.keys(":wq", "Enter")
        assert home.until_gone() in ("left with 0\n", "")
        assert (home.work / "train.py").read_text() == FIXED
    assert SOURCE != FIXED
