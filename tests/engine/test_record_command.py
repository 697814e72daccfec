"""The command line that records a run of a file, and the names of the runs that are kept around files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from torchlsp.engine import record_command as module
from torchlsp.engine.record_command import record_command
from torchlsp.engine.record_folders import is_inside, runs_by_workspace
from torchlsp.recorder import store

MAIN = 'if __name__ == "__main__":\n    pass\n'
TEST = "def test_it():\n    pass\n"


def recorded(path: Path, text: str, root: Path | None) -> tuple[list[str], str] | None:
    """What follows `record --`, and the folder."""
    found = record_command(str(path), text, "/env/bin/python", None if root is None else str(root))
    if found is None:
        return None
    arguments = list(found.arguments)
    return arguments[arguments.index("--") + 1 :], found.folder


def test_a_main_block_is_run_as_a_program_of_the_workspace_folder(tmp_path):
    arguments, folder = recorded(tmp_path / "scripts" / "train.py", MAIN, tmp_path)
    assert arguments == ["/env/bin/python", os.path.join("scripts", "train.py")]
    assert folder == str(tmp_path)


def test_outside_of_all_folders_the_project_around_the_file_is_the_folder(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "scripts").mkdir()
    _, folder = recorded(tmp_path / "scripts" / "train.py", MAIN, None)
    assert folder == os.path.realpath(tmp_path)


@pytest.mark.parametrize("name", ["test_it.py", "it_test.py"])
def test_a_file_of_tests_is_run_by_pytest(tmp_path, name):
    arguments, _ = recorded(tmp_path / name, TEST + MAIN, tmp_path)
    assert arguments == ["/env/bin/python", "-m", "pytest", name]


@pytest.mark.parametrize(
    ("name", "text"), [("it.py", TEST), ("test_it.py", "x = 1\n"), ("model.py", "x = 1\n"), ("a.py", "def (")]
)
def test_other_files_have_no_command(tmp_path, name, text):
    assert recorded(tmp_path / name, text, tmp_path) is None


def test_a_program_with_relative_imports_is_run_as_a_module_of_its_package(tmp_path):
    package = tmp_path / "src" / "pkg" / "inner"
    package.mkdir(parents=True)
    for one in (package, package.parent):
        (one / "__init__.py").write_text("")
    arguments, folder = recorded(package / "train.py", "from ..model import Net\n" + MAIN, tmp_path)
    assert (arguments[1:], folder) == (["-m", "pkg.inner.train"], str(tmp_path / "src"))


def test_the_command_starts_torchlsp_by_its_script_or_else_as_a_module(tmp_path, monkeypatch):
    script = tmp_path / "torchlsp"
    monkeypatch.setattr(module.sysconfig, "get_path", lambda name: str(tmp_path))
    found = record_command("train.py", MAIN, "python", str(tmp_path))
    assert found is not None and found.arguments[:3] == (sys.executable, "-m", "torchlsp")
    script.write_text("")
    script.chmod(0o755)
    found = record_command("train.py", MAIN, "python", str(tmp_path))
    assert found is not None and found.arguments[:3] == (str(script), "record", "--")


def test_only_runs_that_have_ended_in_a_workspace_around_a_file_are_listed(tmp_path):
    cache, root = str(tmp_path / "cache"), tmp_path / "project"
    file = root / "package" / "model.py"
    file.parent.mkdir(parents=True)
    assert runs_by_workspace(cache, [str(file)]) == {}
    other = store.new_run(store.records_folder(cache, str(tmp_path / "other")))
    ended, running = (store.new_run(store.records_folder(cache, str(root))) for _ in range(2))
    for run in (other, ended):
        store.write_json(os.path.join(run, store.RUN_FILE), {})
    (found,) = runs_by_workspace(cache, [str(file)]).items()
    assert found == (os.path.realpath(root), (os.path.basename(ended),))
    assert is_inside(str(file), found[0]) and not is_inside(str(tmp_path / "projects" / "a.py"), found[0])
    store.write_json(os.path.join(running, store.RUN_FILE), {})
    assert len(runs_by_workspace(cache, [str(file)])[os.path.realpath(root)]) == 2
