"""`--add-ignores` makes the next check silent and names what it could not ignore."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main

pytestmark = pytest.mark.usefixtures("stand_in")
HEAD = "import torch\n"


def test_the_next_check_is_silent(project, capsys) -> None:
    root = project(
        {"a.py": HEAD + "x.view(1)\r\n", "b.py": "\ufeff" + HEAD + "'é'; x.view(1); y.view(2)  # why"}
    )
    assert main(["check", "--add-ignores"]) == 0
    assert capsys.readouterr().out == (
        "No findings in 2 files\n3 findings ignored by comments that were added\n"
    )
    assert (root / "a.py").read_bytes() == (HEAD + "x.view(1)  # torchlsp: ignore[TL101]\r\n").encode()
    assert (root / "b.py").read_bytes() == (
        "\ufeff" + HEAD + "'é'; x.view(1); y.view(2)  # why  # torchlsp: ignore[TL101]"
    ).encode()
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "No findings in 2 files\n"


def test_a_reason_and_a_path(project) -> None:
    root = project({"src/a.py": HEAD + "x.view(1)\n", "b.py": HEAD + "x.view(1)\n"})
    assert main(["check", "--add-ignores", "src"]) == 0
    assert (root / "src" / "a.py").read_text().endswith("x.view(1)  # torchlsp: ignore[TL101]\n")
    assert main(["check", "--add-ignores=not ours", "b.py"]) == 0
    assert (root / "b.py").read_text().endswith("x.view(1)  # torchlsp: ignore[TL101] not ours\n")


def test_what_takes_no_comment_is_named(project, capsys) -> None:
    text = HEAD + "y = x.view(1) + '''\n'''\nz = x.view(2)\n"
    root = project({"a.py": text, "b.py": "def f(:\n"})
    assert main(["check", "--add-ignores", "--output-format", "concise"]) == 1
    shown = capsys.readouterr()
    assert [line.split(" ", 1)[0] for line in shown.out.splitlines()] == ["a.py:2:7:", "b.py:1:7:"]
    assert "torchlsp: a.py:2:7: TL101 not ignored: no line of it takes a comment\n" in shown.err
    assert "torchlsp: b.py:1:7: TL000 not ignored: a file must be readable\n" in shown.err
    assert (root / "a.py").read_text() == text.replace("view(2)", "view(2)  # torchlsp: ignore[TL101]")
    assert (root / "b.py").read_text() == "def f(:\n"


def test_with_a_baseline_only_new_findings_are_ignored(project) -> None:
    root = project({"a.py": HEAD + "x.view(1)\n"})
    main(["check", "--write-baseline", "b.json"])
    (root / "a.py").write_text(HEAD + "x.view(1)\nx.view(2)\n")
    assert main(["check", "--add-ignores", "--baseline", "b.json"]) == 0
    assert (root / "a.py").read_text() == HEAD + "x.view(1)\nx.view(2)  # torchlsp: ignore[TL101]\n"


def test_a_file_that_cannot_hold_the_reason_stays_as_it_is(project, capsys) -> None:
    data = b"# coding: latin-1\nimport torch\nx.view('\xe9')\n"
    root = project({"a.py": data})
    assert main(["check", "--add-ignores=\N{SNOWMAN}"]) == 1
    assert "TL101 not ignored: the fixed text cannot be written as latin-1" in capsys.readouterr().err
    assert (root / "a.py").read_bytes() == data


def test_a_notebook(project, capsys) -> None:
    code = ["import torch\n", "%matplotlib inline\n", "x.view(1)"]
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [{"x": 1}], "execution_count": 1, "source": code},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 2, "source": ["!ls\n", "x.view(2)\n"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 3, "source": ["%time y = x.view(3)"]},
    ]  # fmt: skip
    top = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    root = project({"a.ipynb": json.dumps(top, indent=1)})
    assert main(["check", "--add-ignores=why"]) == 0
    after = json.loads((root / "a.ipynb").read_text())
    comment = "  # torchlsp: ignore[TL101] why"
    assert [cell["source"] for cell in after["cells"]] == [
        [*code[:-1], "x.view(1)" + comment],
        ["!ls\n", "x.view(2)" + comment + "\n"],
        ["%time y = x.view(3)" + comment],
    ]
    assert after["cells"][0]["outputs"] == [{"x": 1}]
    assert main(["check"]) == 0


@pytest.mark.slow
def test_on_the_real_rules(tmp_path: Path) -> None:
    """A copy of the example project is silent after one run, and means the same."""
    import ast
    import shutil

    root = Path(__file__).parents[2]
    shutil.copytree(root / "examples" / "training_project", tmp_path / "p")
    files = sorted((tmp_path / "p").rglob("*.py"))
    before = [ast.dump(ast.parse(path.read_text(encoding="utf-8"))) for path in files]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(root)}
        command = [sys.executable, "-m", "torchlsp", "check", "p", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert run().returncode == 1
    assert run("--add-ignores").returncode == 0
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No findings in ")
    assert [ast.dump(ast.parse(path.read_text(encoding="utf-8"))) for path in files] == before
