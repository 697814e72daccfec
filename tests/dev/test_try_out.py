"""`python -m torchlsp.dev try-out`: an archive is fit if it installs, has the version, checks the examples and serves an editor."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import torchlsp
from torchlsp.dev import try_out

pytestmark = pytest.mark.processes

# Does what is looked at: a version, an exit status for each project, an answer to an editor.
PROGRAM = """
import sys

def entry():
    if sys.argv[1] == "--version":
        print("torchlsp {version}")
    elif sys.argv[1] == "check":
        return {status} if sys.argv[-1].endswith("training_project") else 0
    elif sys.stdin.read().count("Content-Length: ") == 4:
        print('{answer}')
"""
FIT = {"version": torchlsp.__version__, "status": 1, "answer": '{"capabilities": {}}'}


def wheel(folder: Path, **said: object) -> Path:
    """A wheel with a program that says this."""
    path = folder / "torchlsp-0-py3-none-any.whl"
    about = "torchlsp-0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("stand_in.py", PROGRAM.format(**FIT | said))
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: torchlsp\nVersion: 0\n")
        archive.writestr(
            f"{about}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{about}/entry_points.txt", "[console_scripts]\ntorchlsp = stand_in:entry\n")
        archive.writestr(f"{about}/RECORD", "")
    return path


def test_a_fit_archive_is_named_with_the_python_that_ran_it(tmp_path: Path, capsys) -> None:
    assert try_out.main([str(wheel(tmp_path))]) == 0
    assert capsys.readouterr().out.startswith("torchlsp-0-py3-none-any.whl works with Python 3.")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"version": "0.0.0"}, f"is not torchlsp {torchlsp.__version__}"),
        ({"status": 0}, "training_project ends with 0, not 1"),
        ({"answer": ""}, "does not answer `initialize`"),
    ],
)
def test_what_does_not_work_is_named(tmp_path: Path, capsys, said: dict[str, object], why: str) -> None:
    assert try_out.main([str(wheel(tmp_path, **said))]) == 1
    assert why in capsys.readouterr().err
