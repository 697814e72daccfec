"""Converts spans to the rows and columns that formats show: rows of notebooks count within their cell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document, Place


@dataclass(frozen=True, slots=True)
class Extent:
    """Holds both ends of a span, the second exclusive and in the same cell as the first."""

    start: Place
    end: Place

    @property
    def last_row(self) -> int:
        """Returns the last row with a character of the span: one that ends at column 1 has none in the end's
        row."""
        return self.end.row - 1 if self.end.column == 1 and self.end.row > self.start.row else self.end.row


def extent(document: Document, span: Span) -> Extent:
    """Returns rows and columns of a span. What goes beyond a cell, such as the line end below it, is left
    out."""
    end = span.end
    cell = document.cell_at(span.start)
    if cell is not None:
        end = max(span.start, min(end, cell.span.end))
    return Extent(document.place(span.start), document.place(end))


def shown(path: str, document: Document | None, span: Span) -> str:
    """Renders `path:row:column`, `path:cell 3:row:column` in a notebook, the path alone when it cannot be
    read."""
    if document is None:
        return path
    place = document.place(span.start)
    cell = "" if place.cell is None else f"cell {place.cell}:"
    return f"{path}:{cell}{place.row}:{place.column}"


def in_checkout(path: str) -> str:
    """Returns the path with slashes as a CI service knows it: relative to the root of the service's checkout
    when the run is inside one and the file below it, otherwise as shown to the user."""
    root = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if root:
        absolute, prefix = os.path.abspath(path), os.path.join(os.path.abspath(root), "")
        if absolute.startswith(prefix):
            path = absolute[len(prefix) :]
    return path.replace(os.sep, "/")
