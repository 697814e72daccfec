"""Locates the folder of caches that can be rebuilt: results of checks, verdicts of torch, torch's
documentation."""

from __future__ import annotations

import os
import sys

VARIABLE = "TORCHLSP_CACHE_DIR"


def cache_folder(explicit: str | None = None) -> str:
    """Returns the folder passed, else that of the environment, else the user's cache folder of the platform.
    A project's configuration has no say: it would choose what is written outside the project."""
    named = explicit or os.environ.get(VARIABLE)
    if named:
        return os.path.abspath(os.path.expanduser(named))
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "torchlsp")
