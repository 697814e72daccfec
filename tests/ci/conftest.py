"""What the tests of hooks, actions and recipes share: the command `torchlsp` on the PATH, as installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def command(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the command `torchlsp` of this checkout, first on the PATH."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "torchlsp"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m torchlsp "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "CI_", "INPUT_"))]:
        monkeypatch.delenv(name)
    return folder
