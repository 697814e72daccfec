"""Finds nodes of the intermediate representation by their position in the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from torchlsp.core.records import annotations_of, dataclass
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
    """Returns whether a statement is an `if`, with `body` and `orelse`."""
    return isinstance(statement, ir.Branch)


def is_plain(node: ir.Node | ir.Param) -> bool:
    """Returns whether this is a name, an attribute or a constant item: reading it again changes nothing."""
    match node:
        case ir.Name():
            return True
        case ir.Attribute(object=inner) | ir.Subscript(object=inner, index=ir.Constant()):
            return is_plain(inner)
    return False


def node_at(module: ir.Module, start: int, end: int) -> ir.Node | ir.Param | None:
    """Finds the outermost expression of exactly this span, else the outermost statement of it."""
    statement: ir.Node | None = None
    for node in _towards(module.body, start, end):
        if node.start == start and node.end == end:
            if not isinstance(node, STATEMENTS):
                return node
            statement = statement or node
    return statement


def path_to(module: ir.Module, start: int, end: int) -> list[ir.Node | ir.Param]:
    """Lists every node that contains a place, outermost first."""
    return list(_towards(module.body, start, end))


def begins_program(module: ir.Module, start: int, end: int) -> bool:
    """Returns whether a call at exactly this span passes nothing, as `main()` does: neither arguments nor, as inside of
    `with` and loops, circumstances. In a function only calls of the module's own functions do: others may read its variables."""
    is_in_function = False
    for node in path_to(module, start, end):
        if (node.start, node.end) == (start, end) and isinstance(node, ir.Call):
            if not isinstance(node.function, ir.Name) or node.args or node.keywords:
                return False
            return not is_in_function or _is_own_function(module, node.function.id)
        match node:
            case ir.Define() | ir.Function(is_lambda=False, owner=None) | ir.Return():
                is_in_function = True
                continue
            case ir.Branch(test=ir.Compare(left=ir.Name(id="__name__"))):
                continue
            case ir.Expression() | ir.Assign() | ir.Call():
                continue
        return False
    return False


def _is_own_function(module: ir.Module, name: str) -> bool:
    return any(isinstance(node, ir.Define) and node.function.name == name for node in module.body)


def position_of(module: ir.Module, start: int, end: int) -> Position | None:
    """Finds the smallest statement around a place."""
    found: Position | None = None
    to_visit: list[tuple[tuple[ir.Node, ...], ir.Node | None]] = [(module.body, None)]
    while to_visit:
        block, parent = to_visit.pop()
        index = bisect_right(block, start, key=lambda node: node.start) - 1
        if index >= 0 and end <= block[index].end:
            found = Position(block, index, parent)
            to_visit = [(inner, block[index]) for inner in blocks_of(block[index])]
    return found


def blocks_of(statement: ir.Node) -> Iterator[tuple[ir.Node, ...]]:
    """Yields the blocks directly inside a statement."""
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


def _towards(nodes: object, start: int, end: int) -> Iterator[ir.Node | ir.Param]:
    """Yields the nodes that contain a place, outermost first."""
    to_visit: list[object] = [nodes]
    while to_visit:
        value = to_visit.pop()
        if isinstance(value, tuple):
            to_visit.extend(reversed(_near(value, start)))
        elif isinstance(value, ir.Node | ir.Param):
            if value.start <= start and end <= value.end:
                yield value
                kind: type = type(value)
                to_visit.extend(getattr(value, name) for name in reversed(_children(kind)))
            elif isinstance(value, ir.Define):
                to_visit.append(value.function.decorators)  # they stand above the place of a definition
            elif isinstance(value, ir.DefineClass):
                to_visit.append(value.cls.decorators)
            elif isinstance(value, ir.Param):
                to_visit.append((value.default,))  # it stands behind the place of a parameter


def _near(nodes: tuple, start: int) -> tuple:
    """Selects, of many statements or items in order, those that may hold a place: the one before it and the next, for
    its decorators."""
    if len(nodes) < 8 or not isinstance(nodes[0], STATEMENTS) and not _are_in_order(nodes):
        return nodes
    index = bisect_right(nodes, start, key=lambda node: node.start)
    return nodes[max(index - 1, 0) : index + 1]


def _are_in_order(nodes: tuple) -> bool:
    """Returns whether these are items of a long display or call; parts of f-strings may all have the place of the whole string."""
    first, second, last = nodes[0], nodes[1], nodes[-1]
    known = all(isinstance(node, ir.Node) and type(node) is not ir.Define for node in (first, second, last))
    return known and len(nodes) >= 100 and first.end <= second.start and second.end <= last.start


@cache
def _children(kind: type) -> tuple[str, ...]:
    return tuple(name for name in annotations_of(kind) if name not in ("start", "end", "methods"))


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target = receiver.method(…)`: the statement, and spans of its parts; `receiver` is None where no method is called."""

    statement: ir.Node
    target: tuple[int, int]
    value: tuple[int, int]
    receiver: tuple[int, int] | None
    receiver_is_plain: bool


def single_assignment(position: Position | None) -> Assignment | None:
    """Takes apart an assignment to one plain name or attribute."""
    match None if position is None else position.statement:
        case ir.Assign(targets=(target,), value=value) as statement if is_plain(target):
            receiver = None
            if isinstance(value, ir.Call) and isinstance(value.function, ir.Attribute):
                receiver = value.function.object
            return Assignment(
                statement,
                (target.start, target.end),
                (value.start, value.end),
                None if receiver is None else (receiver.start, receiver.end),
                receiver is not None and is_plain(receiver),
            )
    return None
