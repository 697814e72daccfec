"""Keeps pages of documentation and of rules as files in the cache folder, for editors to open."""

from __future__ import annotations

import contextlib
import os
import re

from torchlsp import __version__
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.files import read_bytes

FOLDER = "documentation"
RULES = "rules"
_NOT_IN_NAMES = re.compile(r"[^\w.+-]")


def write_page(cache: str, version: str, symbol: str, text: str, kind: str = FOLDER) -> str | None:
    """Writes the page of a symbol, unless it is there already; returns its path, None where nothing can be written."""
    folder = os.path.join(cache, kind, _NOT_IN_NAMES.sub("_", version))
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
    for kind in (FOLDER, RULES):
        for folder, _, names in os.walk(os.path.join(cache, kind)):
            for name in names:
                with contextlib.suppress(OSError):
                    path = os.path.join(folder, name)
                    found.append((path, os.path.getsize(path)))
    return found


class RulePages:
    """The pages of rules as readers get them. Those of the installation say what tests expect, too."""

    def __init__(self) -> None:
        self._written: dict[str, str] = {}

    def path(self, code: str) -> str | None:
        """Returns the file of a rule's page, written where it is missing; None where the rule has none."""
        known = self._written.get(code)
        if known is not None and os.path.isfile(known):
            return known
        from torchlsp.lint.pages import PageError, load_page
        from torchlsp.lint.registry import find

        info = find(code)
        if info is None:
            return None
        try:
            text = load_page(info.page_path).markdown
        except (OSError, PageError):
            return None
        written = write_page(cache_folder(), __version__, f"{info.code}-{info.name}", text, RULES) or str(
            info.page_path
        )
        self._written[code] = written
        return written


def _read(path: str) -> str | None:
    try:
        return read_bytes(path).decode("utf-8")
    except (OSError, ValueError):
        return None
