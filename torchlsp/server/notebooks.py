"""Joins the cells of an open notebook into one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from torchlsp.core.text import Document
from torchlsp.server.texts import changed

if TYPE_CHECKING:
    from collections.abc import Sequence


class Notebook:
    """The cells of a notebook. `texts` has the code cells in Python, by URI; other cells count only for the
    numbers of those below them."""

    def __init__(self, opened: types.DidOpenNotebookDocumentParams) -> None:
        self.uri = opened.notebook_document.uri
        self.version = opened.notebook_document.version
        self._order = [(cell.document, cell.kind) for cell in opened.notebook_document.cells]
        self.texts: dict[str, Document] = {}
        for item in opened.cell_text_documents:
            self._add(item)

    def change(self, change: types.DidChangeNotebookDocumentParams, encoding: str) -> None:
        """Applies the addition, removal, move or edit of cells."""
        self.version = change.notebook_document.version
        cells = change.change.cells
        if cells is None:
            return
        if cells.structure is not None:
            array = cells.structure.array
            new = [(cell.document, cell.kind) for cell in array.cells or ()]
            self._order[array.start : array.start + array.delete_count] = new
            for opened in cells.structure.did_open or ():
                self._add(opened)
            for closed in cells.structure.did_close or ():
                self.texts.pop(closed.uri, None)
        for cell in cells.data or ():
            self._order = [(uri, cell.kind if uri == cell.document else kind) for uri, kind in self._order]
        for edited in cells.text_content or ():
            self._edit(edited.document.uri, edited.document.version, edited.changes, encoding)

    def document(self, path: str) -> Document:
        """Returns all code cells, one below the other, as the checker reads them."""
        from torchlsp.syntax.notebook import notebook_document

        parts = [
            (number, self.texts[uri].text, uri)
            for number, (uri, kind) in enumerate(self._order, 1)
            if kind == types.NotebookCellKind.Code and uri in self.texts
        ]
        return notebook_document(path, parts, uri=self.uri, version=self.version)

    def _add(self, item: types.TextDocumentItem) -> None:
        if item.language_id == "python":
            self.texts[item.uri] = Document(item.uri, item.text, uri=item.uri, version=item.version)

    def _edit(self, uri: str, version: int, changes: Sequence[Any], encoding: str) -> None:
        before = self.texts.get(uri)
        if before is not None:
            self.texts[uri] = changed(before, changes, version, encoding)
