"""`--timings` says where the time went."""

from __future__ import annotations

import json
import re

import pytest

from torchlsp.cli.main import main
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.stopwatch import STEPS

HEAD = "import torch\n"


def rows(err: str) -> tuple[dict[str, float], list[list[str]]]:
    """Seconds by step, and (seconds, steps, path) of the slowest files."""
    by_step, files = err.split("torchlsp: the slowest of ")
    by_step = by_step.split("torchlsp: the rules that took most")[0]
    steps = [line.split(maxsplit=1) for line in by_step.splitlines()[1:]]
    return {name: float(seconds) for seconds, name in steps}, [
        line.split(maxsplit=2) for line in files.splitlines()[1:]
    ]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("options", [[], ["--fix"], ["--diff"], ["-q"]])
def test_the_table(project, capsys, options: list[str]) -> None:
    project({f"a{number:02}.py": HEAD + "x.view(1)\n" for number in range(12)})
    main(["check", "--output-format", "text", *options, "--timings"])
    steps, files = rows(capsys.readouterr().err)
    assert tuple(steps) == STEPS
    assert len(files) == 10
    assert [file[0] for file in files] == sorted((file[0] for file in files), reverse=True)
    # The stand-in takes seven steps; fixing looks twice.
    assert {int(file[1]) % 7 for file in files} == {0}


@pytest.mark.usefixtures("stand_in")
def test_findings_stay_apart(project, capsys) -> None:
    project({"a.py": HEAD + "x.view(1)\n"})
    assert main(["check", "--timings", "--output-format", "json"]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 1


@pytest.mark.processes
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_steps_of_the_real_analysis(project, monkeypatch, jobs: int) -> None:
    from torchlsp.engine import pool

    monkeypatch.setattr(pool, "number_of_workers", lambda jobs, seconds: jobs)
    bad = HEAD + "x = torch.zeros(2, 3).t().view(6)\n"
    project({"a.py": bad, "b.py": bad})
    result = Engine(Options(jobs=jobs)).check(["."])
    assert len(result.findings) == 2
    assert set(result.seconds) == set(STEPS) - {"fixes", "reporting"} | {"TL101"}
    assert all(seconds > 0 for seconds in result.seconds.values())
    spent = sum(seconds for step, seconds in result.seconds.items() if step != "discovery")
    assert spent <= sum(one.seconds for one in result.timings)


def test_what_each_rule_took(project, capsys) -> None:
    project({"a.py": HEAD + "x = torch.zeros(2, 3).t().view(6)\ny = x.bmm(x)\n"})
    main(["check", "--timings"])
    _, _, told = capsys.readouterr().err.partition(
        "torchlsp: the rules that took most, in seconds and of the whole\n"
    )
    shown = [line.split() for line in told.partition("torchlsp:")[0].splitlines()]
    assert {row[2] for row in shown} == {"TL101", "TL106"}
    # A rule may take less than what is written of a second.
    assert all(re.fullmatch(r"\d+\.\d+", row[0]) and re.fullmatch(r"\d+\.\d%", row[1]) for row in shown)
