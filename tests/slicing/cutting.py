"""Cuts slices out of programs that are given as texts."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from torchlsp.core.finding import Slice
from torchlsp.core.text import Document
from torchlsp.slicing.modules import NotWhole
from torchlsp.slicing.slicer import Site, cut


class FilesInMemory:
    """Files by path; modules are found next to the file that imports them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def document(self, path: str) -> Document | None:
        return Document(path, self.texts[path]) if path in self.texts else None

    def resolve(self, module: str, importing_path: str) -> str | None:
        name = module.lstrip(".")
        folder = posixpath.dirname(importing_path) if module.startswith(".") else ""
        for _ in range(len(module) - len(name) - 1):
            folder = posixpath.dirname(folder)
        base = posixpath.join(folder, name.replace(".", "/"))
        found = (f"{base}.py", posixpath.join(base, "__init__.py"))
        return next((one for one in found if one in self.texts), None)


def cut_at(texts: str | Mapping[str, str], *places: str) -> Slice:
    """Cuts at the last of the places, by way of those before it: calls, each `text` or `file:text`."""
    files = {"main.py": texts} if isinstance(texts, str) else texts
    sites = []
    for place in places:
        path, colon, wanted = place.partition(".py:")
        path, wanted = (f"{path}.py", wanted) if colon else ("main.py", place)
        # The last one is the call; the first may be the definition.
        start = files[path].rindex(wanted)
        sites.append(Site(path, start, start + len(wanted)))
    return cut(sites, FilesInMemory(files))


def program(texts: str | Mapping[str, str], *places: str) -> str:
    """Returns the program of a slice."""
    return cut_at(texts, *places).program


def reason(texts: str | Mapping[str, str], *places: str) -> str:
    """Returns why a slice is not whole."""
    try:
        made = cut_at(texts, *places)
    except NotWhole as problem:
        return str(problem)
    raise AssertionError(f"it is whole:\n{made.program}")
