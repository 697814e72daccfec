"""`--show-settings` says what holds for a path and where it comes from."""

from __future__ import annotations

import json
import os
import sys

import pytest

from torchlsp.cli.main import main

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)


def shown(capsys, *arguments: str) -> list[dict]:
    assert main(["check", "--show-settings", "--output-format", "json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_path_has_its_own(project, capsys) -> None:
    root = project(
        {
            "torchlsp.toml": (
                'torch-version = "2.4"\nexclude = ["gen"]\n[severity]\nTL501 = "info"\n'
                '[per-file-ignores]\n"a.py" = ["TL101"]\n'
            ),
            "a.py": "def f(:\n",
            "sub/pyproject.toml": "[tool.torchlsp]\nrespect-gitignore = false\n",
            "sub/b.py": "",
        }
    )
    first, second = shown(capsys, "a.py", "sub/b.py")
    assert first["path"] == "a.py"
    assert first["source"] == "torchlsp.toml"
    assert first["root"] == str(root)
    assert first["rules"] == {"TL000": "error", "TL001": "warning", "TL501": "info"}
    assert first["exclude"] == ["gen"]
    assert first["per_file_ignores"] == {"a.py": ["TL101"]}
    assert (first["torch_version"], first["torch_version_from"]) == ("2.4", "torch-version in torchlsp.toml")
    assert second["source"] == os.path.join("sub", "pyproject.toml")
    assert second["rules"]["TL101"] == "error"
    assert second["respect_gitignore"] is False


def test_the_command_line_is_part_of_it(project, capsys) -> None:
    project({"torchlsp.toml": 'select = ["TL501"]'})
    (record,) = shown(capsys, "--select", "TL101", "--no-respect-gitignore")
    assert set(record["rules"]) == {"TL000", "TL001", "TL101"}
    assert (record["path"], record["respect_gitignore"]) == (".", False)
    (record,) = shown(capsys, "--isolated")
    assert record["source"] is None


def test_the_interpreter_and_its_torch(project, capsys) -> None:
    root = project(
        {
            "env/bin/python": "",
            "env/pyvenv.cfg": "version = 3.12.1\n",
            "env/lib/python3.12/site-packages/torch-9.8.7.dist-info/METADATA": (
                "Metadata-Version: 2.1\nName: torch\nVersion: 9.8.7\n"
            ),
        }
    )
    (root / "env" / "bin" / "python").chmod(0o755)
    (record,) = shown(capsys, "--python", "env")
    python = str(root / "env" / "bin" / "python")
    assert (record["interpreter"], record["interpreter_from"]) == (python, "--python")
    assert (record["torch_version"], record["torch_version_from"]) == ("9.8.7", f"installed for {python}")
    (record,) = shown(capsys)
    assert record["interpreter"] == sys.executable


def test_as_text(project, capsys) -> None:
    project({"torchlsp.toml": 'torch-version = "2.4"\n'})
    assert main(["check", "--show-settings", ".", "-"]) == 2
    assert main(["check", "--show-settings"]) == 0
    rows = dict(
        line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:] if "rules" not in line
    )
    assert rows["torch"] == "2.4 (torch-version in torchlsp.toml)"
    assert rows["preview"] == "false"


def test_standard_input_has_the_settings_of_its_name(project, capsys) -> None:
    project({"sub/torchlsp.toml": 'ignore = ["TL5"]'})
    (record,) = shown(capsys, "-", "--stdin-filename", "sub/absent.py")
    assert "TL501" not in record["rules"]


def test_a_missing_path_is_a_mistake(project, capsys) -> None:
    project({})
    assert main(["check", "--show-settings", "absent.py"]) == 2
    assert capsys.readouterr().err == "torchlsp: no such file or folder: absent.py\n"
