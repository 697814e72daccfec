"""Engines that run the stand-in analysis."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def engine():
    """A function from options to an engine with the stand-in rules."""
    from fake_analysis import RULES, analyse

    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Engine, Options

    def make(*, fix=False, unsafe_fixes=False, diff=False, **overrides) -> Engine:
        options = Options(Overrides(**overrides), fix=fix, unsafe_fixes=unsafe_fixes, diff=diff)
        return Engine(options, runner=analyse, rules=RULES)

    return make
