"""Finds the editors that the tests start, and skips or fails a test whose editor is not installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]


def editors_folder() -> Path:
    """What `.ci/install-editors` filled: the folder named by TORCHLSP_EDITORS, else its default."""
    named = os.environ.get("TORCHLSP_EDITORS")
    return Path(named).absolute() if named else ROOT / ".ci" / "editors"


def not_there(what: str, remedy: str) -> NoReturn:
    """Skips the test, or fails it where TORCHLSP_REQUIRE names the editors. `remedy` is a command."""
    reason = f"{what}: run {remedy}"
    if "editors" in os.environ.get("TORCHLSP_REQUIRE", "").split(","):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
