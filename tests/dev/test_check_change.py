"""The checks that a change concerns: which commands `python -m torchlsp.dev check-change` runs for which files."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlsp.dev.check_change import (
    CONCERNED,
    OF_A_RULE,
    OF_EVERY_MODULE,
    code_of_rule,
    commands,
    concerned_by,
    main,
)

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ["python", "-m", "pytest", "-q"]


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("torchlsp/ops/view.py", ("tests/ops", "tests/rules/test_cases.py")),
        ("torchlsp/ops/modules/conv.py", ("tests/ops", "tests/rules/test_cases.py")),
        ("torchlsp/server/features/hover.py", ("tests/server",)),
        ("tests/lint/test_runner.py", ("tests/lint/test_runner.py",)),
        ("tests/ops/crosscheck.py", ("tests/ops",)),
        ("tests/rules/cases/tl101.py", ("tests/rules/test_cases.py", "tests/rules/test_reproducers.py")),
        ("tests/torch_programs/torch_runs.py", ("tests/rules", "tests/docs_db/test_notes.py")),
        ("torchlsp/__init__.py", ("tests/cli", "tests/test_startup.py")),
        ("LICENSE", ()),
    ],
)
def test_a_file_has_the_tests_of_the_nearest_folder(path: str, tests: tuple[str, ...]):
    assert concerned_by(path) == tests


def test_a_rule_and_its_page_run_the_tests_of_that_rule():
    page = "rules/layout/view_on_noncontiguous.md"
    code = code_of_rule(page, "# TL101 view-on-noncontiguous\n\nTL999 is another.\n")
    assert code == "TL101"
    assert commands([page], {page: code}, mypy=True) == [[*PYTEST, *OF_A_RULE, "-k", "TL101"]]
    assert code_of_rule("rules/layout/_shared.py", '"""TL101"""') is None


def test_python_is_linted_and_typed_and_tested_once():
    files = ["torchlsp/ops/view.py", "tests/ops/test_layers.py", "README.md"]
    assert commands(files, {}, mypy=True) == [
        ["ruff", "check", "--force-exclude", "tests/ops/test_layers.py", "torchlsp/ops/view.py"],
        ["ruff", "format", "--check", "--force-exclude", "tests/ops/test_layers.py", "torchlsp/ops/view.py"],
        ["mypy"],
        [*PYTEST, "tests/ops", "tests/rules/test_cases.py", *sorted(OF_EVERY_MODULE)],
    ]
    assert commands(files, {}, mypy=False)[2][0] == "python"
    assert commands([], {}, mypy=True) == []


def test_every_place_and_every_test_named_exists():
    places = [
        *CONCERNED,
        *OF_A_RULE,
        *OF_EVERY_MODULE,
        *(test for tests in CONCERNED.values() for test in tests),
    ]
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_every_package_has_its_tests():
    packages = {path.parent.name for path in ROOT.glob("torchlsp/*/__init__.py")} - {"rules", "docs_db"}
    assert {f"torchlsp/{name}" for name in packages} <= CONCERNED.keys()


@pytest.mark.processes
def test_the_commands_are_shown_without_being_run(capsys):
    assert main(["--since", "HEAD", "--show"]) == 0
    assert all(line.startswith("$ ") for line in capsys.readouterr().out.splitlines())
    assert main(["--since", "no-such-commit", "--show"]) == 2
