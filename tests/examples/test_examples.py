"""`torchlsp check` on the two example projects, and torch's own word on their bugs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
HARNESS = ROOT / "tests" / "rules"

# Each bug by its file, the text of its line and its code.
EXPECTED = {
    ("model.py", "return x.view(batch, steps, heads * head_dim)", "TL101"),
    ("evaluate.py", "matrix.update(predicted.numpy(), labels.numpy())", "TL301"),
    ("train.py", "loss = criterion(logits, labels)", "TL201"),
    ("train.py", "loss.backward()", "TL501"),
    ("train.py", "mean = reduce_mean(loss)", "TL803"),
}

# What torch says of the parts that hold the bugs, by project.
OUTCOMES = {
    "training_project": {
        "TL101": "RuntimeError: view size is not compatible with input tensor's size and stride",
        "TL201": "RuntimeError: expected target dtype to be Long or Byte, but got Int",
        "TL301": "TypeError: can't convert cuda:0 device type tensor to numpy",
        "TL501": "times 2.000",
        "TL803": "{0: 'all_reduce'",
    },
    "correct_project": {
        "TL101": "runs",
        "TL201": "runs",
        "TL301": "runs",
        "TL501": "times 1.000",
        "TL803": "{}",
    },
}


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(folder), str(HARNESS)])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def check(folder: str) -> tuple[int, list[dict]]:
    ended = run("-m", "torchlsp", "check", folder, "--output-format=json", "--isolated", folder=EXAMPLES)
    assert ended.stderr == ""
    return ended.returncode, json.loads(ended.stdout)


def place(finding: dict) -> tuple[str, str, str]:
    path = EXAMPLES / finding["filename"]
    line = path.read_text(encoding="utf-8").splitlines()[finding["location"]["row"] - 1]
    return path.name, line.strip(), finding["code"]


@pytest.mark.processes
def test_training_project_shows_exactly_its_five_bugs():
    status, findings = check("training_project")
    assert {place(finding) for finding in findings} == EXPECTED
    assert len(findings) == len(EXPECTED)
    assert status == 1


@pytest.mark.processes
def test_correct_project_is_silent():
    assert check("correct_project") == (0, [])


@pytest.mark.processes
def test_findings_name_the_other_files_that_they_rest_on():
    _, findings = check("training_project")
    others = {
        finding["code"]: {Path(related["filename"]).name for related in finding["related"]}
        for finding in findings
    }
    assert "distributed.py" in others["TL803"]
    assert "data.py" in others["TL201"]


@pytest.mark.torch
@pytest.mark.parametrize("project", sorted(OUTCOMES))
def test_torch_agrees(project):
    ended = run(str(Path(__file__).with_name("torch_outcomes.py")), folder=EXAMPLES / project)
    assert ended.returncode == 0, ended.stderr
    outcomes = json.loads(ended.stdout.splitlines()[-1])
    assert outcomes.keys() == OUTCOMES[project].keys()
    for code, beginning in OUTCOMES[project].items():
        assert outcomes[code].startswith(beginning), code


@pytest.mark.torch
def test_correct_project_trains_and_evaluates(tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    sizes = ["--train-windows=32", "--val-windows=8", "--batch-size=8", "--length=16", "--dim=8", "--heads=2"]
    ended = run(
        "train.py", "--epochs=2", *sizes, f"--checkpoint={checkpoint}", folder=EXAMPLES / "correct_project"
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("accuracy") == 2
    if checkpoint.exists():
        ended = run("evaluate.py", str(checkpoint), "--windows=16", folder=EXAMPLES / "correct_project")
        assert ended.returncode == 0, ended.stderr
        assert "accuracy" in ended.stdout
