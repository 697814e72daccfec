"""A real VS Code with the extension in it: what its user sees."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from code_server import HERE, House, Seen, built, drive, first_comer, furnished, installed, packed

pytestmark = pytest.mark.slow

# Columns count UTF-16 for VS Code: the line has letters of one and of two units before the fault.
SOURCE = """import torch


def shuffled():
    x = torch.zeros(2, 3, 4).permute(0, 2, 1)
    é = "😀😀"; y = x.view(2, 12)
    return torch.cat([y, y])
"""
CALL = "x.view(2, 12)"
HINT = "y: f32[2, 12]"


def scenario(name: str, factory: pytest.TempPathFactory, run) -> Seen:
    """What a scenario saw; the first of all workers that asks runs it, the others read it."""
    shared = factory.getbasetemp()
    # The workers of pytest-xdist have folders of their own below the run's.
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    report = shared / f"vscode-{name}.json"
    installed()
    with first_comer(shared / f"vscode-{name}.lock") as is_first:
        if is_first:
            seen = run(furnished(shared / f"vscode-{name}"))
            report.write_text(json.dumps(asdict(seen), default=str))
            return seen
    if not report.exists():
        pytest.fail(f"the scenario {name} could not be run; another test says why")
    said = json.loads(report.read_text())
    return Seen(**said | {"pictures": Path(said["pictures"])})


def packages(house: House, *of_the_tests: str) -> list[Path]:
    return [built(installed(), house.home), *(packed(HERE / name, house.home) for name in of_the_tests)]


@pytest.fixture(scope="module")
def editing(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    def run(house: House) -> Seen:
        (house.work / "train.py").write_text(SOURCE, encoding="utf-8")
        settings = {"torchlsp.path": str(house.program), "torchlsp.probe.enable": False}
        return drive(
            "editing", house, packages(house, "bridge"), settings=settings, plan={"call": CALL, "hint": HINT}
        )

    return scenario("editing", tmp_path_factory, run)


def test_the_squiggle_stands_below_its_word(editing):
    seen = editing.of("squiggle")
    (mark,) = seen["marks"]
    assert mark["left"] == pytest.approx(seen["word"]["left"], abs=2)
    assert mark["right"] == pytest.approx(seen["word"]["right"], abs=2)


def test_nothing_is_asked_of_the_network(editing):
    assert editing.outside == []


def test_all_processes_end_with_the_editor(editing):
    assert editing.left_behind == []
