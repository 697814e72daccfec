"""Lowers each kind of expression: a table from the class of the `ast` node to a small function."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.program.lower import Lowering

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip

_Node = TypeVar("_Node", bound=ast.expr)
# `_handle` has checked that a handler takes the class that it stands under.
EXPRESSIONS: dict[type, Callable[[Lowering, Any, int, int], ir.Node]] = {}


def _handle(kind: type[_Node], handler: Callable[[Lowering, _Node, int, int], ir.Node]) -> None:
    EXPRESSIONS[kind] = handler


def _joined(low: Lowering, node: ast.JoinedStr, start: int, end: int) -> ir.Node:
    parts: list[ir.Node] = []
    is_plain = True
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            parts.append(low.expr(part.value))
            is_plain = is_plain and part.conversion == -1 and part.format_spec is None
        elif isinstance(part, ast.Constant):
            parts.append(ir.Constant(start, end, part.value))
    return ir.JoinedString(start, end, tuple(parts), is_plain)


def _walrus(low: Lowering, node: ast.NamedExpr, start: int, end: int) -> ir.Node:
    target, value = low.expr(node.target), low.expr(node.value)
    if isinstance(target, ir.Name):
        return ir.Walrus(start, end, target, value)
    return ir.Yield(
        start, end, None, is_opaque=True
    )  # nested so deeply that even the name is not looked into


def _lambda(low: Lowering, node: ast.Lambda, start: int, end: int) -> ir.Node:
    return ir.Lambda(start, end, low.function(node, start, end))


def _clauses(
    low: Lowering, generators: list[ast.comprehension]
) -> tuple[tuple[ir.Node, ir.Node, tuple[ir.Node, ...]], ...]:
    return tuple((low.expr(g.target), low.expr(g.iter), low.exprs(g.ifs)) for g in generators)


_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp


def _comprehension(kind: str) -> Callable[[Lowering, _Comprehension, int, int], ir.Node]:
    def handler(low: Lowering, node: _Comprehension, start: int, end: int) -> ir.Node:
        clauses = _clauses(low, node.generators)
        return ir.Comprehension(start, end, kind, low.expr(node.elt), None, clauses)

    return handler


def _dict_comprehension(low: Lowering, node: ast.DictComp, start: int, end: int) -> ir.Node:
    clauses = _clauses(low, node.generators)
    return ir.Comprehension(start, end, "dict", low.expr(node.key), low.expr(node.value), clauses)


def _yield(low: Lowering, node: ast.Yield | ast.YieldFrom, start: int, end: int) -> ir.Node:
    low.yields = True
    return ir.Yield(start, end, low.optional(node.value), isinstance(node, ast.YieldFrom))


def _chain(low: Lowering, node: ast.BinOp, start: int, end: int) -> ir.Node:
    """Lowers a left-leaning chain `a + b + c …` without recursion: generated code has them thousands long."""
    spine: list[ast.BinOp] = []
    first: ast.expr = node
    while isinstance(first, ast.BinOp):
        spine.append(first)
        first = first.left
    left = low.expr(first)
    for binary in reversed(spine):
        right = low.expr(binary.right)
        _, stop = low.place(binary)
        left = ir.Binary(
            left.start if binary is not spine[0] else start, stop, BINARY[type(binary.op)], left, right
        )
    return left


_CHANGING = frozenset(
    """append extend insert pop clear remove reverse sort update setdefault popitem add discard appendleft popleft
    add_module register_module""".split()
)


def _name(low: Lowering, node: ast.Name, start: int, end: int) -> ir.Node:
    if node.id[0].isupper():
        low.used_classes.add(node.id)
    return ir.Name(start, end, node.id)


def _attribute(low: Lowering, node: ast.Attribute, start: int, end: int) -> ir.Node:
    low.attributes.add(node.attr)
    return ir.Attribute(start, end, low.expr(node.value), node.attr)


def _call(low: Lowering, node: ast.Call, start: int, end: int) -> ir.Node:
    if low.functions_around and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        low.changes_content(node.func.value)
    if isinstance(node.func, ast.Name) and node.func.id in ("setattr", "super"):
        if node.func.id == "setattr":
            low.replaces(node)
        else:
            used = low.used_classes.copy()
            arguments = low.exprs(node.args)
            low.used_classes = used  # `super(Net, self)` creates no object
            return ir.Call(start, end, low.expr(node.func), arguments, low.keywords(node.keywords))
    return ir.Call(start, end, low.expr(node.func), low.exprs(node.args), low.keywords(node.keywords))


_handle(ast.Constant, lambda low, n, s, e: ir.Constant(s, e, n.value))
_handle(ast.Name, _name)
_handle(ast.Attribute, _attribute)
_handle(ast.Call, _call)
_handle(ast.BinOp, _chain)
_handle(ast.UnaryOp, lambda low, n, s, e: ir.Unary(s, e, _UNARY[type(n.op)], low.expr(n.operand)))
_handle(
    ast.Compare,
    lambda low, n, s, e: ir.Compare(
        s, e, low.expr(n.left), tuple(_COMPARE[type(op)] for op in n.ops), low.exprs(n.comparators)
    ),
)
_handle(
    ast.BoolOp,
    lambda low, n, s, e: ir.Logical(s, e, "and" if isinstance(n.op, ast.And) else "or", low.exprs(n.values)),
)
_handle(
    ast.IfExp,
    lambda low, n, s, e: ir.Conditional(s, e, low.expr(n.test), low.expr(n.body), low.expr(n.orelse)),
)
_handle(ast.Subscript, lambda low, n, s, e: ir.Subscript(s, e, low.expr(n.value), low.expr(n.slice)))
_handle(
    ast.Slice,
    lambda low, n, s, e: ir.Slice(s, e, low.optional(n.lower), low.optional(n.upper), low.optional(n.step)),
)
_handle(ast.Tuple, lambda low, n, s, e: ir.Display(s, e, "tuple", low.exprs(n.elts)))
_handle(ast.List, lambda low, n, s, e: ir.Display(s, e, "list", low.exprs(n.elts)))
_handle(ast.Set, lambda low, n, s, e: ir.Display(s, e, "set", low.exprs(n.elts)))
_handle(
    ast.Dict,
    lambda low, n, s, e: ir.DictDisplay(s, e, tuple(low.optional(k) for k in n.keys), low.exprs(n.values)),
)
_handle(ast.Lambda, _lambda)
_handle(ast.ListComp, _comprehension("list"))
_handle(ast.SetComp, _comprehension("set"))
_handle(ast.GeneratorExp, _comprehension("generator"))
_handle(ast.DictComp, _dict_comprehension)
_handle(ast.Starred, lambda low, n, s, e: ir.Starred(s, e, low.expr(n.value)))
_handle(ast.JoinedStr, _joined)
_handle(ast.NamedExpr, _walrus)
_handle(ast.Await, lambda low, n, s, e: ir.Await(s, e, low.expr(n.value)))
_handle(ast.Yield, _yield)
_handle(ast.YieldFrom, _yield)
