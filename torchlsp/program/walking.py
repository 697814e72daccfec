"""Walks through the nodes of a lowered file, and returns their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter

from torchlsp.core.records import annotations_of
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
            to_visit.extend(children(type(node))(node))


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
                to_visit.extend(children(type(node))(node))


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
            to_visit.extend(children(type(node))(node))


def nodes(part: object) -> Iterator[ir.Node | ir.Param]:
    """Yields every node at or below, outer ones first, the content of functions and classes and their
    parameters included."""
    to_visit: list[object] = [part]
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, (ir.Node, ir.Param)):
            yield node
            to_visit.extend(children_reversed(type(node))(node))
        elif isinstance(node, (tuple, list)):
            to_visit.extend(reversed(node))


def _parts(kind: type) -> tuple[str, ...]:
    found = annotations_of(kind).items()
    return tuple(name for name, annotation in found if name != "methods" and _holds_nodes(annotation))


def _holds_nodes(annotation: str) -> bool:
    """Returns whether a field with an annotation of `ir` may hold nodes."""
    named = (getattr(ir, word, None) for word in re.findall(r"\w+", annotation))
    return any(isinstance(one, type) and issubclass(one, (ir.Node, ir.Param)) for one in named)


def _children(kind: type) -> Callable[[object], Iterable[object]]:
    return _getter(parts(kind))


def _children_reversed(kind: type) -> Callable[[object], Iterable[object]]:
    return _getter(parts(kind)[::-1])


def _getter(names: tuple[str, ...]) -> Callable[[object], Iterable[object]]:
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda node: ()
    (name,) = names
    return lambda node: (getattr(node, name),)


# mypy takes the class of a node for something that cannot be hashed, and would not have it go to `cache`.
parts: Callable[[type], tuple[str, ...]] = cache(_parts)
"""The names of attributes that may hold further nodes."""
children: Callable[[type], Callable[[object], Iterable[object]]] = cache(_children)
"""Returns, for a class of nodes, what reads those attributes of one node."""
children_reversed: Callable[[type], Callable[[object], Iterable[object]]] = cache(_children_reversed)
"""Returns the same as `children`, the last attribute first, as a stack wants it."""


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
