"""Makes a project for an editor that a test starts, a `torchlsp` for it, and reads what editors/README.md tells its user."""

from __future__ import annotations

import os
import re
import select
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from editor_availability import ROOT

README = ROOT / "editors" / "README.md"
LIMIT = 100.0

# The line has letters of two and of four bytes before the fault: a column is another number in each encoding.
SOURCE = """import torch


def shuffled(flag: bool):
    é = "😀😀"; x = torch.zeros(2, 3, 4).permute(0, 2, 1); y = x.view(2, 12)
    return y
"""
ROW = 5
LINE = SOURCE.splitlines()[ROW - 1]
FIXED = SOURCE.replace("x.view(", "x.reshape(")

# What `torchlsp` on the PATH is in these tests: it tells of its end, and holds the pipe open while it lives.
WRAPPER = """#!/bin/sh
exec 9> "$ALIVE"
"$PYTHON" -m torchlsp "$@"
echo "left with $?" >&9
"""


def byte_column(part: str) -> int:
    """Where a part of the line begins, in bytes."""
    return len(LINE[: LINE.index(part)].encode())


def column(part: str) -> int:
    """Where a part of the line begins, in characters."""
    return LINE.index(part)


def block(heading: str, language: str, number: int = 0) -> str:
    """A block of code below a heading of editors/README.md: what its reader is told to take."""
    below = README.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", below, re.DOTALL | re.MULTILINE)[number]


@dataclass(frozen=True, slots=True)
class Desk:
    """`home` is the user's home folder, with this repository's `editors` in its folder `torchlsp`; `work` the project.
    `alive` is the reading end of a pipe that every server keeps open for as long as it lives."""

    home: Path
    work: Path
    environment: dict[str, str]
    alive: int

    def until_gone(self) -> str:
        """What was written to the pipe when all who held it open have gone."""
        said = b""
        while select.select([self.alive], [], [], LIMIT)[0]:
            part = os.read(self.alive, 1000)
            if not part:
                return said.decode()
            said += part
        pytest.fail("the server outlived its editor")


def desk(home: Path) -> Desk:
    """Whoever asks for it closes `alive`."""
    work, binaries = home / "project", home / "bin"
    for folder in (work, binaries, home / "run", home / "torchlsp"):
        folder.mkdir()
    (home / "run").chmod(0o700)
    (home / "torchlsp" / "editors").symlink_to(ROOT / "editors")
    (work / "pyproject.toml").write_text("[project]\nname = 'trained'\n")
    (work / "train.py").write_text(SOURCE, encoding="utf-8")
    wrapper = binaries / "torchlsp"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    alive = home / "alive"
    os.mkfifo(alive)
    environment = {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(binaries), os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "TERM": "screen-256color",
        "XDG_RUNTIME_DIR": str(home / "run"),
        **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PYTHON": sys.executable,
        # What torch says of a finding comes when it comes.
        "TORCHLSP_PROBE": "off",
        "PYTHONPATH": str(ROOT),
        "ALIVE": str(alive),
    }
    return Desk(home, work, environment, os.open(alive, os.O_RDONLY | os.O_NONBLOCK))
