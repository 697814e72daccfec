"""The harness that runs the pages lies beside its tests; pytest's import mode puts no folder on the path."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def torch_runs() -> ModuleType:
    """The module `torch_runs`, imported late: torch takes seconds and not every run of the tests needs it."""
    pytest.importorskip("torch")
    return importlib.import_module("torch_runs")
