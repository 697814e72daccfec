"""The hooks of .pre-commit-hooks.yaml, run by pre-commit itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from torchlsp.cli.main import main

yaml = pytest.importorskip("yaml")
pytest.importorskip("pre_commit")
pytestmark = [pytest.mark.processes, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}

BAD = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
GOOD = BAD.replace("view", "reshape")


def pre_commit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"PRE_COMMIT_COLOR": "never"},
    )


@pytest.fixture
def repository(commit, command, monkeypatch, tmp_path_factory):
    """A function that makes a repository with one of the hooks; installed by hand, since nothing is downloaded here."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("pre-commit")))

    def make(name: str, **files: str) -> None:
        hook = HOOKS[name] | {"language": "unsupported"}
        hook.pop("minimum_pre_commit_version")
        config = {"repos": [{"repo": "local", "hooks": [hook]}]}
        commit({".pre-commit-config.yaml": json.dumps(config), **files})

    return make


def test_pre_commit_takes_the_manifest() -> None:
    done = pre_commit("validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout
    assert set(HOOKS) == {"torchlsp", "torchlsp-fix"}


def test_pre_commit_takes_the_example() -> None:
    path = ROOT / "examples" / "ci" / "pre-commit-config.yaml"
    done = pre_commit("validate-config", str(path))
    assert done.returncode == 0, done.stdout
    used: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert {hook["id"] for hook in used} <= set(HOOKS)


def test_a_bad_file_stops_a_commit_and_a_good_one_does_not(repository, project, git) -> None:
    repository("torchlsp")
    assert pre_commit("install").returncode == 0
    project({"a b/é.py": BAD, "notes.txt": BAD})
    git("add", "--all")
    refused = subprocess.run(["git", "commit", "-m", "bad"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "a b/é.py:4:5: error TL101" in refused.stdout + refused.stderr
    assert git("log", "--oneline").count("\n") == 0
    project({"a b/é.py": GOOD})
    git("add", "--all")
    git("commit", "-m", "good")
    assert git("log", "--oneline").count("\n") == 1


def test_only_what_is_staged_is_checked(repository, project, git) -> None:
    repository("torchlsp", **{"old.py": BAD})
    project({"new.py": GOOD, "later.py": BAD, "read.md": BAD})
    git("add", "read.md")
    assert "Skipped" in pre_commit("run").stdout
    git("add", "new.py")
    done = pre_commit("run")
    assert done.returncode == 0 and "Passed" in done.stdout
    done = pre_commit("run", "--all-files")
    assert done.returncode == 1 and "old.py:4:5" in done.stdout and "later.py" not in done.stdout


def test_what_is_excluded_stays_so_though_it_is_named(repository, project, git) -> None:
    repository("torchlsp")
    project({"gen/a.py": BAD, "torchlsp.toml": 'exclude = ["gen"]\n'})
    git("add", "--all")
    assert pre_commit("run").returncode == 0
    project({"torchlsp.toml": ""})
    git("add", "--all")
    assert pre_commit("run").returncode == 1


def test_notebooks_are_checked(repository, project, git) -> None:
    repository("torchlsp")
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": BAD}
    project({"a.ipynb": json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})})
    git("add", "--all")
    done = pre_commit("run")
    assert done.returncode == 1 and "a.ipynb:cell 1:4:5: error TL101" in done.stdout


def test_the_fixing_hook_fixes_and_says_so(repository, project, git) -> None:
    repository("torchlsp-fix")
    root = project({"a.py": BAD})
    git("add", "--all")
    done = pre_commit("run")
    assert done.returncode == 1 and "files were modified by this hook" in done.stdout
    assert (root / "a.py").read_text() == GOOD
    git("add", "--all")
    assert pre_commit("run").returncode == 0


def test_the_hook_that_init_writes_stops_new_findings_only(
    commit, command, project, git, monkeypatch, tmp_path_factory
):
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("pre-commit")))
    commit({"old.py": BAD})
    assert main(["init", "--yes"]) == 0
    git("add", "--all")
    done = pre_commit("run", "--all-files")
    assert done.returncode == 0, done.stdout
    project({"new.py": BAD})
    git("add", "--all")
    done = pre_commit("run", "--all-files")
    assert (done.returncode, "new.py:4:5: error TL101" in done.stdout, "old.py:" in done.stdout) == (
        1,
        True,
        False,
    )


def test_the_example_works_where_there_is_no_environment(repository, project, git) -> None:
    example = yaml.safe_load(
        (ROOT / "examples" / "ci" / "pre-commit-config.yaml").read_text(encoding="utf-8")
    )
    (used,) = example["repos"][0]["hooks"]
    hook = HOOKS[used["id"]] | used | {"language": "unsupported"}
    hook.pop("minimum_pre_commit_version")
    repository("torchlsp")
    project(
        {".pre-commit-config.yaml": json.dumps({"repos": [{"repo": "local", "hooks": [hook]}]}), "a.py": BAD}
    )
    git("add", "--all")
    done = pre_commit("run", "--all-files")
    assert (done.returncode, "a.py:4:5: error TL101" in done.stdout) == (1, True), done.stdout
    project({"a.py": GOOD})
    git("add", "--all")
    assert pre_commit("run", "--all-files").returncode == 0
