"""Writes what is kept of several files as one program."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from torchlsp.core.finding import Slice
from torchlsp.slicing.command_line import is_of_command_line
from torchlsp.slicing.modules import Modules, NotWhole, OtherFile, Outside, Own
from torchlsp.slicing.reading import blocks, statements
from torchlsp.slicing.scopes import bound_names, nodes_of
from torchlsp.slicing.units import Unit

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Writer:
    """Puts the kept statements of all files one after the other, those of imported files first.

    Names of different files that clash are renamed; what is left of a class is what `keeps` says.
    """

    def __init__(
        self,
        modules: Modules,
        units: dict[ast.AST, Unit],
        goal: ast.stmt,
        keeps: Callable[[ast.stmt], bool],
    ) -> None:
        self.modules = modules
        self.units = units
        self.goal = goal
        self.keeps = keeps
        self.names: dict[tuple[str, str], str] = {}
        self.taken: dict[str, tuple[str, str]] = {}
        self.local: set[str] = set()
        self.first = ""
        self.imports: dict[str, ast.stmt] = {}
        self.flagged: ast.stmt | None = None

    def written(self) -> Slice:
        files = list(self._in_order())
        kept = {path: self._pruned(self.units[self.modules.source(path).tree]) for path in files}
        for body in kept.values():
            for statement in body:
                for node in nodes_of(statement):
                    if isinstance(node, ast.FunctionDef | ast.Lambda):
                        self.local.update(bound_names(node))
        # The names of the first file are the ones that its author knows.
        self.first = files[-1]
        for path in reversed(files):
            own = [one for one in kept[path] if not isinstance(one, ast.Import | ast.ImportFrom)]
            for name in sorted(bound_names(ast.Module(own, []))):
                self._take(path, name)
        program: list[ast.stmt] = []
        for path in files:
            for statement in kept[path]:
                if not isinstance(statement, ast.Import | ast.ImportFrom):
                    program.append(_Renamed(self, path).visit(statement))
        tree = ast.fix_missing_locations(ast.Module([*self.imports.values(), *program], []))
        text = ast.unparse(tree) + "\n"
        has_defaults = any(isinstance(one, ast.ClassDef) and is_of_command_line(one.name) for one in program)
        given = "the defaults of its command line" if has_defaults else None
        return Slice(text, self._rows(tree, text), given=given)

    def _rows(self, tree: ast.Module, text: str) -> tuple[int, int]:
        """Finds the rows of the goal in the text, which has the same statements in the same order."""
        again = ast.parse(text)
        for one, other in zip(_all(tree.body), _all(again.body), strict=True):
            if one is self.flagged:
                inner = next(blocks(other), None)
                last = inner[0].lineno - 1 if inner else other.end_lineno
                first = min([other.lineno, *(row.lineno for row in getattr(other, "decorator_list", ()))])
                return first, max(other.lineno, last or 0)
        raise NotWhole("the flagged statement is left out")

    def _in_order(self) -> Iterator[str]:
        """Yields the files, each after those that it imports."""
        seen: set[str] = set()
        held = [
            path
            for tree, unit in self.units.items()
            if isinstance(tree, ast.Module)
            for path in [unit.source.path]
        ]

        def visit(path: str) -> Iterator[str]:
            if path in seen:
                return
            seen.add(path)
            for other in self._used_by(path):
                if other in held:
                    yield from visit(other)
            yield path

        first = held[0]
        seen.add(first)
        for path in held[1:]:
            yield from visit(path)
        yield first

    def _used_by(self, path: str) -> Iterator[str]:
        """Yields the files that a file's names come from."""
        for name in bound_names(self.modules.source(path).tree):
            meaning = self.modules.meaning(path, name)
            if isinstance(meaning, Own | OtherFile) and meaning.path != path:
                yield meaning.path

    def _pruned(self, unit: Unit) -> list[ast.stmt]:
        return self._block(unit, unit.body.body)

    def _block(self, unit: Unit, body: list[ast.stmt]) -> list[ast.stmt]:
        kept: list[ast.stmt] = []
        for one in body:
            if one in unit.kept:
                kept.append(self._statement(unit, one))
        return kept

    def _statement(self, unit: Unit, statement: ast.stmt) -> ast.stmt:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            return self._function(statement)
        made = copy.copy(statement)
        if isinstance(statement, ast.Match):
            raise NotWhole("a `match` statement is on the way")
        if isinstance(statement, ast.ClassDef):
            if statement is self.goal:
                self.flagged = made
            members = [one for one in statement.body if self.keeps(one)]
            made.body = [  # type: ignore[attr-defined]
                self._function(one) if isinstance(one, ast.FunctionDef) else copy.deepcopy(one)
                for one in members
            ] or [ast.Pass()]
            return made
        for field in ("body", "orelse", "finalbody"):
            block = getattr(statement, field, None)
            if isinstance(block, list):
                left = self._block(unit, block)
                setattr(made, field, left or ([ast.Pass()] if field == "body" else []))
        if isinstance(statement, ast.Try):
            made.handlers = [copy.copy(one) for one in statement.handlers]  # type: ignore[attr-defined]
            for handler in made.handlers:  # type: ignore[attr-defined]
                handler.body = self._block(unit, handler.body) or [ast.Pass()]
            if not statement.handlers:
                made.finalbody = made.finalbody or [ast.Pass()]  # type: ignore[attr-defined]
        for field, value in ast.iter_fields(made):
            if isinstance(value, ast.expr) or field in ("items", "targets", "keywords", "names"):
                setattr(made, field, copy.deepcopy(value))
        if statement is self.goal:
            self.flagged = made
        return made

    def _function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        unit = self.units.get(function)
        if unit is None:
            whole = copy.deepcopy(function)
            if function is self.goal:
                self.flagged = whole
            return whole
        made = copy.copy(function)
        if function is self.goal:
            self.flagged = made
        made.args = copy.deepcopy(function.args)
        made.decorator_list = copy.deepcopy(function.decorator_list)
        made.body = self._block(unit, function.body) or [ast.Pass()]
        return made

    def _take(self, path: str, name: str) -> str:
        """Returns the name in the program of what a name of a file means."""
        meaning = self.modules.meaning(path, name)
        key = (meaning.path, meaning.name) if isinstance(meaning, Own) else (path, name)
        if isinstance(meaning, Outside):
            key = "", f"{meaning.dotted} as {name}"
        if isinstance(meaning, OtherFile):
            raise NotWhole(f"`{name}` is a module that is used as a value")
        if meaning is None:
            return name
        if key not in self.names:
            base = meaning.name if isinstance(meaning, Own) else name
            found, number = base, 2
            # Names that the first file reaches as `module.name` may be those of locals there.
            is_renamed = isinstance(meaning, Outside) or meaning.path != self.first
            while found in self.taken or (is_renamed and found in self.local):
                found, number, is_renamed = f"{base}_{number}", number + 1, True
            self.names[key] = found
            self.taken[found] = key
        if isinstance(meaning, Outside):
            self._import(meaning, self.names[key])
        return self.names[key]

    def _import(self, meaning: Outside, name: str) -> None:
        """Writes the imports that bind a name, as the file has them."""
        for one in statements(self.modules.source(meaning.path).tree.body):
            if not isinstance(one, ast.Import | ast.ImportFrom):
                continue
            for alias in one.names:
                bound = alias.asname or (
                    alias.name.partition(".")[0] if isinstance(one, ast.Import) else alias.name
                )
                if bound != meaning.name:
                    continue
                is_plain = alias.asname is None and name == bound
                as_name = None if is_plain else name
                made: ast.stmt
                if isinstance(one, ast.Import):
                    made = ast.Import([ast.alias(alias.name, as_name)])
                else:
                    made = ast.ImportFrom(one.module, [ast.alias(alias.name, as_name)], one.level)
                self.imports.setdefault(ast.unparse(made), made)


class _Renamed(ast.NodeTransformer):
    """Replaces names of a file by those of the program."""

    def __init__(self, writer: Writer, path: str) -> None:
        self.writer = writer
        self.path = path
        self.hidden: list[frozenset[str]] = []
        self.stored: set[str] = set()
        """Names of other files that the function sets as `module.name = …`."""

    def _means(self, name: str) -> str:
        if any(name in one for one in self.hidden):
            return name
        return self.writer._take(self.path, name)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._means(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        found = None if self._is_hidden(node) else self.writer.modules.attribute(self.path, node)
        if found is not None and found[1] is node:
            if isinstance(found[0], Own | Outside):
                name = self.writer._take(found[0].path, found[0].name)
                if not isinstance(node.ctx, ast.Load):
                    self.stored.add(name)
                return ast.copy_location(ast.Name(name, node.ctx), node)
            if isinstance(found[0], OtherFile):
                raise NotWhole(f"`{ast.unparse(node)}` is a module that is used as a value")
        return self.generic_visit(node)

    def _is_hidden(self, node: ast.Attribute) -> bool:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return not isinstance(root, ast.Name) or any(root.id in one for one in self.hidden)

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self.writer._take(self.path, name) for name in node.names]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not self.hidden:
            node.name = self._means(node.name)
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [None if one is None else self.visit(one) for one in node.args.kw_defaults]
        self.hidden.append(bound_names(node))
        around, self.stored = self.stored, set()
        node.body = [self.visit(one) for one in node.body]
        if self.stored:
            node.body.insert(0, ast.Global(sorted(self.stored)))
        self.stored = around
        self.hidden.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # of the same fields

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [None if one is None else self.visit(one) for one in node.args.kw_defaults]
        self.hidden.append(bound_names(node))
        node.body = self.visit(node.body)
        self.hidden.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if not self.hidden:
            node.name = self._means(node.name)
        node.bases = [self.visit(one) for one in node.bases]
        node.keywords = [self.visit(one) for one in node.keywords]
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        own = bound_names(node)
        body: list[ast.stmt] = []
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                # The method's own name is the class's, and its body does not see the names of the class.
                name = one.name
                self.visit_FunctionDef(one)
                one.name = name
                body.append(one)
            else:
                self.hidden.append(own)
                body.append(self.visit(one))
                self.hidden.pop()
        node.body = body
        return node

    def visit_ListComp(self, node: Comprehension) -> ast.AST:
        targets = frozenset(
            one.id for part in node.generators for one in nodes_of(part.target) if isinstance(one, ast.Name)
        )
        # What is gone through first is evaluated outside.
        first = self.visit(node.generators[0].iter)
        node.generators[0].iter = ast.Constant(None)
        self.hidden.append(targets)
        self.generic_visit(node)
        self.hidden.pop()
        node.generators[0].iter = first
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def _all(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields all statements in order, those of functions and classes too."""
    for one in body:
        yield one
        for block in blocks(one):
            yield from _all(block)
