"""Holds the source that all functions of a file are lowered from."""

from __future__ import annotations

from torchlsp.syntax.parse import SyntaxTree


class Source:
    """The file that all its functions are lowered from."""

    __slots__ = ("ascii", "bodies", "document", "is_package", "name", "starts", "tree", "wide_rows")

    def __init__(self, tree: SyntaxTree, name: str | None):
        self.name = name
        self.tree = tree
        self.bodies = tree.outline.bodies if tree.outline is not None else {}
        self.document = tree.document
        lines = self.document.lines
        # The row that ends where it begins: rows are counted from 1.
        self.starts = (0, *lines.starts)
        self.ascii = lines.ascii
        self.wide_rows = lines.wide_rows
        self.is_package = tree.document.path.endswith("__init__.py")
