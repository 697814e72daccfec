"""Names the files by which the top folder of a project is recognised, and those that say what it requires."""

from __future__ import annotations

from fnmatch import fnmatch

PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "torchlsp.toml", ".git", ".hg")
"""A folder that holds one of these is the top of a project."""
REQUIREMENT_FILES = (
    "requirement*.txt", "requirement*.in", "*-requirements.txt", "*_requirements.txt", "environment*.yml", "environment*.yaml",
    "conda*.yml", "conda*.yaml", "env.yml", "env.yaml", "setup.py", "setup.cfg", "pyproject.toml", "Pipfile",
)  # fmt: skip
"""Names of the files in which projects say what they require."""


def is_requirement_file(name: str) -> bool:
    """Returns whether files of this name say what a project requires."""
    return any(fnmatch(name, pattern) for pattern in REQUIREMENT_FILES)
