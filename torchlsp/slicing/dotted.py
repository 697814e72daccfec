"""Reads dotted paths off expressions."""

from __future__ import annotations

import ast


def dotted(node: ast.AST, imports: dict[str, str]) -> str | None:
    """Returns the dotted path of a name or attribute that begins at an import."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imports:
        return None
    return ".".join([imports[node.id], *reversed(parts)])
