"""Finds what a name of a file means in the workspace: something that a file defines, another file, or what comes from outside."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from torchlsp.core.records import dataclass
from torchlsp.core.text import Document
from torchlsp.slicing.reading import Source, statements
from torchlsp.slicing.scopes import bound_names


class NotWhole(Exception):
    """The user's statements cannot be run as they stand; the text says why."""


class Files(Protocol):
    """Gives the texts of the workspace."""

    def document(self, path: str) -> Document | None:
        """Returns the text of a file; None where it cannot be read."""
        ...

    def resolve(self, module: str, importing_path: str) -> str | None:
        """Returns the path of a module of the workspace."""
        ...


@dataclass(frozen=True, slots=True)
class Own:
    """A name that a file of the workspace binds."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Outside:
    """Something imported from outside of the workspace: the file and name that import it, and its dotted path."""

    path: str
    name: str
    dotted: str


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A module of the workspace."""

    path: str


Meaning = Own | Outside | OtherFile | None


class Modules:
    """Reads files once, and resolves their names."""

    def __init__(self, files: Files, flagged: Mapping[str, Collection[int]]) -> None:
        """`flagged` are offsets, by file, of what must not be left out for being output only."""
        self._files = files
        self._flagged = flagged
        self.sources: dict[str, Source] = {}
        self._bound: dict[str, frozenset[str]] = {}
        self._meanings: dict[tuple[str, str], Meaning] = {}

    def source(self, path: str) -> Source:
        """Raises NotWhole where a file cannot be read."""
        if path not in self.sources:
            document = self._files.document(path)
            if document is None:
                raise NotWhole("a file on the way cannot be read")
            if document.cells:
                raise NotWhole("the cells of a notebook run in any order")
            try:
                self.sources[path] = Source(path, document, self._flagged.get(path, ()))
            except ValueError as problem:
                raise NotWhole(f"a file on the way does not parse: {problem}") from None
            self._bound[path] = bound_names(self.sources[path].tree)
        return self.sources[path]

    def binds(self, path: str, name: str) -> bool:
        self.source(path)
        return name in self._bound[path]

    def key(self, path: str, name: str) -> str:
        """Returns a text that stands for what a name of a file means, the same in all files that import it."""
        meaning = self.meaning(path, name)
        if isinstance(meaning, Own):
            return f"{meaning.path}\0{meaning.name}"
        return f"{path}\0{name}"

    def meaning(self, path: str, name: str) -> Meaning:
        """Returns what a name means at the top of a file; None for one that the file does not bind."""
        if (path, name) not in self._meanings:
            self._meanings[path, name] = self._found(path, name, frozenset())
        return self._meanings[path, name]

    def _found(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> Meaning:
        source = self.source(path)
        if (path, name) in seen:
            return None
        seen |= {(path, name)}
        if name not in self._bound[path]:
            return self._by_star(path, name, seen)
        imports = source.importing.get(name)
        if not imports:
            return Own(path, name)
        if len({_imported_path(*one) for one in imports}) > 1 or name in source.bound_otherwise:
            raise NotWhole(f"`{name}` is imported and bound in more than one way")
        statement, alias = imports[0]
        if isinstance(statement, ast.ImportFrom):
            return self._imported(statement, alias.name, path, name, seen)
        whole = alias.name if alias.asname is not None else name
        return self._module(whole, path) or Outside(path, name, whole)

    def attribute(self, path: str, node: ast.Attribute) -> tuple[Meaning, ast.Attribute] | None:
        """Returns what `module.name` means, of the longest part of an attribute chain that is about a file."""
        inner = node.value
        base: Meaning = None
        if isinstance(inner, ast.Name):
            base = self.meaning(path, inner.id)
        elif isinstance(inner, ast.Attribute):
            found = self.attribute(path, inner)
            if found is None or found[1] is not inner:
                return found
            base = found[0]
        if not isinstance(base, OtherFile):
            return None
        if self.binds(base.path, node.attr):
            return self.meaning(base.path, node.attr), node
        module = self._files.resolve(f".{node.attr}", base.path)
        return (OtherFile(module), node) if module is not None else None

    def _module(self, dotted: str, path: str) -> OtherFile | None:
        if dotted.partition(".")[0] in ("torch", "math"):
            return None
        found = self._files.resolve(dotted, path)
        return OtherFile(found) if found is not None else None

    def _imported(
        self, statement: ast.ImportFrom, original: str, path: str, name: str, seen: frozenset[tuple[str, str]]
    ) -> Meaning:
        module = "." * statement.level + (statement.module or "")
        joint = "" if module.endswith(".") else "."
        file = self._module(module, path) if module else None
        if file is not None and file.path != path and self.binds(file.path, original):
            return self._found(file.path, original, seen)
        inner = self._module(f"{module}{joint}{original}", path)
        if inner is not None:
            return inner
        if file is not None and file.path != path:
            return self._by_star(file.path, original, seen)
        return Outside(path, name, f"{module}{joint}{original}")

    def _by_star(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> Meaning:
        for module in self._stars(path):
            file = self._module(module, path)
            if file is not None and file.path != path:
                found = self._found(file.path, name, seen)
                if found is not None:
                    return found
        return None

    def _stars(self, path: str) -> Iterator[str]:
        for one in statements(self.source(path).tree.body):
            if isinstance(one, ast.ImportFrom) and one.names[0].name == "*":
                yield "." * one.level + (one.module or "")


def _imported_path(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """Returns what an import binds its name to."""
    if isinstance(statement, ast.Import):
        return alias.name if alias.asname is not None else alias.name.partition(".")[0]
    module = "." * statement.level + (statement.module or "")
    return f"{module}{'' if module.endswith('.') else '.'}{alias.name}"
