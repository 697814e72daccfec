"""What the VS Code extension is built with, wherever it is installed."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from editor_availability import ROOT, editors_folder, not_there

EXTENSION = ROOT / "editors" / "vscode"
REMEDY = "`.ci/install-editors`, or `npm ci` in editors/vscode"


def program(name: str) -> Path:
    """Node or npm, of the editors' folder or else of the PATH."""
    own = editors_folder() / "node" / "node_modules" / ".bin" / name
    found = own if own.exists() else shutil.which(name)
    if found is None:
        not_there(f"the extension needs {name} to be built", REMEDY)
    return Path(found)


def packages() -> Path:
    """The installed packages that the lock asks for."""
    own = EXTENSION / "node_modules"
    if (own / ".bin" / "vsce").exists():
        return own
    folder = editors_folder() / "extension"
    lock = hashlib.sha256((EXTENSION / "package-lock.json").read_bytes()).hexdigest()
    version = folder / "version"
    if not version.exists() or version.read_text().strip() != lock:
        not_there("the extension needs its packages to be built", REMEDY)
    return folder / "node_modules"
