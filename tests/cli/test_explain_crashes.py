"""`explain` on the output of programs that torch refuses: the operand, the line and the change that mends it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from torch_runs import Program

from torchlsp.engine.explaining import account
from torchlsp.engine.remedies import FINDERS
from torchlsp.report.explaining import as_json, as_text
from torchlsp.report.text import Painter

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CRASHES = tomllib.loads(Path(__file__).with_name("crashes.toml").read_text(encoding="utf-8"))["crash"]
each_crash = pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash["name"])


def answer(crash: dict) -> str:
    """What is printed, on one line."""
    return " ".join(" ".join(as_text(account(crash["output"]), Painter(False))).split())


@each_crash
def test_the_answer_names_operand_line_and_change(project, crash: dict) -> None:
    project({"main.py": crash["program"]})
    said = answer(crash)
    assert [one for one in crash["says"] if one not in said] == []
    assert [one for one in crash.get("never", ()) if one in said] == []


@each_crash
def test_without_the_file_the_answer_is_general(project, crash: dict) -> None:
    project({})
    said = account(crash["output"])
    assert said.explanation is not None and said.explanation.fixes
    assert said.place is not None and said.caught == ()
    assert "line " not in " ".join(said.wrong)


def test_what_is_wrong_is_in_the_data_too(project) -> None:
    crash = next(one for one in CRASHES if one["name"] == "loss weight double")
    project({"main.py": crash["program"]})
    data = as_json(account(crash["output"]))
    assert data["wrong"][0].startswith(
        "The weight of `criterion` (CrossEntropyLoss) is float64, since line 6"
    )
    assert data["fixes"] == ["Convert the weight where the loss is created: `weight=weights.float()`."]


def test_an_error_in_a_finder_leaves_the_general_explanation(project, monkeypatch) -> None:
    def fails(told):
        raise IndexError("no such operand")

    crash = next(one for one in CRASHES if one["name"] == "loss weight double")
    project({"main.py": crash["program"]})
    said = account(crash["output"])
    assert said.explanation is not None and said.wrong
    monkeypatch.setitem(FINDERS, said.explanation.entry.id, (fails,))
    general = account(crash["output"])
    assert general.explanation is not None and general.explanation.fixes
    assert general.wrong != said.wrong


def message(output: str) -> str:
    """The first line of the last error of an output, without its class."""
    lines = [line.partition("]: ")[2] if line.startswith("[rank") else line for line in output.splitlines()]
    named = [line for line in lines if re.match(r"[\w.]*(?:Error|Unsupported): ", line)]
    return named[-1].partition(": ")[2].partition(". Did you mean")[0].strip()


@pytest.mark.torch
@pytest.mark.slow
def test_the_outputs_are_those_of_the_installed_torch(torch_runs) -> None:
    # The package that is missing there may be installed here.
    crashes = [one for one in CRASHES if one["name"] != "onnx not installed"]
    ends = torch_runs.run_all(Program(one["program"]) for one in crashes)
    differing = [
        f"{crash['name']}: {end.error}"
        for crash, end in zip(crashes, ends)
        if message(crash["output"])[:60] not in end.error
    ]
    assert differing == []
