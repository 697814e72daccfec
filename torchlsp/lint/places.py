"""Find nodes of the intermediate representation by their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from torchlsp.program import ir

STATEMENTS = (
    ir.Assign, ir.Augmented, ir.Annotated, ir.Expression, ir.Return, ir.Branch, ir.For, ir.While, ir.Try, ir.With,
    ir.Define, ir.DefineClass, ir.Import, ir.Raise, ir.Assert, ir.Break, ir.Continue, ir.Delete, ir.Global, ir.Match,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Position:
    """A statement, the block that holds it, and the statement that holds the block (None: the module)."""

    block: tuple[ir.Node, ...]
    index: int
    parent: ir.Node | None

    @property
    def statement(self) -> ir.Node:
        return self.block[self.index]

    @property
    def previous(self) -> ir.Node | None:
        return self.block[self.index - 1] if self.index else None


def is_branch(statement: ir.Node | None) -> bool:
    """An `if`, with `body` and `orelse`."""
    return isinstance(statement, ir.Branch)


def is_plain(node: ir.Node) -> bool:
    """A name, an attribute or a constant item of one: evaluating it again changes nothing."""
    match node:
        case ir.Name():
            return True
        case ir.Attribute(object=inner) | ir.Subscript(object=inner, index=ir.Constant()):
            return is_plain(inner)
    return False


def node_at(module: ir.Module, start: int, end: int) -> ir.Node | None:
    """The outermost expression of exactly this span, else the outermost statement of it."""
    statement: ir.Node | None = None
    for node in _towards(module.body, start, end):
        if node.start == start and node.end == end:
            if not isinstance(node, STATEMENTS):
                return node
            statement = statement or node
    return statement


def position_of(module: ir.Module, start: int, end: int) -> Position | None:
    """Where the smallest statement around a place stands."""
    found: Position | None = None
    waiting: list[tuple[tuple[ir.Node, ...], ir.Node | None]] = [(module.body, None)]
    while waiting:
        block, parent = waiting.pop()
        for index, statement in enumerate(block):
            if statement.start <= start and end <= statement.end:
                found = Position(block, index, parent)
                waiting = [(inner, statement) for inner in blocks_of(statement)]
                break
    return found


def blocks_of(statement: ir.Node) -> Iterator[tuple[ir.Node, ...]]:
    """The blocks directly inside a statement."""
    match statement:
        case ir.Define(function=function):
            yield function.body
        case ir.DefineClass(cls=cls):
            yield cls.body
        case (
            ir.Branch(body=body, orelse=orelse)
            | ir.For(body=body, orelse=orelse)
            | ir.While(body=body, orelse=orelse)
        ):
            yield body
            yield orelse
        case ir.With(body=body):
            yield body
        case ir.Try():
            yield statement.body
            yield from (handler.body for handler in statement.handlers)
            yield statement.orelse
            yield statement.final
        case ir.Match(cases=cases):
            yield from (case.body for case in cases)


def _towards(nodes: Any, start: int, end: int) -> Iterator[ir.Node]:
    """Nodes that contain a place, outermost first."""
    waiting = [nodes]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend(reversed(value))
        elif isinstance(value, ir.Node | ir.Param):
            inside = value.start <= start and end <= value.end
            if inside:
                yield value
            # Decorators stand above the place of a definition, defaults behind the place of a parameter.
            if inside or isinstance(value, ir.Function | ir.Class | ir.Define | ir.DefineClass | ir.Param):
                waiting.extend(getattr(value, name) for name in reversed(_children(type(value))))


@cache
def _children(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in ("start", "end", "methods"))
