"""Lists the orders in which the statements of one function may run: a graph of its control flow."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchlsp.core.records import dataclass, field, replace
from torchlsp.hang.sources import Scope

NEXT, TRUE, FALSE, BODY, END, RAISE, CASE = "next", "true", "false", "body", "end", "raise", "case"
_EXITS = ("exit", "quit", "_exit")
_CATCH_ALL = ("Exception", "BaseException")
_MAX_NODES = 20_000
_NEVER_RAISE = (
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Global,
    ast.Nonlocal,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
)


class TooLarge(Exception):
    """A function has more statements than are looked at."""


@dataclass(slots=True)
class Node:
    """A simple statement, the head of a compound one, or an end of the function. `first` and `last` are its lines."""

    statement: ast.stmt | ast.ExceptHandler | None
    first: int = 0
    last: int = 0
    edges: list[tuple[str, int]] = field(default_factory=list)
    caught_by: ast.stmt | None = None
    """The statement that catches what is raised here."""


@dataclass(frozen=True, slots=True)
class _Around:
    """Where control goes from inside of the statements that surround one."""

    on_return: int
    on_raise: tuple[int, ...]
    on_break: int = -1
    on_continue: int = -1
    caught_by: ast.stmt | None = None
    may_raise: bool = False
    """Whether statements that may raise have an edge for it."""


class Flow:
    """The control flow of a function. Nodes are named by their index."""

    def __init__(self, scope: Scope, *, may_raise: bool = False) -> None:
        self.nodes: list[Node] = []
        self.exit = self._add(Node(None))
        self.raised = self._add(Node(None))
        around = _Around(on_return=self.exit, on_raise=(self.raised,), may_raise=may_raise)
        self.entry = self._block(scope.body, self.exit, around)

    def at(self, line: int) -> list[int]:
        """Returns the nodes that have a line."""
        return [
            index
            for index, node in enumerate(self.nodes)
            if node.statement and node.first <= line <= node.last
        ]

    def _add(self, node: Node) -> int:
        if len(self.nodes) >= _MAX_NODES:
            raise TooLarge
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _block(self, statements: Sequence[ast.stmt], follow: int, around: _Around) -> int:
        for statement in reversed(statements):
            follow = self._statement(statement, follow, around)
        return follow

    def _node(self, statement: ast.stmt, last: int | None, around: _Around) -> Node:
        last = last or statement.end_lineno or statement.lineno
        node = Node(statement, statement.lineno, last, caught_by=around.caught_by)
        if around.may_raise and not isinstance(statement, _NEVER_RAISE):
            head = _head(statement)
            if any(
                isinstance(one, ast.Call | ast.Subscript | ast.Await)
                for part in head
                for one in ast.walk(part)
            ):
                node.edges.extend((RAISE, target) for target in around.on_raise)
        return node

    def _statement(self, statement: ast.stmt, follow: int, around: _Around) -> int:
        match statement:
            case ast.If(test=test):
                node = self._node(statement, test.end_lineno, around)
                node.edges.append((TRUE, self._block(statement.body, follow, around)))
                node.edges.append((FALSE, self._block(statement.orelse, follow, around)))
            case ast.While() | ast.For() | ast.AsyncFor():
                return self._loop(statement, follow, around)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                node = self._node(statement, items[-1].context_expr.end_lineno, around)
                if any(_name(item.context_expr) == "suppress" for item in items):
                    around = replace(around, on_raise=(follow,), caught_by=statement, may_raise=True)
                node.edges.append((NEXT, self._block(statement.body, follow, around)))
            case ast.Try():
                return self._try(statement, follow, around)
            case ast.Match(subject=subject):
                node = self._node(statement, subject.end_lineno, around)
                node.edges.extend((CASE, self._block(case.body, follow, around)) for case in statement.cases)
                last = statement.cases[-1]
                if last.guard is not None or not _is_wildcard(last.pattern):
                    node.edges.append((END, follow))
            case ast.Return():
                node = self._node(statement, None, around)
                node.edges.append((NEXT, around.on_return))
            case ast.Raise():
                node = self._node(statement, None, around)
                node.edges = [(RAISE, target) for target in around.on_raise]
            case ast.Break():
                node = self._node(statement, None, around)
                node.edges = [(NEXT, around.on_break)]
            case ast.Continue():
                node = self._node(statement, None, around)
                node.edges = [(NEXT, around.on_continue)]
            case ast.Assert():
                node = self._node(statement, None, around)
                node.edges = [(TRUE, follow), *((FALSE, target) for target in around.on_raise)]
            case ast.Expr(value=ast.Call() as call) if _name(call) in _EXITS:
                node = self._node(statement, None, around)
                node.edges = [(NEXT, self.raised)]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                node = self._node(statement, statement.lineno, around)
                node.edges.append((NEXT, follow))
            case _:
                node = self._node(statement, None, around)
                node.edges.append((NEXT, follow))
        return self._add(node)

    def _loop(self, statement: ast.While | ast.For | ast.AsyncFor, follow: int, around: _Around) -> int:
        head = statement.test if isinstance(statement, ast.While) else statement.iter
        node = self._node(statement, head.end_lineno, around)
        index = self._add(node)
        inside = replace(around, on_break=follow, on_continue=index)
        node.edges.append((BODY, self._block(statement.body, index, inside)))
        if not (isinstance(statement, ast.While) and isinstance(head, ast.Constant) and head.value):
            node.edges.append((END, self._block(statement.orelse, follow, around)))
        return index

    def _try(self, statement: ast.Try, follow: int, around: _Around) -> int:
        if statement.finalbody:
            ends: dict[int, int] = {}

            def last(target: int) -> int:
                if target not in ends:
                    ends[target] = self._block(statement.finalbody, target, outer)
                return ends[target]

            outer = around
            follow = last(follow)
            around = replace(
                around,
                on_return=last(around.on_return),
                on_raise=tuple(last(one) for one in around.on_raise),
                on_break=around.on_break if around.on_break < 0 else last(around.on_break),
                on_continue=around.on_continue if around.on_continue < 0 else last(around.on_continue),
            )
        inside = around
        if statement.handlers:
            caught = []
            for handler in statement.handlers:
                node = Node(handler, handler.lineno, handler.lineno)
                node.edges.append((NEXT, self._block(handler.body, follow, around)))
                caught.append(self._add(node))
            if not any(_catches_all(handler) for handler in statement.handlers):
                caught.extend(around.on_raise)
            inside = replace(around, on_raise=tuple(caught), caught_by=statement, may_raise=True)
        follow = self._block(statement.orelse, follow, around)
        return self._block(statement.body, follow, inside)


def calls_of(statement: ast.AST) -> list[ast.Call]:
    """Returns the calls that a simple statement or the head of a compound one makes, in the order in which they end."""
    found = [one for part in _head(statement) for one in _walk(part) if isinstance(one, ast.Call)]
    return sorted(found, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))


def conditional_calls(statement: ast.AST) -> list[ast.Call]:
    """Returns those of the calls that the statement makes on a condition only: `a or f()`, `f() if a else b`."""
    found: list[ast.Call] = []
    for part in _head(statement):
        for one in _walk(part):
            inner: list[ast.AST] = []
            if isinstance(one, ast.BoolOp):
                inner.extend(one.values[1:])
            elif isinstance(one, ast.IfExp):
                inner.extend((one.body, one.orelse))
            elif isinstance(one, ast.ListComp | ast.SetComp | ast.GeneratorExp):
                inner.append(one.elt)
            elif isinstance(one, ast.DictComp):
                inner.extend((one.key, one.value))
            found.extend(call for each in inner for call in _walk(each) if isinstance(call, ast.Call))
    return found


def name_of_call(call: ast.Call) -> str:
    """Returns the last name of what is called."""
    return _name(call)


def _walk(node: ast.AST):
    """Yields the nodes of an expression that are evaluated with it: not those of a lambda's body."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Lambda):
            yield from _walk(child)


def _head(statement: ast.AST) -> list[ast.AST]:
    """Returns the expressions that the node of a statement evaluates."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=iterable) | ast.AsyncFor(iter=iterable):
            return [iterable]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [item.context_expr for item in items]
        case ast.Match(subject=subject):
            return [subject]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return list(statement.decorator_list)
        case ast.ExceptHandler():
            return []
        case _:
            return [statement]


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or _name(handler.type) in _CATCH_ALL


def _is_wildcard(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None
