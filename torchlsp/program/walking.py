"""Going through the nodes of a lowered file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache

from torchlsp.program import ir


def walk(nodes: tuple) -> Iterator[ir.Node]:
    """Every node at or below these, functions defined inside left out."""
    waiting: list = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif isinstance(node, ir.Node) and not isinstance(node, (ir.Define, ir.DefineClass, ir.Lambda)):
            yield node
            waiting.extend(getattr(node, name) for name in _parts(type(node)))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in ("start", "end"))
