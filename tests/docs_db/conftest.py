"""The notes are run by the harness that runs the rules' pages."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def torch_runs() -> ModuleType:
    """The module `tests/rules/torch_runs.py`, imported late: torch takes seconds."""
    pytest.importorskip("torch")
    folder = str(Path(__file__).parents[1] / "rules")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("torch_runs")
