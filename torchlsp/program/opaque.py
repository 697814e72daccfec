"""Represents code that is nested too deeply to be lowered."""

from __future__ import annotations

import ast

from torchlsp.program import ir


def opaque(node: ast.stmt, start: int, end: int) -> list[ir.Node]:
    """Returns a statement in place of one nested too deeply: names that it may bind are unknown, and it may
    exit."""
    unknown = ir.Yield(start, end, None, is_opaque=True)
    names: dict[str, None] = {}
    leaves: set[type] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            names[part.id] = None
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[part.name] = None
        elif isinstance(part, ast.Return | ast.Break | ast.Continue):
            leaves.add(type(part))
    targets = tuple(ir.Name(start, end, name) for name in names)
    made: list[ir.Node] = [ir.Assign(start, end, targets, unknown)]
    for kind, way in (
        (ast.Return, ir.Return(start, end, unknown)),
        (ast.Break, ir.Break(start, end)),
        (ast.Continue, ir.Continue(start, end)),
    ):
        if kind in leaves:
            made.append(ir.Branch(start, end, unknown, (way,), ()))
    return made
