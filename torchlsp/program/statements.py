"""Lowers each kind of statement: a table from the class of the `ast` node to a small function."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from torchlsp.program import ir
from torchlsp.program.expressions import BINARY

if TYPE_CHECKING:
    from torchlsp.program.lower import Lowering

_Node = TypeVar("_Node", bound=ast.stmt)
# `_handle` has checked that a handler takes the class that it stands under.
STATEMENTS: dict[type, Callable[[Lowering, Any, int, int], ir.Node]] = {}


def _handle(kind: type[_Node], handler: Callable[[Lowering, _Node, int, int], ir.Node]) -> None:
    STATEMENTS[kind] = handler


def _assign(low: Lowering, node: ast.Assign, start: int, end: int) -> ir.Node:
    low.changes(node.targets)
    return ir.Assign(start, end, low.exprs(node.targets), low.expr(node.value))


def _augmented(low: Lowering, node: ast.AugAssign, start: int, end: int) -> ir.Node:
    low.changes([node.target])
    if low.functions_around:
        low.changes_content(node.target)  # `+=` extends a list
    return ir.Augmented(start, end, low.expr(node.target), BINARY[type(node.op)], low.expr(node.value))


def _delete(low: Lowering, node: ast.Delete, start: int, end: int) -> ir.Node:
    low.changes(node.targets)
    return ir.Delete(start, end, low.exprs(node.targets))


def _define(low: Lowering, node: ast.FunctionDef | ast.AsyncFunctionDef, start: int, end: int) -> ir.Node:
    return ir.Define(start, end, low.define(node))


def _define_class(low: Lowering, node: ast.ClassDef, start: int, end: int) -> ir.Node:
    used = low.used_classes.copy()
    bases, keywords = low.exprs(node.bases), low.keywords(node.keywords)
    low.used_classes = used  # a base is no use of its objects
    decorators = low.exprs(node.decorator_list)
    outside = low.scope, low.class_names
    low.scope = (*low.scope, node.name)
    low.class_names = (*low.class_names, node.name)
    qualname = ".".join(low.scope)
    body = low.block(node.body)
    low.scope, low.class_names = outside
    methods = {item.function.name: item.function for item in _definitions(body)}
    cls = ir.Class(start, end, node.name, qualname, bases, keywords, body, decorators, methods)
    low.defined.append(cls)
    return ir.DefineClass(start, end, cls)


def _definitions(body: tuple[ir.Node, ...]) -> Iterator[ir.Define]:
    """Yields definitions of a class body, those under a plain `if` included."""
    for item in body:
        if isinstance(item, ir.Define):
            yield item
        elif isinstance(item, ir.Branch):
            yield from _definitions(item.body)
            yield from _definitions(item.orelse)


def _import(low: Lowering, node: ast.Import, start: int, end: int) -> ir.Node:
    names: list[tuple[str, str, str | None]] = []
    for alias in node.names:
        if alias.asname:
            names.append((alias.asname, alias.name, None))
        else:
            names.append((alias.name.partition(".")[0], alias.name.partition(".")[0], None))
    return ir.Import(start, end, tuple(names), _places(low, node))


def _import_from(low: Lowering, node: ast.ImportFrom, start: int, end: int) -> ir.Node:
    module = low.absolute(node.module, node.level)
    names = tuple((alias.asname or alias.name, module, alias.name) for alias in node.names)
    return ir.Import(start, end, names, _places(low, node))


def _places(low: Lowering, node: ast.Import | ast.ImportFrom) -> tuple[tuple[int, int, str], ...]:
    return tuple((*low.place(alias), alias.name) for alias in node.names)


def _with(low: Lowering, node: ast.With | ast.AsyncWith, start: int, end: int) -> ir.Node:
    items = tuple((low.expr(item.context_expr), low.optional(item.optional_vars)) for item in node.items)
    return ir.With(start, end, items, low.block(node.body))


if sys.version_info >= (3, 11):
    _Try = ast.Try | ast.TryStar
else:
    _Try = ast.Try


def _try(low: Lowering, node: _Try, start: int, end: int) -> ir.Node:
    body = low.block(node.body)
    handlers = tuple(
        ir.Handler(*low.place(handler), low.optional(handler.type), handler.name, low.block(handler.body))
        for handler in node.handlers
    )
    return ir.Try(start, end, body, handlers, low.block(node.orelse), low.block(node.finalbody))


def _match(low: Lowering, node: ast.Match, start: int, end: int) -> ir.Node:
    cases: list[ir.Case] = []
    for case in node.cases:
        values: list[ir.Node] = []
        captures: list[str] = []
        catches_all = _pattern(low, case.pattern, values, captures)
        body = low.block(case.body)
        first, last = low.place(case.pattern)[0], body[-1].end if body else end
        cases.append(
            ir.Case(first, last, tuple(values), tuple(captures), catches_all, low.optional(case.guard), body)
        )
    return ir.Match(start, end, low.expr(node.subject), tuple(cases))


def _pattern(low: Lowering, pattern: ast.pattern, values: list[ir.Node], captures: list[str]) -> bool:
    """Collects literal alternatives and captured names; returns True when the pattern matches everything."""
    if isinstance(pattern, ast.MatchValue):
        values.append(low.expr(pattern.value))
        return False
    if isinstance(pattern, ast.MatchSingleton):
        values.append(ir.Constant(*low.place(pattern), pattern.value))
        return False
    if isinstance(pattern, ast.MatchOr):
        plain = all(isinstance(part, ast.MatchValue | ast.MatchSingleton) for part in pattern.patterns)
        into = values if plain else []  # beside a class or a sequence, literals are not all that matches
        parts = [_pattern(low, part, into, captures) for part in pattern.patterns]
        return any(parts)
    for part in ast.walk(pattern):
        for name in (getattr(part, "name", None), getattr(part, "rest", None)):
            if isinstance(name, str):
                captures.append(name)
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _global(is_global: bool) -> Callable[[Lowering, ast.Global | ast.Nonlocal, int, int], ir.Node]:
    return lambda low, n, s, e: ir.Global(s, e, tuple(n.names), is_global)


def _for(low: Lowering, node: ast.For | ast.AsyncFor, start: int, end: int) -> ir.Node:
    target, iterable = low.expr(node.target), low.expr(node.iter)
    return ir.For(start, end, target, iterable, low.block(node.body), low.block(node.orelse))


_handle(ast.Assign, _assign)
_handle(ast.AugAssign, _augmented)
_handle(
    ast.AnnAssign,
    lambda low, n, s, e: ir.Annotated(
        s, e, low.expr(n.target), low.expr(n.annotation), low.optional(n.value)
    ),
)
_handle(ast.Expr, lambda low, n, s, e: ir.Expression(s, e, low.expr(n.value)))
_handle(ast.Return, lambda low, n, s, e: ir.Return(s, e, low.optional(n.value)))
_handle(
    ast.If, lambda low, n, s, e: ir.Branch(s, e, low.expr(n.test), low.block(n.body), low.block(n.orelse))
)
_handle(ast.For, _for)
_handle(ast.AsyncFor, _for)
_handle(
    ast.While, lambda low, n, s, e: ir.While(s, e, low.expr(n.test), low.block(n.body), low.block(n.orelse))
)
_handle(ast.Try, _try)
_handle(ast.With, _with)
_handle(ast.AsyncWith, _with)
_handle(ast.FunctionDef, _define)
_handle(ast.AsyncFunctionDef, _define)
_handle(ast.ClassDef, _define_class)
_handle(ast.Import, _import)
_handle(ast.ImportFrom, _import_from)
_handle(ast.Raise, lambda low, n, s, e: ir.Raise(s, e, low.optional(n.exc)))
_handle(ast.Assert, lambda low, n, s, e: ir.Assert(s, e, low.expr(n.test)))
_handle(ast.Break, lambda low, n, s, e: ir.Break(s, e))
_handle(ast.Continue, lambda low, n, s, e: ir.Continue(s, e))
_handle(ast.Delete, _delete)
_handle(ast.Global, _global(True))
_handle(ast.Nonlocal, _global(False))
_handle(ast.Match, _match)
if sys.version_info >= (3, 11):
    _handle(ast.TryStar, _try)
if sys.version_info >= (3, 12):
    _handle(ast.TypeAlias, lambda low, n, s, e: ir.Delete(s, e, ()))
