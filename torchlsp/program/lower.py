"""From `ast` to the intermediate representation, in one walk.

The walk is a table from node class to a small function; recursion follows nesting only, and text that is nested deeper than
`MAX_DEPTH` is left out as an unknown expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from threading import RLock
from typing import Any

from torchlsp.program import ir
from torchlsp.program.opaque import opaque
from torchlsp.program.source import Source
from torchlsp.syntax.focus import Alone
from torchlsp.syntax.outline import Body
from torchlsp.syntax.parse import SyntaxTree, body_at

MAX_DEPTH = 180

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def lower(tree: SyntaxTree, name: str | None = None) -> ir.Module:
    """The module's IR; an empty one when nothing could be parsed.  `name` is the file's dotted module name.

    The body of a function is lowered when it is asked for: of an imported file only a few are.
    """
    outline = tree.outline
    low = _Lowering(Source(tree, name), (), (None,), (), 0)
    module = tree.module if outline is None else outline.take(tree.document)
    body = low.block(module.body) if module is not None else ()
    unknown = frozenset(tree.blanked_names) if outline is None else frozenset()
    return ir.Module(tree.document.path, name, body, unknown, low.lower_all)


def lower_function(tree: SyntaxTree, alone: Alone, owner: ir.Class | None) -> ir.Function:
    """A function of the tree's top level, or a method of a class there, that was parsed alone."""
    scope = () if owner is None else (owner.name,)
    low = _Lowering(Source(tree, None), scope, (None, *scope), (), len(scope), (alone.above, alone.rows))
    (define,) = low.block([alone.node])
    return define.function  # type: ignore[attr-defined]


_NO_BODIES: dict[int, Body] = {}
_ONE_AT_A_TIME = RLock()
"""A body is lowered once, whichever thread asks: its nodes are known by their identity."""


class _Lowering:
    """The walk over the body of a module or of one function; what it finds of functions inside is left to theirs."""

    __slots__ = (
        "ascii",
        "changed_attributes",
        "changed_names",
        "class_names",
        "count",
        "bodies",
        "defined",
        "depth",
        "functions_around",
        "rows_above",
        "scope",
        "source",
        "starts",
        "statements",
        "yields",
    )

    def __init__(
        self,
        source: Source,
        scope: tuple[str, ...],
        class_names: tuple[str | None, ...],
        functions_around: tuple[str | None, ...],
        depth: int,
        rows: tuple[int, int] | None = None,
    ):
        """`rows`: of a body that was parsed alone, how many rows its positions lie above the document's, and how many it has."""
        self.source = source
        self.ascii = source.ascii
        self.rows_above, count = rows or (0, 0)
        if rows is None:
            self.starts, self.bodies = source.starts, source.bodies
        else:
            self.starts = source.starts[self.rows_above : self.rows_above + count]
            self.bodies = _NO_BODIES
        self.defined: list[ir.Function | ir.Class] = []
        """Functions and classes in the order in which their definitions end."""
        self.statements: list[tuple[int, int] | ir.Function] = []
        """The places of statements; a function stands for those inside it."""
        self.scope = scope
        self.class_names = class_names
        self.yields = False
        self.changed_names: set[str] = set()
        self.changed_attributes: set[str] = set()
        self.functions_around = functions_around
        """For each function around the node: the name of the object that it makes, where it is an `__init__`."""
        self.count = 0
        self.depth = depth

    def lower_all(self, module: ir.Module, name: str) -> Any:
        """Fills in what a module knows of all that is in it."""
        defined: list[ir.Function | ir.Class] = []
        statements: list[tuple[int, int]] = []
        parts: list[_Lowering] = []
        self._gather(defined, statements, parts)
        module.functions = tuple(item for item in defined if type(item) is ir.Function)
        module.classes = tuple(item for item in defined if type(item) is ir.Class)
        module.statement_starts = tuple(statements)
        module.changed_names = frozenset().union(*(part.changed_names for part in parts))
        module.changed_attributes = frozenset().union(*(part.changed_attributes for part in parts))
        module.size = sum(part.count for part in parts)
        return getattr(module, name)

    def _gather(self, defined: list, statements: list, parts: list[_Lowering]) -> None:
        parts.append(self)
        inside: dict[int, list] = {}
        for item in self.statements:
            if type(item) is tuple:
                statements.append(item)
            else:
                inner: list = []
                _lowering_of(item)._gather(inner, statements, parts)
                inside[id(item)] = inner
        for item in self.defined:
            defined.extend(inside.get(id(item), ()))
            defined.append(item)

    def place(self, node: ast.AST) -> tuple[int, int]:
        starts = self.starts
        if self.ascii:
            return starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset
        wide_rows, above = self.source.wide_rows, self.rows_above
        row, last = node.lineno + above, node.end_lineno + above
        if row not in wide_rows and last not in wide_rows:
            return starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset
        offset = self.source.document.offset
        return offset(row, node.col_offset), offset(last, node.end_col_offset)

    def block(self, nodes: list[ast.stmt]) -> tuple[ir.Node, ...]:
        lowered = []
        for node in nodes:
            handler = STATEMENTS.get(type(node))
            if handler is None:
                continue
            start, end = self.place(node)
            self.statements.append((start, end))
            self.count += 1
            self.depth += 1
            if self.depth <= MAX_DEPTH:
                lowered.append(handler(self, node, start, end))
            else:
                lowered.extend(opaque(node, start, end))
            self.depth -= 1
        return tuple(lowered)

    def expr(self, node: ast.expr) -> ir.Node:
        if self.ascii:
            starts = self.starts
            start, end = starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset
        else:
            start, end = self.place(node)
        handler = EXPRESSIONS.get(type(node))
        self.count += 1
        if handler is None or self.depth > MAX_DEPTH:
            return ir.Yield(start, end, None, is_opaque=True)
        self.depth += 1
        lowered = handler(self, node, start, end)
        self.depth -= 1
        return lowered

    def exprs(self, nodes) -> tuple[ir.Node, ...]:
        return tuple([self.expr(node) for node in nodes])

    def optional(self, node: ast.expr | None) -> ir.Node | None:
        return None if node is None else self.expr(node)

    def keywords(self, nodes) -> tuple[tuple[str | None, ir.Node], ...]:
        return tuple([(node.arg, self.expr(node.value)) for node in nodes])

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Function:
        start, end = self.place(node)
        params = self.params(node.args)
        decorators = self.exprs(node.decorator_list)
        name = node.name
        makes = params[0].name if name == "__init__" and params else None
        scope = (*self.scope, name)
        context = (self.source, scope, (*self.class_names, None), (*self.functions_around, makes), self.depth)
        row = node.lineno if node.lineno in self.bodies else 0
        rows = (self.rows_above, len(self.starts)) if self.rows_above else None
        inside = _Deferred(node.body, row, rows, context)
        name_start = self.source.document.text.find(name, start, start + 200 + len(name))
        function = ir.Function.deferred(
            start, end, name, ".".join(scope), params, decorators, self.class_names[-1], max(name_start, start), inside
        )  # fmt: skip
        self.statements.append(function)
        self.defined.append(function)
        return function

    def function(self, node: ast.Lambda, start: int, end: int) -> ir.Function:
        params = self.params(node.args)
        outer_yields, self.yields = self.yields, False
        outer_count = self.count
        owner = self.class_names[-1]
        qualname = ".".join((*self.scope, "<lambda>"))
        outside = self.scope, self.class_names, self.functions_around
        self.scope = (*self.scope, "<lambda>")
        self.class_names = (*self.class_names, None)
        self.functions_around = (*self.functions_around, None)
        body = (ir.Return(start, end, self.expr(node.body)),)
        self.scope, self.class_names, self.functions_around = outside
        is_generator, self.yields = self.yields, outer_yields
        return ir.Function(
            start, end, "<lambda>", qualname, params, body, (), is_generator, True, owner, start,
            self.count - outer_count,
        )  # fmt: skip

    def changes(self, targets: list[ast.expr]) -> None:
        """Notes what a function sets or changes beyond its own names."""
        if not self.functions_around:
            return
        for target in targets:
            match target:
                case ast.Attribute(value=ast.Name(id=name), attr=attr):
                    if name != self.functions_around[-1]:
                        self.changed_attributes.add(attr)
                case ast.Attribute(attr=attr):
                    self.changed_attributes.add(attr)
                case ast.Subscript(value=inner):
                    self.changes_content(inner)
                case ast.Tuple(elts=inner) | ast.List(elts=inner):
                    self.changes(inner)

    def changes_content(self, container: ast.expr) -> None:
        match container:
            case ast.Name(id=name):
                self.changed_names.add(name)
            case ast.Attribute(attr=attr):
                self.changed_attributes.add(attr)

    def params(self, args: ast.arguments) -> tuple[ir.Param, ...]:
        positional = [*args.posonlyargs, *args.args]
        first_default = len(positional) - len(args.defaults)
        result = []
        for i, arg in enumerate(positional):
            default = args.defaults[i - first_default] if i >= first_default else None
            result.append(self.param(arg, "positional", default))
        if args.vararg:
            result.append(self.param(args.vararg, "variadic", None))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults):
            result.append(self.param(arg, "keyword", default))
        if args.kwarg:
            result.append(self.param(args.kwarg, "mapping", None))
        return tuple(result)

    def param(self, arg: ast.arg, kind: str, default: ast.expr | None) -> ir.Param:
        start, end = self.place(arg)
        return ir.Param(arg.arg, kind, self.optional(default), self.optional(arg.annotation), start, end)

    def absolute(self, module: str | None, level: int) -> str:
        """The dotted name that a relative import means; a leading dot where this file's own name is not known."""
        if level == 0:
            return module or ""
        if self.source.name is None:
            return "." * level + (module or "")
        parts = self.source.name.split(".")
        keep = len(parts) - level + (1 if self.source.is_package else 0)
        if keep < 0:
            return "." * level + (module or "")
        return ".".join([*parts[:keep], *([module] if module else [])])


class _Deferred:
    """Lowers the body of a function when something of it is asked for; parses it first where it has a `row` in the outline."""

    __slots__ = ("body", "context", "lowering", "row", "rows")

    def __init__(self, body: list[ast.stmt], row: int, rows: tuple[int, int] | None, context: tuple):
        self.body = body
        self.row = row
        self.rows = rows
        self.context = context
        self.lowering: _Lowering | None = None

    def __call__(self, function: ir.Function, part: str) -> Any:
        with _ONE_AT_A_TIME:
            if self.lowering is None:
                body, rows = self.statements()
                low = _Lowering(*self.context, rows)
                lowered = low.block(body)
                function.is_generator = low.yields
                function.body = lowered
                self.lowering = low
                self.body, self.context = [], ()
            if part == "size":
                low = self.lowering
                inside = (item.size for item in low.defined if type(item) is ir.Function)
                function.size = low.count + sum(inside)
        return getattr(function, part)

    def statements(self) -> tuple[list[ast.stmt], tuple[int, int] | None]:
        if not self.row:
            return self.body, self.rows
        tree = self.context[0].tree
        found = body_at(tree, self.row)
        if found is None:
            return [], None  # the tree is no outline any more: whoever reads the file does so again
        statements, above = found
        return statements, (above, statements[-1].end_lineno + 2)


def _lowering_of(function: ir.Function) -> _Lowering:
    function.body  # noqa: B018  what is asked for is lowered
    return function.fill.lowering


Handler = Callable[[_Lowering, ast.AST, int, int], ir.Node]


# ---- expressions --------------------------------------------------------------------------------------------------------


def _joined(low: _Lowering, node: ast.JoinedStr, start: int, end: int) -> ir.Node:
    parts: list[ir.Node] = []
    is_plain = True
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            parts.append(low.expr(part.value))
            is_plain = is_plain and part.conversion == -1 and part.format_spec is None
        elif isinstance(part, ast.Constant):
            parts.append(ir.Constant(start, end, part.value))
    return ir.JoinedString(start, end, tuple(parts), is_plain)


def _lambda(low: _Lowering, node: ast.Lambda, start: int, end: int) -> ir.Node:
    return ir.Lambda(start, end, low.function(node, start, end))


def _clauses(low: _Lowering, generators) -> tuple:
    return tuple((low.expr(g.target), low.expr(g.iter), low.exprs(g.ifs)) for g in generators)


def _comprehension(kind: str) -> Handler:
    def handler(low: _Lowering, node, start: int, end: int) -> ir.Node:
        clauses = _clauses(low, node.generators)
        return ir.Comprehension(start, end, kind, low.expr(node.elt), None, clauses)

    return handler


def _dict_comprehension(low: _Lowering, node: ast.DictComp, start: int, end: int) -> ir.Node:
    clauses = _clauses(low, node.generators)
    return ir.Comprehension(start, end, "dict", low.expr(node.key), low.expr(node.value), clauses)


def _yield(low: _Lowering, node, start: int, end: int) -> ir.Node:
    low.yields = True
    return ir.Yield(start, end, low.optional(node.value), isinstance(node, ast.YieldFrom))


def _chain(low: _Lowering, node: ast.BinOp, start: int, end: int) -> ir.Node:
    """A left-leaning chain `a + b + c …` without recursion: generated code has them thousands long."""
    spine = []
    while isinstance(node, ast.BinOp):
        spine.append(node)
        node = node.left
    left = low.expr(node)
    for binary in reversed(spine):
        right = low.expr(binary.right)
        _, stop = low.place(binary)
        left = ir.Binary(
            left.start if binary is not spine[0] else start, stop, _BINARY[type(binary.op)], left, right
        )
    return left


_CHANGING = frozenset(
    """append extend insert pop clear remove reverse sort update setdefault popitem add discard appendleft popleft
    add_module register_module""".split()
)


def _assign(low: _Lowering, node: ast.Assign, start: int, end: int) -> ir.Node:
    low.changes(node.targets)
    return ir.Assign(start, end, low.exprs(node.targets), low.expr(node.value))


def _augmented(low: _Lowering, node: ast.AugAssign, start: int, end: int) -> ir.Node:
    low.changes([node.target])
    if low.functions_around:
        low.changes_content(node.target)  # `+=` extends a list
    return ir.Augmented(start, end, low.expr(node.target), _BINARY[type(node.op)], low.expr(node.value))


def _delete(low: _Lowering, node: ast.Delete, start: int, end: int) -> ir.Node:
    low.changes(node.targets)
    return ir.Delete(start, end, low.exprs(node.targets))


def _call(low: _Lowering, node: ast.Call, start: int, end: int) -> ir.Node:
    if low.functions_around and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        low.changes_content(node.func.value)
    return ir.Call(start, end, low.expr(node.func), low.exprs(node.args), low.keywords(node.keywords))


EXPRESSIONS: dict[type, Handler] = {
    ast.Constant: lambda low, n, s, e: ir.Constant(s, e, n.value),
    ast.Name: lambda low, n, s, e: ir.Name(s, e, n.id),
    ast.Attribute: lambda low, n, s, e: ir.Attribute(s, e, low.expr(n.value), n.attr),
    ast.Call: _call,
    ast.BinOp: _chain,
    ast.UnaryOp: lambda low, n, s, e: ir.Unary(s, e, _UNARY[type(n.op)], low.expr(n.operand)),
    ast.Compare: lambda low, n, s, e: ir.Compare(
        s, e, low.expr(n.left), tuple(_COMPARE[type(op)] for op in n.ops), low.exprs(n.comparators)
    ),
    ast.BoolOp: lambda low, n, s, e: ir.Logical(
        s, e, "and" if isinstance(n.op, ast.And) else "or", low.exprs(n.values)
    ),
    ast.IfExp: lambda low, n, s, e: ir.Conditional(
        s, e, low.expr(n.test), low.expr(n.body), low.expr(n.orelse)
    ),
    ast.Subscript: lambda low, n, s, e: ir.Subscript(s, e, low.expr(n.value), low.expr(n.slice)),
    ast.Slice: lambda low, n, s, e: ir.Slice(
        s, e, low.optional(n.lower), low.optional(n.upper), low.optional(n.step)
    ),
    ast.Tuple: lambda low, n, s, e: ir.Display(s, e, "tuple", low.exprs(n.elts)),
    ast.List: lambda low, n, s, e: ir.Display(s, e, "list", low.exprs(n.elts)),
    ast.Set: lambda low, n, s, e: ir.Display(s, e, "set", low.exprs(n.elts)),
    ast.Dict: lambda low, n, s, e: ir.DictDisplay(
        s, e, tuple(low.optional(k) for k in n.keys), low.exprs(n.values)
    ),
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.GeneratorExp: _comprehension("generator"),
    ast.DictComp: _dict_comprehension,
    ast.Starred: lambda low, n, s, e: ir.Starred(s, e, low.expr(n.value)),
    ast.JoinedStr: _joined,
    ast.NamedExpr: lambda low, n, s, e: ir.Walrus(s, e, low.expr(n.target), low.expr(n.value)),
    ast.Await: lambda low, n, s, e: ir.Await(s, e, low.expr(n.value)),
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}


# ---- statements ---------------------------------------------------------------------------------------------------------


def _define(low: _Lowering, node, start: int, end: int) -> ir.Node:
    return ir.Define(start, end, low.define(node))


def _define_class(low: _Lowering, node: ast.ClassDef, start: int, end: int) -> ir.Node:
    bases, keywords = low.exprs(node.bases), low.keywords(node.keywords)
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


def _definitions(body: tuple[ir.Node, ...]):
    """Definitions of a class body, those under a plain `if` included."""
    for item in body:
        if isinstance(item, ir.Define):
            yield item
        elif isinstance(item, ir.Branch):
            yield from _definitions(item.body)
            yield from _definitions(item.orelse)


def _import(low: _Lowering, node: ast.Import, start: int, end: int) -> ir.Node:
    names = []
    for alias in node.names:
        if alias.asname:
            names.append((alias.asname, alias.name, None))
        else:
            names.append((alias.name.partition(".")[0], alias.name.partition(".")[0], None))
    return ir.Import(start, end, tuple(names), _places(low, node))


def _import_from(low: _Lowering, node: ast.ImportFrom, start: int, end: int) -> ir.Node:
    module = low.absolute(node.module, node.level)
    names = tuple((alias.asname or alias.name, module, alias.name) for alias in node.names)
    return ir.Import(start, end, names, _places(low, node))


def _places(low: _Lowering, node: ast.Import | ast.ImportFrom) -> tuple[tuple[int, int, str], ...]:
    return tuple((*low.place(alias), alias.name) for alias in node.names)


def _with(low: _Lowering, node, start: int, end: int) -> ir.Node:
    items = tuple((low.expr(item.context_expr), low.optional(item.optional_vars)) for item in node.items)
    return ir.With(start, end, items, low.block(node.body))


def _try(low: _Lowering, node, start: int, end: int) -> ir.Node:
    body = low.block(node.body)
    handlers = tuple(
        ir.Handler(*low.place(handler), low.optional(handler.type), handler.name, low.block(handler.body))
        for handler in node.handlers
    )
    return ir.Try(start, end, body, handlers, low.block(node.orelse), low.block(node.finalbody))


def _match(low: _Lowering, node: ast.Match, start: int, end: int) -> ir.Node:
    cases = []
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


def _pattern(low: _Lowering, pattern, values: list[ir.Node], captures: list[str]) -> bool:
    """Collects literal alternatives and captured names; True when the pattern takes everything."""
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


def _global(is_global: bool) -> Handler:
    return lambda low, n, s, e: ir.Global(s, e, tuple(n.names), is_global)


def _for(low: _Lowering, node, start: int, end: int) -> ir.Node:
    target, iterable = low.expr(node.target), low.expr(node.iter)
    return ir.For(start, end, target, iterable, low.block(node.body), low.block(node.orelse))


STATEMENTS: dict[type, Handler] = {
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: lambda low, n, s, e: ir.Annotated(
        s, e, low.expr(n.target), low.expr(n.annotation), low.optional(n.value)
    ),
    ast.Expr: lambda low, n, s, e: ir.Expression(s, e, low.expr(n.value)),
    ast.Return: lambda low, n, s, e: ir.Return(s, e, low.optional(n.value)),
    ast.If: lambda low, n, s, e: ir.Branch(s, e, low.expr(n.test), low.block(n.body), low.block(n.orelse)),
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: lambda low, n, s, e: ir.While(s, e, low.expr(n.test), low.block(n.body), low.block(n.orelse)),
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _define_class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Raise: lambda low, n, s, e: ir.Raise(s, e, low.optional(n.exc)),
    ast.Assert: lambda low, n, s, e: ir.Assert(s, e, low.expr(n.test)),
    ast.Break: lambda low, n, s, e: ir.Break(s, e),
    ast.Continue: lambda low, n, s, e: ir.Continue(s, e),
    ast.Delete: _delete,
    ast.Global: _global(True),
    ast.Nonlocal: _global(False),
    ast.Match: _match,
}
if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = _try
if hasattr(ast, "TypeAlias"):
    STATEMENTS[ast.TypeAlias] = lambda low, n, s, e: ir.Delete(s, e, ())
