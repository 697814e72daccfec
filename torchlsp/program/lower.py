"""Lowers `ast` to the intermediate representation in one walk.

The walk is a table from node class to a small function; recursion follows nesting only, and text that is nested deeper than
`MAX_DEPTH` is left out as an unknown expression.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from threading import RLock

from torchlsp.program import ir
from torchlsp.program.expressions import EXPRESSIONS
from torchlsp.program.opaque import opaque
from torchlsp.program.source import Source
from torchlsp.program.statements import STATEMENTS
from torchlsp.syntax.focus import Alone
from torchlsp.syntax.outline import Body
from torchlsp.syntax.parse import SyntaxTree, body_at

MAX_DEPTH = 180


def lower(tree: SyntaxTree, name: str | None = None) -> ir.Module:
    """Returns the module's IR; an empty one when nothing could be parsed.  `name` is the file's dotted module
    name.

    The body of a function is lowered when it is asked for: of an imported file only a few are.
    """
    outline = tree.outline
    low = Lowering(Source(tree, name), (), (None,), (), 0)
    module = tree.module if outline is None else outline.take(tree.document)
    body = low.block(module.body) if module is not None else ()
    unknown = tree.blanked_names if outline is None else frozenset()
    unread = tree.blanked_words if outline is None else frozenset()
    rebound = _rebound_globals(tree.document.text)
    return ir.Module(tree.document.path, name, body, unknown, low.lower_all, rebound, unread)


_GLOBAL = re.compile(r"(?:^|[:;])[ \t]*global[ \t]+([\w \t,]+)", re.MULTILINE)


def _rebound_globals(text: str) -> frozenset[str]:
    """Returns the names of the statements `global` in a text, which is not parsed for it."""
    if "global " not in text and "global\t" not in text:
        return frozenset()
    return frozenset(name.strip() for found in _GLOBAL.finditer(text) for name in found[1].split(","))


def lower_function(tree: SyntaxTree, alone: Alone, owner: ir.Class | None) -> ir.Function:
    """Returns a function of the tree's top level, or a method of a class there, that was parsed alone."""
    scope = () if owner is None else (owner.name,)
    low = Lowering(Source(tree, None), scope, (None, *scope), (), len(scope), (alone.above, alone.rows))
    low.block([alone.node])
    (function,) = low.defined
    assert isinstance(function, ir.Function)
    return function


_Placed = ast.stmt | ast.expr | ast.arg | ast.alias | ast.excepthandler | ast.pattern
_Context = tuple[Source, tuple[str, ...], tuple[str | None, ...], tuple[str | None, ...], int]
"""The initial state of a walk, as `Lowering` takes it."""
_NO_BODIES: dict[int, Body] = {}
_ONE_AT_A_TIME = RLock()
"""A lock so that a body is lowered once: its nodes are compared by identity."""


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


class Lowering:
    """Lowers the body of a module or of one function; functions inside get a walk of their own."""

    __slots__ = (
        "ascii",
        "attributes",
        "changed_attributes",
        "changed_names",
        "class_names",
        "count",
        "bodies",
        "defined",
        "depth",
        "functions_around",
        "replaced_attributes",
        "rows_above",
        "scope",
        "source",
        "starts",
        "statements",
        "used_classes",
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
        """Starts a walk. `rows`: of a body that was parsed alone, how many rows its positions are above the
        document's, and how many it has."""
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
        """The places of statements; a function represents those inside it."""
        self.scope = scope
        self.class_names = class_names
        self.yields = False
        self.changed_names: set[str] = set()
        self.changed_attributes: set[str] = set()
        self.replaced_attributes: set[str] = set()
        self.used_classes: set[str] = set()
        self.attributes: set[str] = set()
        """Names of attributes that are mentioned, functions inside left out."""
        self.functions_around = functions_around
        """For each function around the node: the name of the object that it creates, where it is an
        `__init__`."""
        self.count = 0
        self.depth = depth

    def lower_all(self, module: ir.Module, name: str) -> object:
        """Computes the attributes of a module from everything in it."""
        defined: list[ir.Function | ir.Class] = []
        statements: list[tuple[int, int]] = []
        parts: list[Lowering] = []
        self._gather(defined, statements, parts)
        module.functions = tuple(item for item in defined if type(item) is ir.Function)
        module.classes = tuple(item for item in defined if type(item) is ir.Class)
        module.statement_starts = tuple(statements)
        module.changed_names = module.unread_words.union(*(part.changed_names for part in parts))
        module.changed_attributes = module.unread_words.union(*(part.changed_attributes for part in parts))
        module.replaced_attributes = module.unread_words.union(*(part.replaced_attributes for part in parts))
        module.used_classes = frozenset().union(*(part.used_classes for part in parts))
        mentioned: set[str] = set()
        shared: set[str] = set()
        for names in self._attributes_by_method():
            shared |= mentioned & names
            mentioned |= names
        module.shared_attributes = frozenset(shared)
        module.size = sum(part.count for part in parts)
        return getattr(module, name)

    def _gather(
        self,
        defined: list[ir.Function | ir.Class],
        statements: list[tuple[int, int]],
        parts: list[Lowering],
    ) -> None:
        parts.append(self)
        inside: dict[int, list[ir.Function | ir.Class]] = {}
        for statement in self.statements:
            if isinstance(statement, tuple):
                statements.append(statement)
            else:
                inner: list[ir.Function | ir.Class] = []
                _lowering_of(statement)._gather(inner, statements, parts)
                inside[id(statement)] = inner
        for item in self.defined:
            defined.extend(inside.get(id(item), ()))
            defined.append(item)

    def _attributes_by_method(self) -> list[set[str]]:
        """Returns the attributes that each method or outermost function mentions, those of functions inside included, and those
        that the rest does."""
        found = [set(self.attributes)]
        for statement in self.statements:
            if isinstance(statement, ir.Function):
                own, *others = _lowering_of(statement)._attributes_by_method()
                found += others
                if statement.owner is None and self.functions_around:
                    found[0] |= own
                else:
                    found.append(own)
        return found

    def place(self, node: _Placed) -> tuple[int, int]:
        starts = self.starts
        if self.ascii:
            return starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset  # type: ignore[index, operator]  # the parser gives every node its end
        wide_rows, above = self.source.wide_rows, self.rows_above
        row, last = node.lineno + above, node.end_lineno + above  # type: ignore[operator]  # the parser gives every node its end
        if row not in wide_rows and last not in wide_rows:
            return starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset  # type: ignore[index, operator]  # the parser gives every node its end
        offset = self.source.document.offset
        return offset(row, node.col_offset), offset(last, node.end_col_offset)  # type: ignore[arg-type]  # as above

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
            start, end = starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset  # type: ignore[index, operator]  # the parser gives every node its end
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

    def exprs(self, nodes: Iterable[ast.expr]) -> tuple[ir.Node, ...]:
        return tuple([self.expr(node) for node in nodes])

    def optional(self, node: ast.expr | None) -> ir.Node | None:
        return None if node is None else self.expr(node)

    def keywords(self, nodes: list[ast.keyword]) -> tuple[tuple[str | None, ir.Node], ...]:
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
        """Records attributes that are set on other objects than `self`, and what a function sets or changes beyond its own names."""
        for target in targets:
            if isinstance(target, ast.Attribute) and not _is_self(target.value):
                self.replaced_attributes.add(target.attr)
        for target in targets if self.functions_around else ():
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

    def replaces(self, node: ast.Call) -> None:
        """Records the attribute that `setattr(model, "head", head)` sets."""
        match node.args:
            case [owner, ast.Constant(value=str(name)), _] if not _is_self(owner):
                self.replaced_attributes.add(name)

    def changes_content(self, container: ast.expr) -> None:
        match container:
            case ast.Name(id=name):
                self.changed_names.add(name)
            case ast.Attribute(attr=attr):
                self.changed_attributes.add(attr)
            case ast.Subscript(value=inner):  # of `results[i].append(x)`, what holds the list
                self.changes_content(inner)

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
        """Returns the dotted name that a relative import means. A leading dot where this file's own name is
        not known."""
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
    """Lowers the body of a function on demand; parses it first where it has a `row` in the outline."""

    __slots__ = ("body", "context", "lowering", "row", "rows")

    def __init__(self, body: list[ast.stmt], row: int, rows: tuple[int, int] | None, context: _Context):
        self.body = body
        self.row = row
        self.rows = rows
        self.context: _Context | None = context
        self.lowering: Lowering | None = None

    def __call__(self, function: ir.Function, part: str) -> object:
        with _ONE_AT_A_TIME:
            if self.lowering is None:
                assert self.context is not None  # it is given up once there is a lowering
                body, rows = self.statements(self.context[0].tree)
                low = Lowering(*self.context, rows)
                lowered = low.block(body)
                function.is_generator = low.yields
                function.body = lowered
                self.lowering = low
                self.body, self.context = [], None
            if part == "size":
                low = self.lowering
                inside = (item.size for item in low.defined if type(item) is ir.Function)
                function.size = low.count + sum(inside)
        return getattr(function, part)

    def statements(self, tree: SyntaxTree) -> tuple[list[ast.stmt], tuple[int, int] | None]:
        if not self.row:
            return self.body, self.rows
        found = body_at(tree, self.row)
        if found is None:
            return [], None  # the tree is no longer an outline: the file is read again
        statements, above = found
        return statements, (above, statements[-1].end_lineno + 2)  # type: ignore[operator]  # the parser gives every node its end


def _lowering_of(function: ir.Function) -> Lowering:
    function.body  # noqa: B018  what is asked for is lowered
    lowering = function.fill.lowering
    assert lowering is not None
    return lowering
