"""`torchlsp doctor`: what it says of the environment and the configuration."""

from __future__ import annotations

import json
import platform
import sys
from importlib import metadata
from pathlib import Path

import pytest

from torchlsp import __version__
from torchlsp.cli.main import main

pytestmark = pytest.mark.processes


@pytest.fixture
def environment(tmp_path: Path, monkeypatch) -> Path:
    """The folder of an environment with torch 9.8.7, with which nothing is active."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "env"
    site = folder / "lib" / "python3.12" / "site-packages" / "torch-9.8.7.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.8.7\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").touch(mode=0o755)
    return folder


def facts(capsys, *arguments: str) -> dict:
    assert main(["doctor", "--output-format", "json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_runs(capsys, environment) -> None:
    told = facts(capsys)
    assert told["torchlsp"] == __version__
    assert told["python"] == f"{platform.python_version()} ({sys.executable})"
    assert told["platform"] == platform.platform()
    assert {name: told[name] for name in ("libcst", "pygls", "jedi")} == {
        name: metadata.version(name) for name in ("libcst", "pygls", "jedi")
    }
    assert told["rules"] > 0
    assert told["interpreter for torch"] == f"{sys.executable} (the Python that runs torchlsp)"


def test_python_chooses(capsys, environment, monkeypatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    told = facts(capsys, "--python", str(environment))
    assert told["interpreter for torch"] == f"{environment / 'bin' / 'python'} (--python)"
    assert (told["torch"], told["torchvision"], told["torchaudio"]) == ("9.8.7", None, None)
    assert main(["doctor", "--python", str(environment)]) == 0
    rows = dict(row.split(None, 1) for row in capsys.readouterr().out.splitlines())
    assert rows["torch"] == "9.8.7"
    assert rows["torchvision"] == "not installed"


def test_a_wrong_python_is_one_line(capsys, environment) -> None:
    assert main(["doctor", "--python", str(environment / "lib")]) == 2
    said = capsys.readouterr().err
    assert said == f"torchlsp: --python {environment / 'lib'}: there is no Python in this folder\n"


def test_an_environment_that_is_gone_is_told(capsys, environment, monkeypatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(environment / "gone"))
    assert "gone" in facts(capsys)["interpreter not used"]


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_an_environment_in_this_folder_that_is_broken_or_not_used_is_told(
    capsys, environment, project, monkeypatch
) -> None:
    root = project({".venv/pyvenv.cfg": "version = 3.12.1\n"})
    assert "there is no Python in it" in facts(capsys)["environment here"]
    (root / ".venv" / "bin").mkdir()
    (root / ".venv" / "bin" / "python").symlink_to("/opt/gone/python3.9")
    told = facts(capsys)["environment here"]
    assert told.startswith(
        ".venv is broken: its bin/python leads to /opt/gone/python3.9, which does not exist. "
    )
    assert "`python3 -m venv --clear .venv` makes it again" in told
    (root / ".venv" / "bin" / "python").unlink()
    (root / ".venv" / "bin" / "python").touch(mode=0o755)
    assert facts(capsys)["environment here"] == ".venv is not used: it is not active; --python .venv names it"
    assert "environment here" not in facts(capsys, "--python", ".venv")
    monkeypatch.setenv("VIRTUAL_ENV", str(root / ".venv"))
    assert "environment here" not in facts(capsys)


def test_check_names_an_active_environment_that_is_broken(capsys, project, monkeypatch) -> None:
    root = project({"a.py": "import torch\n", "env/pyvenv.cfg": ""})
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setenv("VIRTUAL_ENV", str(root / "env"))
    assert main(["check", "a.py"]) == 0
    (told,) = capsys.readouterr().err.splitlines()
    assert told.endswith("is not used: there is no Python in it; see `torchlsp doctor`")
    assert main(["check", "a.py", "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_check_names_a_broken_environment_of_the_folder_where_it_probes(capsys, project, monkeypatch) -> None:
    root = project({"a.py": "import torch\n", ".venv/pyvenv.cfg": ""})
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert main(["check", "a.py", "--probe", "auto"]) == 0
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(
        "torchlsp: .venv is broken: there is no Python in it. `python3 -m venv --clear .venv` makes it again"
    )
    assert told.endswith("; findings are probed in another Python; see `torchlsp doctor`")
    assert main(["check", "a.py"]) == 0  # starts no Python
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("VIRTUAL_ENV", str(root / "own"))
    (root / "own" / "bin").mkdir(parents=True)
    (root / "own" / "bin" / "python").touch(mode=0o755)
    assert main(["check", "a.py", "--probe", "auto"]) == 0
    assert capsys.readouterr().err == ""


def test_the_configuration_that_holds_here(capsys, environment, project) -> None:
    root = project({"torchlsp.toml": "preview = true\n", "below/a.py": ""})
    assert facts(capsys)["configuration"] == str(root / "torchlsp.toml")


def test_a_configuration_with_a_mistake_is_told_and_no_failure(capsys, environment, project) -> None:
    project({"torchlsp.toml": "selekt = []\n"})
    told = facts(capsys)["configuration"]
    assert told.startswith("refused: ")
    assert "selekt" in told
