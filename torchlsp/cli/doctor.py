"""`torchlsp doctor`: what runs, and which environment's torch is meant. Nothing of it is imported."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

from torchlsp import __version__

if TYPE_CHECKING:
    import argparse


def doctor(options: argparse.Namespace) -> int:
    """Print versions and the interpreter; exit status 0 even without torch, which checking does not need."""
    chosen, reason = interpreter()
    facts: dict[str, Any] = {
        "torchlsp": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "libcst": _own_version("libcst"),
        "pygls": _own_version("pygls"),
        "jedi": _own_version("jedi"),
        "rules": _rule_count(),
        "interpreter for torch": f"{chosen} ({reason})",
        "torch": torch_version(chosen) or "not installed there (checking does not need it)",
    }
    if options.output_format == "json":
        print(json.dumps(facts, indent=2))
        return 0
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
    return 0


def interpreter() -> tuple[str, str]:
    """The Python whose torch the user means, and why it is that one."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = os.environ.get(variable)
        if not prefix:
            continue
        for name in (("Scripts", "python.exe"), ("python.exe",), ("bin", "python")):
            path = os.path.join(prefix, *name)
            if os.path.isfile(path):
                return path, variable
    return sys.executable, "the Python that runs torchlsp"


def torch_version(python: str) -> str | None:
    """The version of torch installed beside an interpreter, read from its metadata without starting it."""
    for folder in _site_packages(python):
        for found in metadata.distributions(name="torch", path=[folder]):
            return found.version
    return None


def _site_packages(python: str) -> list[str]:
    if os.path.realpath(python) == os.path.realpath(sys.executable) and python == sys.executable:
        return sys.path
    # Not resolved: in a virtual environment `python` is a link out of it.
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(python)))
    folders = [os.path.join(prefix, "Lib", "site-packages")]
    for lib in ("lib", "lib64"):
        folder = os.path.join(prefix, lib)
        if os.path.isdir(folder):
            folders.extend(
                os.path.join(folder, name, "site-packages")
                for name in sorted(os.listdir(folder))
                if name.startswith("python")
            )
    return [folder for folder in folders if os.path.isdir(folder)]


def _own_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _rule_count() -> int | str:
    from torchlsp.lint.registry import rules

    return len(rules())
