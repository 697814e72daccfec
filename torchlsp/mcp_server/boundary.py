"""Keeps the paths of tools inside of the workspace."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchlsp.engine.explaining import is_below
from torchlsp.report.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.core.text import Document


class Refused(Exception):
    """The reason why a tool does not do what it is asked."""


class Boundary:
    """The folder that tools may look into."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)

    def path(self, given: str) -> str:
        """Returns a path of an existing file or folder, relative to the workspace. Raises Refused for any other."""
        if "\0" in given:
            raise Refused("a path has no null character")
        path = os.path.join(self.root, given)
        if not self.holds(path):
            raise Refused(f"{given}: outside the workspace {self.root}")
        if not os.path.exists(path):
            raise Refused(f"{given}: no such file or folder")
        return os.path.relpath(os.path.realpath(path), self.root)

    def file(self, given: str) -> str:
        """Returns the path of an existing Python file or notebook. Raises Refused."""
        path = self.path(given)
        if not os.path.isfile(os.path.join(self.root, path)) or not path.lower().endswith((".py", ".ipynb")):
            raise Refused(f"{given}: not a Python file or notebook")
        return path

    def holds(self, path: str) -> bool:
        """Returns whether a path leads to something in the workspace, whatever links are on the way."""
        return is_below(path, self.root)


class SourcesInside(Sources):
    """The texts that a report quotes, without those outside of the workspace, which imports may lead to."""

    __slots__ = ("_boundary",)

    def __init__(self, documents: Mapping[str, Document], boundary: Boundary) -> None:
        super().__init__(documents)
        self._boundary = boundary

    def get(self, path: str) -> Document | None:
        """Returns a document of the workspace; None for others, and if it cannot be read any more."""
        return super().get(path) if self._boundary.holds(path) else None
