"""Finds the source of the files that stacks name, and tells the user's own frames from those of libraries."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Iterator, Sequence

from torchlsp.files import read_bytes
from torchlsp.hang.dumps import Frame

MAX_BYTES = 5_000_000
_MOST_FOLDERS = 5
_LIBRARY = re.compile(
    r"/(?:site|dist)-packages/|/lib(?:64)?/python3(?:\.\d+)?/|^<|/torch/(?:distributed|nn|utils|autograd|optim|_\w+)/"
)
_CHANGING = "append|appendleft|extend|insert|pop|popleft|popitem|remove|clear|sort|reverse|update|add|discard|setdefault"
_NAMELESS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.ClassDef | Function


def is_library(frame: Frame) -> bool:
    """Returns whether a frame is in an installed package or in Python's own library."""
    return _LIBRARY.search(frame.file.replace("\\", "/")) is not None


def own_frames(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Returns the frames of the user's own files, without those of comprehensions and lambdas in them."""
    found: list[Frame] = []
    for frame in frames:
        if is_library(frame):
            continue
        if found and frame.function in _NAMELESS and found[-1].file == frame.file:
            continue
        found.append(frame)
    return tuple(found)


def called_inside(frames: Sequence[Frame]) -> list[tuple[str, ...]]:
    """Returns, for each of the user's own frames, the functions that its line was calling."""
    found: list[tuple[str, ...]] = []
    own = own_frames(frames)
    places = [index for index, frame in enumerate(frames) if any(frame is one for one in own)]
    for place, end in zip(places, [*(one + 1 for one in places[1:]), len(frames)]):
        found.append(tuple(frame.function for frame in frames[place + 1 : end]))
    return found


class Source:
    """A file's text and tree. `path` is where it was read."""

    def __init__(self, path: str, text: str, sources: Sources) -> None:
        self.path = path
        self._sources = sources
        self.all_text = text
        self.lines = text.splitlines()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = ast.parse(text)

    def scope(self, frame: Frame) -> Scope | None:
        """Returns the function that a frame runs; None where none of this name has the frame's line."""
        if frame.function == "<module>":
            return self.tree if frame.line <= len(self.lines) else None
        found: Scope | None = None
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                and node.name == frame.function
            ):
                inside = node.lineno <= frame.line <= (node.end_lineno or node.lineno)
                if inside and (found is None or node.lineno > getattr(found, "lineno", 0)):
                    found = node
        return found

    def changes(self, name: str) -> bool:
        """Returns whether some line may change the container that a name stands for."""
        name = re.escape(name)
        return (
            re.search(
                rf"\b{name}\s*(?:\.(?:{_CHANGING})\(|\[[^\]]*\]\s*[-+*]?=[^=])|\bdel\s+{name}\b",
                self.all_text,
            )
            is not None
        )

    def definition(self, called: ast.AST) -> tuple[Source, ast.FunctionDef] | None:
        """Returns the function of the program that a name or `module.name` stands for, with the file that defines it."""
        if isinstance(called, ast.Name):
            for one in self.tree.body:
                if isinstance(one, ast.FunctionDef) and one.name == called.id:
                    return self, one
        module, name = self._imported(called)
        source = self._sources.module(self, module) if module else None
        for one in source.tree.body if source is not None else ():
            if source is not None and isinstance(one, ast.FunctionDef) and one.name == name:
                return source, one
        return None

    def _imported(self, called: ast.AST) -> tuple[str, str]:
        """Returns the module and the name that an imported function has; empty texts for one that is not imported."""
        for one in self.tree.body:
            if isinstance(one, ast.ImportFrom) and isinstance(called, ast.Name):
                for alias in one.names:
                    if (alias.asname or alias.name) == called.id:
                        return one.module or "", alias.name
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                if isinstance(one, ast.Import | ast.ImportFrom):
                    for alias in one.names:
                        if (alias.asname or alias.name) == called.value.id:
                            start = f"{one.module}." if isinstance(one, ast.ImportFrom) and one.module else ""
                            return start + alias.name, called.attr
        return "", ""

    def has_other(self, name: str, line: int) -> bool:
        """Returns whether a class has a method of the same name as a function that begins at a line, so that a call may mean either."""
        return any(
            isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            and one.name == name
            and one.lineno != line
            for each in ast.walk(self.tree)
            if isinstance(each, ast.ClassDef)
            for one in each.body
        )

    def text(self, first: int) -> str:
        """Returns a line without its indentation; an empty text for one that is not there."""
        return self.lines[first - 1].strip() if 0 < first <= len(self.lines) else ""


class Sources:
    """The files of a job on this machine, each read once."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._read: dict[str, Source | None] = {}
        self.unread: dict[str, str] = {}
        """Why a file that a stack names was not read."""

    def get(self, file: str) -> Source | None:
        """Returns the source of a file that a stack names."""
        if file not in self._read:
            self._read[file] = self._find(file)
        return self._read[file]

    def module(self, importing: Source, name: str) -> Source | None:
        """Returns the file of a module, looked for beside the file that imports it and in the folders above."""
        folder = os.path.dirname(os.path.abspath(importing.path))
        for _ in range(_MOST_FOLDERS):
            path = os.path.join(folder, *name.split("."))
            for file in (f"{path}.py", os.path.join(path, "__init__.py")):
                if file in self._read or os.path.isfile(file):
                    return self.get(file)
            folder = os.path.dirname(folder)
        return None

    def _find(self, file: str) -> Source | None:
        why = "is not here"
        for path in self._candidates(file):
            if not os.path.isfile(path):
                continue
            try:
                return Source(path, read_bytes(path, MAX_BYTES).decode("utf-8"), self)
            except OSError as problem:
                why = problem.strerror or str(problem)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                why = "cannot be parsed"
        self.unread[file] = why
        return None

    def _candidates(self, file: str) -> Iterator[str]:
        """Yields where a file may lie: in the folder under the longest tail of its path, then at its path."""
        if not file.endswith(".py") or "\0" in file:
            return
        if self._folder is not None:
            parts = [one for one in re.split(r"[/\\]", file) if one not in ("", ".")]
            if ".." not in parts:
                for first in range(len(parts)):
                    yield os.path.join(self._folder, *parts[first:])
        yield file
