"""Names the files by which the top folder of a project is recognised."""

from __future__ import annotations

PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "torchlsp.toml", ".git", ".hg")
"""A folder that holds one of these is the top of a project."""
