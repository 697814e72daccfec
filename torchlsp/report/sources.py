"""Reads and keeps the texts that a report quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.core.text import Document


class Sources:
    """Maps paths to documents: those of the run, and other files of a because-trail, read when first asked
    for."""

    __slots__ = ("_documents",)

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents: dict[str, Document | None] = dict(documents)

    def get(self, path: str) -> Document | None:
        """Returns a document; None if the file cannot be read any more."""
        if path not in self._documents:
            from torchlsp.engine.reading import read_document
            from torchlsp.files import read_source

            try:
                self._documents[path] = read_document(path, read_source(path))
            except OSError:
                self._documents[path] = None
        return self._documents[path]
