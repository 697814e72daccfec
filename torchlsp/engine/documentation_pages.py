"""Keeps pages of documentation as files in the cache folder, for editors to open."""

from __future__ import annotations

import contextlib
import os
import re

from torchlsp.files import read_bytes

FOLDER = "documentation"
_NOT_IN_NAMES = re.compile(r"[^\w.+-]")


def write_page(cache: str, version: str, symbol: str, text: str) -> str | None:
    """Writes the page of a symbol, unless it is there already; returns its path, None where nothing can be written."""
    folder = os.path.join(cache, FOLDER, _NOT_IN_NAMES.sub("_", version))
    path = os.path.join(folder, f"{_NOT_IN_NAMES.sub('_', symbol)}.md")
    try:
        # Names that differ in case only are one file on some systems: the newest is kept.
        if _read(path) != text:
            os.makedirs(folder, exist_ok=True)
            temporary = f"{path}.{os.getpid()}.part"
            with open(temporary, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.replace(temporary, path)
    except OSError:
        return None
    return path


def stored_pages(cache: str) -> list[tuple[str, int]]:
    """Returns the pages in the cache, with their sizes."""
    found = []
    for folder, _, names in os.walk(os.path.join(cache, FOLDER)):
        for name in names:
            with contextlib.suppress(OSError):
                path = os.path.join(folder, name)
                found.append((path, os.path.getsize(path)))
    return found


def _read(path: str) -> str | None:
    try:
        return read_bytes(path).decode("utf-8")
    except (OSError, ValueError):
        return None
