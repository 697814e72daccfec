"""Walks through the nodes of a lowered file, and returns their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from operator import attrgetter

from torchlsp.core.span import Span
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
    return tuple(field.name for field in fields(kind) if field.name != "methods" and _holds_nodes(field.type))


def _holds_nodes(annotation: type | str) -> bool:
    """Returns whether a field with an annotation of `ir` may hold nodes."""
    named = (getattr(ir, word, None) for word in re.findall(r"\w+", str(annotation)))
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


def statement_around(body: Iterable[ir.Node], first: int, last: int) -> Span | None:
    """Returns the span of the innermost statements that hold or touch a part of the text. None where it is between two of a block.

    What is in the header of a compound statement, or between two of its blocks, is in the whole statement.
    """
    touched = [node for node in body if node.start <= last and first <= node.end]
    if len(touched) == 1:
        for block in _blocks(touched[0]):
            if block and block[0].start <= first and last <= block[-1].end:
                return statement_around(block, first, last)
    return Span(touched[0].start, touched[-1].end) if touched else None


def _blocks(node: ir.Node) -> Iterator[tuple[ir.Node, ...]]:
    """Yields the blocks of a compound statement."""
    match node:
        case ir.Define(function=function):
            yield function.body
        case ir.DefineClass(cls=cls):
            yield cls.body
        case ir.Match(cases=cases):
            yield from (case.body for case in cases)
        case ir.Try(handlers=handlers):
            yield from (handler.body for handler in handlers)
    for part in ("body", "orelse", "final"):
        yield getattr(node, part, ())


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
