"""How long hovers are by default: at 200 symbols of torch, and at every name of a small project whose files call each other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = sorted((ROOT / "examples" / "training_project").glob("*.py"))


@pytest.mark.torch
@pytest.mark.processes
@pytest.mark.slow
def test_no_hover_is_longer_than_25_lines() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "hovers.py"), *map(str, PROJECT)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["symbols"]["hovers"] == 200 and found["names"]["hovers"] > 50
    for part in found.values():
        assert part["over_25_lines"] == part["over_25_rows"] == 0
        assert part["lines"]["max"] <= 25
