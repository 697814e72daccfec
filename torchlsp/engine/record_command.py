"""Words the command line that records a run of a file. Nothing is started here."""

from __future__ import annotations

import os
import sys
import sysconfig

from torchlsp.core.records import dataclass
from torchlsp.recorder import store


@dataclass(frozen=True, slots=True)
class RecordCommand:
    """A command line that records a run of a file, and the folder in which it is to be started."""

    arguments: tuple[str, ...]
    folder: str


def record_command(path: str, text: str, python: str, root: str | None) -> RecordCommand | None:
    """Returns the command that records a run of a file; None for one with neither a main block nor tests.

    `python` is the file's interpreter, `root` the folder of the workspace that the file is in.
    """
    from torchlsp.syntax.program_start import has_main_block, has_relative_imports, has_tests, module_of

    module = module_of(text)
    if module is None:
        return None
    path = os.path.abspath(path)
    folder = root or store.workspace_of(os.path.dirname(path))
    if _is_test_file(path) and has_tests(module):
        what = ["-m", "pytest", os.path.relpath(path, folder)]
    elif not has_main_block(module):
        return None
    elif has_relative_imports(module):
        folder, name = _module_name(path)
        what = ["-m", name]
    else:
        what = [os.path.relpath(path, folder)]
    return RecordCommand((*_own_command(), "record", "--", python, *what), folder)


def _is_test_file(path: str) -> bool:
    """Returns whether pytest collects a file by its name."""
    name = os.path.basename(path)
    return name.startswith("test_") and name.endswith(".py") or name.endswith("_test.py")


def _module_name(path: str) -> tuple[str, str]:
    """Returns the dotted name of a file that its packages give it, and the folder from which it is imported."""
    folder, name = os.path.split(os.path.splitext(path)[0])
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    return folder, name


def _own_command() -> list[str]:
    """Returns what starts torchlsp in a terminal. The script is better than `-m`, with which the modules of the folder
    that it is started in would stand before those of the standard library."""
    name = "torchlsp.exe" if os.name == "nt" else "torchlsp"
    script = os.path.join(sysconfig.get_path("scripts"), name)
    return [script] if os.access(script, os.X_OK) else [sys.executable, "-m", "torchlsp"]
