"""A real Neovim with the set-up that editors/README.md shows: what its user sees of the server."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from wanted import not_there

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
pytestmark = pytest.mark.slow
LIMIT = 100.0

# Columns count bytes for Neovim: the line has letters of two and of four bytes before the fault.
SOURCE = """import torch


def shuffled(flag: bool):
    é = "😀😀"; x = torch.zeros(2, 3, 4).permute(0, 2, 1); y = x.view(2, 12)
    return y
"""
ROW = 5
LINE = SOURCE.splitlines()[ROW - 1]

# What `torchlsp` on the PATH is in these tests: it tells of its end, and holds the pipe open while it lives.
WRAPPER = """#!/bin/sh
exec 9> "$ALIVE"
"$PYTHON" -m torchlsp "$@"
echo "left with $?" >&9
"""


def byte_column(part: str) -> int:
    """Where a part of the line begins, in bytes."""
    return len(LINE[: LINE.index(part)].encode())


def neovim() -> str:
    """The program; without one the test is skipped, or fails where TORCHLSP_REQUIRE names the editors."""
    beside = Path(sys.executable).with_name("nvim")
    found = str(beside) if beside.exists() else shutil.which("nvim")
    version = (0, 0)
    if found is not None:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60).stdout
        number = re.search(r"NVIM v(\d+)\.(\d+)", said)
        version = (int(number[1]), int(number[2])) if number else version
        if version >= (0, 11):
            return found
    there = "none" if found is None else found
    not_there(f"Neovim 0.11 or later is needed, {there} is there", "pip install '.[editors]'")


def set_up_of_readme() -> str:
    """The Lua block that the README tells its reader to take."""
    text = (ROOT / "editors" / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```lua\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return block


@dataclass(frozen=True, slots=True)
class Seen:
    """What Neovim knew, what the server's process said at its end, and Neovim's log of the server."""

    report: dict
    ending: str
    log: str


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    program = neovim()
    home = tmp_path_factory.mktemp("neovim")
    work, binaries = home / "project", home / "bin"
    for folder in (work, binaries, home / "run"):
        folder.mkdir()
    (home / "run").chmod(0o700)
    (work / "pyproject.toml").write_text("[project]\nname = 'trained'\n")
    (work / "train.py").write_text(SOURCE, encoding="utf-8")
    (home / "init.lua").write_text(set_up_of_readme(), encoding="utf-8")
    wrapper = binaries / "torchlsp"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    alive = home / "alive"
    os.mkfifo(alive)
    end = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    environment = {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(binaries), os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": str(home / "run"),
        **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PYTHON": sys.executable,
        # What torch says of a finding comes when it comes.
        "TORCHLSP_PROBE": "off",
        "PYTHONPATH": str(ROOT),
        "ALIVE": str(alive),
        "REPORT": str(home / "report.json"),
        "ROW": str(ROW),
        "COLUMN": str(byte_column("x.view")),
        "FIX": "Replace view by reshape",
    }
    command = [program, "--headless", "-i", "NONE", "-n", "-u", str(home / "init.lua"), "train.py"]
    try:
        ended = subprocess.run(
            [*command, "-c", f"luafile {HERE / 'drive.lua'}"],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        ending = _until_gone(end)
    finally:
        os.close(end)
    log = home / "state" / "nvim" / "lsp.log"
    said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    assert (home / "report.json").exists(), ended.stderr + said
    report = json.loads((home / "report.json").read_text(encoding="utf-8"))
    assert "failed" not in report, f"{report}\n{ended.stderr}\n{said}"
    return Seen(report, ending, said)


def _until_gone(end: int) -> str:
    """What was written to the pipe when all who held it open have gone."""
    said = b""
    while select.select([end], [], [], LIMIT)[0]:
        part = os.read(end, 1000)
        if not part:
            return said.decode()
        said += part
    pytest.fail("the server outlived its editor")


def test_it_is_sent_diagnostics_and_counts_bytes(seen):
    assert seen.report["encoding"] == "utf-8"
    assert not seen.report["pulls"]
    assert Path(seen.report["root"]).name == "project"


def test_the_finding_stands_at_its_bytes(seen):
    (found,) = seen.report["found"]
    assert (found["lnum"], found["col"]) == (ROW - 1, byte_column("x.view"))
    assert found["end_col"] == len(LINE.encode())
    assert (found["code"], found["source"], found["severity"]) == ("TL101", "torchlsp", 1)
    assert "noncontig cannot be viewed as [2, 12]" in found["message"]
    assert any(step.startswith("permuted here") for step in found["because"])


def test_hover_tells_the_fact_and_where_it_came_from(seen):
    assert "x: f32[2, 4, 3] noncontig" in seen.report["hover"]
    assert "permuted" in seen.report["hover"]


def test_hints_stand_behind_their_names(seen):
    after = {
        byte_column("x = ") + 1: ": f32[2, 4, 3] noncontig",
        byte_column("y = ") + 1: ": f32[2, 12]",
    }
    shown = {column: label for row, column, label in seen.report["hints"] if row == ROW - 1}
    assert {column: shown.get(column) for column in after} == after


def test_the_fix_is_made_and_the_finding_goes(seen):
    fixed = SOURCE.replace("x.view(", "x.reshape(").splitlines()
    assert seen.report["fixed"] == fixed


def test_broken_text_is_told_and_hover_still_answers(seen):
    (broken,) = seen.report["broken"]
    assert broken["code"] == "TL000"
    assert broken["lnum"] == len(SOURCE.splitlines())
    assert "f32[2, 4, 3]" in seen.report["hover_while_broken"]


def test_undo_brings_the_finding_back(seen):
    assert seen.report["undone"] == SOURCE.splitlines()
    assert seen.report["found_again"] == seen.report["found"]


def test_nothing_pops_up_and_nothing_is_written_to_stderr(seen):
    assert seen.report["notified"] == []
    assert not [line for line in seen.log.splitlines() if "stderr" in line or "[ERROR]" in line]


def test_the_server_leaves_with_its_editor(seen):
    assert seen.ending == "left with 0\n"
