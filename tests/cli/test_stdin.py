"""`torchlsp check -`: text that comes from standard input."""

from __future__ import annotations

import io
import json
import sys

import pytest

from torchlsp.cli.main import main

pytestmark = pytest.mark.usefixtures("stand_in")
HEAD = "import torch\n"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch):
    """A function that puts text or bytes on standard input."""

    def put(data: str | bytes) -> None:
        data = data if isinstance(data, bytes) else data.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))

    return put


@pytest.mark.parametrize("options", [[], ["--force-exclude"], ["--stdin-filename", ""]])
def test_findings_name_the_text(project, given, capsys, options: list[str]) -> None:
    project({})
    given(HEAD + "'é'; x.view(1)\n")
    assert main(["check", "-", "--output-format", "concise"]) == 1
    assert (
        capsys.readouterr().out == "<stdin>:2:8: error TL101 `x` is not contiguous [view-on-noncontiguous]\n"
    )


def test_text_without_findings(project, given, capsys) -> None:
    project({"a.py": HEAD + "x.view(1)\n"})
    given(HEAD)
    assert main(["check", "-"]) == 0
    assert capsys.readouterr().out == "No findings in 1 file\n"


def test_the_name_is_shown_and_finds_its_configuration(project, given, capsys) -> None:
    project(
        {
            "a/torchlsp.toml": '[per-file-ignores]\n"tests/**" = ["TL101"]\n',
            "torchlsp.toml": 'ignore = ["TL1"]\n',
        }
    )
    for name, status in (("a/b.py", 1), ("a/tests/b.py", 0), ("b.py", 0)):
        given(HEAD + "x.view(1)\n")
        assert main(["check", "-", "--stdin-filename", name, "--output-format", "json"]) == status
        records = json.loads(capsys.readouterr().out)
        assert [record["filename"] for record in records] == [name] * status


def test_fixed_text_goes_to_stdout_and_findings_to_stderr(project, given, capsysbinary) -> None:
    root = project({"a.py": HEAD + "x.view(1)\n"})
    given(b"\xef\xbb\xbf" + HEAD.encode() + "x.view('é')  # crlf\r\n".encode())
    arguments = ["check", "-", "--stdin-filename", "a.py", "--fix"]
    assert main([*arguments, "--unsafe-fixes"]) == 0
    shown = capsysbinary.readouterr()
    assert shown.out == b"\xef\xbb\xbf" + HEAD.encode() + "x.reshape('é')  # crlf\r\n".encode()
    assert shown.err == b"1 fix made, no findings in 1 file\n"
    given(HEAD + "x.view(1)\n")
    assert main([*arguments, "--output-format", "concise"]) == 1
    shown = capsysbinary.readouterr()
    assert shown.out == HEAD.encode() + b"x.view(1)\n"
    assert shown.err == b"a.py:2:3: error TL101 `x` is not contiguous [view-on-noncontiguous]\n"
    assert (root / "a.py").read_text() == HEAD + "x.view(1)\n"


@pytest.mark.parametrize(
    "data", [b"x = '\xff'\n", b"def f(:\n", b"", b"\0", b"# coding: latin-1\nx = '\xff'"]
)
def test_text_that_cannot_be_fixed_comes_back_as_it_was(project, given, capsysbinary, data: bytes) -> None:
    project({})
    given(data)
    main(["check", "-", "--fix"])
    assert capsysbinary.readouterr().out == data


def test_diff(project, given, capsys) -> None:
    project({})
    given(HEAD + "x.view(1)\n")
    assert main(["check", "-", "--diff", "--unsafe-fixes", "--stdin-filename", "a.py"]) == 1
    assert capsys.readouterr().out == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n import torch\n-x.view(1)\n+x.reshape(1)\n"
    )


def test_exclude_holds_only_by_force(project, given, capsys) -> None:
    project({"torchlsp.toml": 'exclude = ["gen"]'})
    arguments = ["check", "-", "--stdin-filename", "gen/a.py"]
    given(HEAD + "x.view(1)\n")
    assert main(arguments) == 1
    capsys.readouterr()
    given(HEAD + "x.view(1)\n")
    assert main([*arguments, "--force-exclude"]) == 0
    assert capsys.readouterr().out == "No findings in 0 files\n"
    given(HEAD + "x.view(1)\n")
    assert main([*arguments, "--force-exclude", "--fix", "--unsafe-fixes"]) == 0
    assert capsys.readouterr().out == HEAD + "x.view(1)\n"


def test_a_notebook(project, given, capsys) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# hi"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": ["import torch\n", "x.view(1)"]},
    ]  # fmt: skip
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    project({})
    given(notebook)
    assert main(["check", "-", "--stdin-filename", "a.ipynb", "--output-format", "json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["cell"], record["location"]) == (2, {"row": 2, "column": 3})
    given(notebook)
    assert main(["check", "-", "--stdin-filename", "a.ipynb", "--fix", "--unsafe-fixes"]) == 0
    assert capsys.readouterr().out == notebook.replace("x.view", "x.reshape")
