"""Identifies this build of torchlsp, so that results of another build are not reused."""

from __future__ import annotations

import importlib.util
import os
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Nothing of these has a say in what a check finds. The rules are named apart: they need not lie below the package.
_SKIPPED_NAMES = frozenset({"__pycache__", "docs_db", "rules", "server", "dev"})
_PARTS = ("torchlsp", "torchlsp.rules")
_LIBCST_VERSION_FILE = "_version.py"


def stamp() -> str:
    """Returns a digest of the places, sizes and times of this installation's files. It changes when any of
    them may have.

    It takes a millisecond or two; `content` says the same of the files' text, and is equal on another machine.
    """
    found = [_python()]
    for name, path in _files():
        try:
            status = os.stat(path)
        except OSError:
            continue
        found.append(f"{name}\0{path}\0{status.st_size}\0{status.st_mtime_ns}\0")
    return sha256("".join(found).encode("utf-8", "surrogatepass")).hexdigest()


def content() -> str:
    """Returns a digest of this installation's code, of libCST's version, and of the Python that runs both."""
    found = sha256(_python().encode())
    for name, path in _files():
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            continue
        found.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogatepass"))
        found.update(data)
    return found.hexdigest()


def _python() -> str:
    """Returns what decides how source is parsed: `ast` has changed places of nodes in releases of one minor
    version too."""
    return f"{sys.implementation.cache_tag} {'.'.join(map(str, sys.version_info))}\0"


def _files() -> Iterator[tuple[str, str]]:
    """Yields every file in order, by a name that does not depend on where it is installed."""
    for part in _PARTS:
        for folder in _folders(part):
            for name in sorted(_below(folder, "")):
                yield f"{part}/{name}", os.path.join(folder, name)
    for folder in _folders("libcst"):
        yield "libcst", os.path.join(folder, _LIBCST_VERSION_FILE)


def _folders(package: str) -> list[str]:
    """Returns the folder of a package, without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return sorted((spec.submodule_search_locations or ()) if spec is not None else ())


def _below(folder: str, prefix: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if entry.name in _SKIPPED_NAMES:
            continue
        if entry.is_dir():
            yield from _below(entry.path, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".md", ".toml", ".json")):
            yield prefix + entry.name
