"""Every node of a part of a program: for what only the text as a whole can tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from torchlsp.program import ir


def nodes(part: Any) -> Iterator[ir.Node]:
    """Every node at or below, outer ones first, what functions and classes hold included."""
    waiting = [part]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (tuple, list)):
            waiting.extend(reversed(node))
        elif isinstance(node, (ir.Node, ir.Function, ir.Param, ir.Handler, ir.Case)):
            yield node
            waiting.extend(getattr(node, name) for name in reversed(_parts(type(node))))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if one.name not in ("start", "end", "name", "methods"))
