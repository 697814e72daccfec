"""What a command imports: the heavy modules wait until something needs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[1]
NEVER = {"torch", "jedi", "pygls", "lsprotocol", "libcst.codemod", "multiprocessing", "mcp", "anyio"}
PROGRAM = """
import sys
from torchlsp.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("\\n" + " ".join(sys.modules))
"""


def modules_after(folder: Path, *arguments: str) -> set[str]:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    return set(ended.stdout.splitlines()[-1].split())


@pytest.fixture
def folder(project) -> Path:
    clean = "import torch\n\nx = torch.zeros(2, 3).view(6)\n"
    faulty = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
    return project({"clean.py": clean, "faulty.py": faulty, "other.py": "print('no tensors')\n"})


def test_version_imports_nothing_of_the_analysis(folder):
    loaded = modules_after(folder, "--version")
    assert not {name for name in loaded if name.startswith(("torchlsp.engine", "torchlsp.interp", "libcst"))}
    assert not loaded & NEVER


def test_a_clean_file_needs_no_libcst(folder):
    assert not modules_after(folder, "check", "clean.py") & (NEVER | {"libcst", "torchlsp.engine.git"})


def test_a_file_without_torch_needs_no_interpreter(folder):
    loaded = modules_after(folder, "check", "other.py")
    assert not {name for name in loaded if name.startswith(("torchlsp.interp", "torchlsp.ops", "libcst"))}


def test_a_finding_needs_no_matchers_server_or_torch(folder):
    assert not modules_after(folder, "check", "faulty.py") & (NEVER | {"libcst.matchers"})


def test_what_has_not_changed_needs_nothing_of_the_analysis(folder):
    """Neither a parser, nor the interpreter, nor the rules."""
    (folder / "faulty.py").unlink()
    assert "torchlsp.syntax.parse" in modules_after(folder, "check")
    loaded = modules_after(folder, "check")
    analysis = (
        "torchlsp.syntax",
        "torchlsp.program",
        "torchlsp.interp",
        "torchlsp.ops",
        "torchlsp.lint",
        "torchlsp.rules",
    )
    assert not {name for name in loaded if name.startswith((*analysis, "libcst"))}
    # What generates code for classes, and what looks into every kind of archive to know how wide a terminal is.
    slow = {"dataclasses", "inspect", "shutil"} - _imported_by_python()
    assert not loaded & (NEVER | slow | {"difflib", "tempfile"})


def _imported_by_python() -> set[str]:
    """What a Python here imports by itself: an environment's `.pth` files may import anything."""
    ended = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(ended.stdout.split())
