"""A script mends the example project through the tools for agents alone; torch then says that it works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra torchlsp[mcp] is not installed")
# The script lies beside its test; pytest's import mode puts no folder on the path.
sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[2]
WORKS = {"TL101": "runs", "TL301": "runs", "TL501": "times 1.000", "TL803": "{}"}
"""What torch says of the parts of a project without faults, as of `examples/correct_project`; of TL201 the training does."""
SIZES = ["--train-windows=32", "--val-windows=8", "--batch-size=8", "--length=16", "--dim=8", "--heads=2"]
IN_TORCH = """
import json, sys
from torch_outcomes import *
parts = {"TL101": view, "TL301": to_numpy, "TL501": gradients, "TL803": ranks}
told = json.dumps({code: outcome(part) for code, part in parts.items()})
import train as training
training.main()
print(told)
"""


@pytest.mark.torch
@pytest.mark.processes
@pytest.mark.asyncio
async def test_the_tools_lead_from_five_faults_to_a_project_that_works(tmp_path: Path) -> None:
    from agent_script import mended

    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "training_project", project)
    steps = await mended(project, tmp_path / "cache")
    assert sorted(steps) == [
        "TL101 apply_fix",
        "TL201 apply_fix",
        "TL301 apply_fix",
        "TL501 apply_fix",
        "TL803 by hand",
    ]
    path = os.pathsep.join(map(str, (ROOT, project, ROOT / "tests" / "rules", Path(__file__).parent)))
    ended = subprocess.run(
        [sys.executable, "-c", IN_TORCH, "--epochs=1", *SIZES, f"--checkpoint={tmp_path / 'model.pt'}"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == WORKS
