"""Every program of the catalogue: wrong ones are found at their rows, right ones are silent, fixes are right in torch."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from torchlsp.dev import catalogue
from torchlsp.lint.registry import rules

ENTRIES = catalogue.load()
each = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["code"])


@each
def test_wrong_programs_are_found_and_right_ones_are_silent(entry: dict[str, Any]) -> None:
    assert entry["lines"], "it is not said where the finding stands"
    assert [(one.program, one.found) for one in catalogue.held(entry) if not one.holds] == []


@pytest.mark.torch
def test_fixes_make_the_wrong_program_right() -> None:
    pytest.importorskip("torch")
    problems = [
        f"{one.code}: {one.problem}" for one in catalogue.mended(ENTRIES, sys.executable) if one.problem
    ]
    assert not problems, "\n".join(["", *problems])


def test_every_rule_has_an_entry() -> None:
    assert {info.code for info in rules()} == {entry["code"] for entry in ENTRIES}
    assert {info.name for info in rules()} == {entry["name"] for entry in ENTRIES}
    severities = {info.code: info.severity.value for info in rules()}
    assert severities == {entry["code"]: entry["severity"] for entry in ENTRIES}
