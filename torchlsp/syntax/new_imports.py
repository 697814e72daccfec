"""Names torch's `Tensor` and the classes of jaxtyping in a text, and adds the imports that it lacks."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit
from torchlsp.core.span import Span
from torchlsp.syntax.edits import edit_for
from torchlsp.syntax.fragments import Fragments
from torchlsp.syntax.statements import statement_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from torchlsp.syntax.parse import SyntaxTree


class NewImports:
    """The names of a module, and the imports that new annotations need; only imports above the row `before` count.

    A class whose name stands for something else anywhere in the file is written `jaxtyping.Bool`.
    """

    def __init__(self, tree: SyntaxTree, module: ast.Module, before: int) -> None:
        self._tree, self._module = tree, module
        self._top = [one for one in module.body if one.lineno < before]
        self._bound = Counter(_bound_names(module))
        self._wanted: dict[str, dict[str, None]] = {}
        """Names to import, by module; the module itself where it has none."""
        self._imported = {
            (one.module, alias.name): alias.asname or alias.name
            for one in self._top
            if isinstance(one, ast.ImportFrom) and not one.level
            for alias in one.names
            if self._bound[alias.asname or alias.name] == 1
        }
        self._modules = {
            alias.name: alias.asname or alias.name
            for one in self._top
            if isinstance(one, ast.Import)
            for alias in one.names
            if alias.asname or "." not in alias.name
        }
        nodes = list(ast.walk(module))
        self.tensors = frozenset(
            alias.asname or alias.name
            for one in nodes
            if isinstance(one, ast.ImportFrom) and one.module == "torch"
            for alias in one.names
            if alias.name == "Tensor" and self._bound[alias.asname or alias.name] == 1
        )
        """What `from torch import Tensor` binds."""
        self.torch_modules = frozenset(
            alias.asname or alias.name
            for one in nodes
            if isinstance(one, ast.Import)
            for alias in one.names
            if alias.name == "torch"
        )
        """What `import torch` binds."""

    def tensor(self) -> str | None:
        """Spells torch's class of tensors; None where there is no way to."""
        known = self._imported.get(("torch", "Tensor"))
        if known is not None:
            return known
        if not self._bound["Tensor"]:
            self._want("torch", "Tensor")
            return "Tensor"
        return f"{self._modules['torch']}.Tensor" if "torch" in self._modules else None

    def jaxtyping_class(self, name: str) -> str:
        """Spells a class of jaxtyping."""
        known = self._imported.get(("jaxtyping", name))
        if known is not None:
            return known
        if not self._bound[name]:
            self._want("jaxtyping", name)
            return name
        if "jaxtyping" not in self._modules:
            self._wanted.setdefault("jaxtyping.", {})
        return f"{self._modules.get('jaxtyping', 'jaxtyping')}.{name}"

    def _want(self, module: str, name: str) -> None:
        self._wanted.setdefault(module, {})[name] = None

    # ---- edits -----------------------------------------------------------------------------------------------------

    def edits(self) -> list[Edit]:
        """Returns the edits that import what was spelt: in an import that there is, else in a new row."""
        edits: list[Edit] = []
        rows: dict[int, list[str]] = {}
        for module, names in sorted(self._wanted.items()):
            extended = self._extended(module, list(names)) if names else None
            if extended is not None:
                edits.append(extended)
                continue
            line = f"from {module} import {', '.join(sorted(names, key=_import_order))}"
            at = self._place(module) if names else self._place("")
            rows.setdefault(at, []).append(line if names else "import jaxtyping")
        return [*edits, *(self._inserted(at, lines) for at, lines in rows.items())]

    def _extended(self, module: str, names: list[str]) -> Edit | None:
        import libcst as cst

        for one in self._top:
            if not isinstance(one, ast.ImportFrom) or one.module != module or one.level:
                continue
            span = self._tree.document.span_of(one)
            fragment = Fragments.of(self._tree).for_span(span)
            old = None if fragment is None else fragment.node_at(span, cst.ImportFrom)
            if fragment is None or old is None or isinstance(old.names, cst.ImportStar):
                continue
            aliases = list(old.names)
            for name in names:
                _insert_alias(aliases, name)
            return edit_for(fragment, old, old.with_changes(names=aliases))
        return None

    def _group(self) -> list[ast.stmt]:
        """Returns the imports at the top that stand in consecutive rows, torch's among them; else the last of such rows, relative imports left out."""
        groups: list[list[ast.stmt]] = []
        last = -1
        for one in self._top:
            if not isinstance(one, ast.Import | ast.ImportFrom) or _root(one) == "__future__":
                last = -1
                continue
            if one.lineno == last + 1 and groups:
                groups[-1].append(one)
            else:
                groups.append([one])
            last = one.end_lineno or one.lineno
        for group in groups:
            if any(_root(one) == "torch" for one in group):
                return group
        absolute = [group for group in groups if all(_root(one) for one in group)]
        return (absolute or groups or [[]])[-1]

    def _place(self, module: str) -> int:
        """Returns the offset of the row where an import of a module belongs; "" is that of one without `from`."""
        group = self._group()
        if not group:
            return self._place_without_imports()
        if not _is_of_library(group):
            for one in group:
                is_from = isinstance(one, ast.ImportFrom) and not one.level
                if is_from and (not module or (getattr(one, "module", None) or "") > module):
                    return self._row_start(one.lineno)
        return self._row_start((group[-1].end_lineno or group[-1].lineno) + 1)

    def _place_without_imports(self) -> int:
        """Returns the offset below the docstring and what is imported from `__future__`, else of the first statement."""
        rows = [one.end_lineno or one.lineno for one in self._above_imports()]
        if rows:
            return self._row_start(max(rows) + 1)
        document = self._tree.document
        return self._row_start(document.lines.row(statement_span(document, self._module.body[0]).start))

    def _above_imports(self) -> list[ast.stmt]:
        """Returns the docstring and the imports from `__future__`."""
        body = self._module.body
        docstring = [
            one for one in body[:1] if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        ]
        return docstring + [one for one in body if _root(one) == "__future__"]

    def _row_start(self, row: int) -> int:
        document = self._tree.document
        return document.lines.starts[row - 1] if row <= len(document.lines.starts) else len(document.text)

    def _inserted(self, at: int, lines: list[str]) -> Edit:
        document = self._tree.document
        end = document.newline
        text = "".join(line + end for line in sorted(lines, key=lambda one: one.startswith("from")))
        group = self._group()
        if _is_of_library(group) if group else self._above_imports():
            text = end + text
        if not group and document.text[at : at + 1] not in ("", "\n", "\r"):
            text += end + end
        if document.text[at - 1 : at] not in ("", "\n", "\r"):
            text = end + text
        return Edit(Span(at, at), text)


def _insert_alias(aliases: list[cst.ImportAlias], name: str) -> None:
    """Puts a name where isort has it if those that there are stand in its order, else at the end."""
    import libcst as cst

    order = [_import_order(one.evaluated_name) for one in aliases]
    at = next((number for number, one in enumerate(order) if one > _import_order(name)), len(aliases))
    if order != sorted(order):
        at = len(aliases)
    plain = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    between = aliases[0].comma if len(aliases) > 1 else plain
    new = cst.ImportAlias(cst.Name(name))
    if at < len(aliases):
        aliases.insert(at, new.with_changes(comma=between))
        return
    last = aliases[-1]
    aliases[-1] = last.with_changes(comma=between)
    aliases.append(new.with_changes(comma=last.comma))


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    if len(name) > 1 and name.isupper():
        return 0, name
    return (1, name) if name[:1].isupper() else (2, name)


def _root(one: ast.stmt) -> str:
    if isinstance(one, ast.Import):
        return one.names[0].name.partition(".")[0]
    if isinstance(one, ast.ImportFrom):
        return "" if one.level else (one.module or "").partition(".")[0]
    return ""


def _is_of_library(group: list[ast.stmt]) -> bool:
    """Returns whether all imports of a group are of Python's own modules: others stand in a group below."""
    return all(_root(one) in sys.stdlib_module_names for one in group)


def _bound_names(module: ast.Module) -> Iterator[str]:
    """Yields the names that anything in a module binds, once for each place."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Import(names=aliases):
                yield from {one.asname or one.name.partition(".")[0] for one in aliases}
            case ast.ImportFrom(names=aliases):
                yield from (one.asname or one.name for one in aliases)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
