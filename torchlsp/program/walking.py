"""Walks through the nodes of a lowered file, and returns their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache

from torchlsp.program import ir


def walk(nodes: tuple) -> Iterator[ir.Node]:
    """Yields every node at or below these, functions defined inside left out."""
    to_visit: list = list(nodes)
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, tuple):
            to_visit.extend(node)
        elif isinstance(node, ir.Node) and not isinstance(node, (ir.Define, ir.DefineClass, ir.Lambda)):
            yield node
            to_visit.extend(getattr(node, name) for name in parts(type(node)))


def scope_nodes(body: object) -> Iterator[ir.Node]:
    """Yields nodes as `walk` does, lambdas included, and the statements that define functions and classes,
    but not their content."""
    to_visit = [body]
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, tuple):
            to_visit.extend(node)
        elif isinstance(node, ir.Node):
            yield node
            if not isinstance(node, ir.Define | ir.DefineClass):
                to_visit.extend(getattr(node, name) for name in parts(type(node)))


def module_nodes(module: ir.Module) -> Iterator[ir.Node]:
    """Returns every node of a file, in no order."""
    return below(module.body)


def below(part: object) -> Iterator[ir.Node]:
    """Yields every node at or below, in no order, the content of functions and classes included."""
    to_visit: list[object] = [part]
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, (tuple, list)):
            to_visit.extend(node)
        elif isinstance(node, ir.Node):
            yield node
            to_visit.extend(getattr(node, name) for name in parts(type(node)))


def nodes(part: object) -> Iterator[ir.Node | ir.Param]:
    """Yields every node at or below, outer ones first, the content of functions and classes and their
    parameters included."""
    to_visit: list[object] = [part]
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, (tuple, list)):
            to_visit.extend(reversed(node))
        elif isinstance(node, (ir.Node, ir.Function, ir.Param, ir.Handler, ir.Case)):
            yield node
            to_visit.extend(getattr(node, name) for name in reversed(parts(type(node))))


def _parts(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in ("start", "end", "owner"))


# mypy takes the class of a node for something that cannot be hashed, and would not have it go to `cache`.
parts: Callable[[type], tuple[str, ...]] = cache(_parts)
"""The names of attributes that may hold further nodes."""


def word(node: object) -> str:
    """Returns the last name of `name` and `anything.name`; "" for anything else."""
    return getattr(node, "id", "") or (node.name if isinstance(node, ir.Attribute) else "")


def dotted(node: ir.Node) -> str:
    """Returns `a.b.c` as it is written; "" for what does not consist of names alone."""
    names: list[str] = []
    while type(node) is ir.Attribute:
        names.append(node.name)
        node = node.object
    return ".".join([node.id, *reversed(names)]) if type(node) is ir.Name else ""
