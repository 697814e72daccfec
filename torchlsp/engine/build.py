"""Identifies this build of torchlsp, so that results of another build are not reused."""

from __future__ import annotations

import importlib.util
import os
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# These do not change what a check finds. The rules do: they are a package of their own, for they need not lie below torchlsp.
_SKIPPED_NAMES = frozenset({"__pycache__", "docs_db", "rules", "server", "dev"})
_PACKAGES = ("torchlsp", "torchlsp.rules")
_LIBCST_VERSION_FILE = "_version.py"


def stamp() -> str:
    """Returns a digest of the paths, sizes and times of this installation's files.

    It takes a millisecond or two. `content` is a digest of the files' text, which is equal on another machine.
    """
    records = [_python_version()]
    for name, path in _files():
        try:
            status = os.stat(path)
        except OSError:
            continue
        records.append(f"{name}\0{path}\0{status.st_size}\0{status.st_mtime_ns}\0")
    return sha256("".join(records).encode("utf-8", "surrogatepass")).hexdigest()


def content() -> str:
    """Returns a digest of this installation's code, of libCST's version, and of the Python that runs both."""
    digest = sha256(_python_version().encode())
    for name, path in _files():
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            continue
        digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogatepass"))
        digest.update(data)
    return digest.hexdigest()


def _python_version() -> str:
    """Returns the full version of Python: also patch releases have changed the positions of `ast` nodes."""
    return f"{sys.implementation.cache_tag} {'.'.join(map(str, sys.version_info))}\0"


def _files() -> Iterator[tuple[str, str]]:
    """Yields the name, independent of where it is installed, and the path of every file, in order."""
    for package in _PACKAGES:
        for folder in _folders(package):
            for name in sorted(_relative_paths(folder, "")):
                yield f"{package}/{name}", os.path.join(folder, name)
    for folder in _folders("libcst"):
        yield "libcst", os.path.join(folder, _LIBCST_VERSION_FILE)


def _folders(package: str) -> list[str]:
    """Returns the folders of a package, without importing it; none if it is not installed."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return sorted((spec.submodule_search_locations or ()) if spec is not None else ())


def _relative_paths(folder: str, prefix: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            children = list(entries)
    except OSError:
        return
    for entry in children:
        if entry.name in _SKIPPED_NAMES:
            continue
        if entry.is_dir():
            yield from _relative_paths(entry.path, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".md", ".toml", ".json")):
            yield prefix + entry.name
