"""Lists the functions of a text with digests of their source, which say later whether a function is still the same."""

from __future__ import annotations

import ast
import warnings
from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function, a lambda or the module's body (`<module>`), named and placed as Python names its code object."""

    qualname: str
    name: str
    line: int
    """That of the first decorator, as in `co_firstlineno`."""
    last_line: int
    node: ast.AST

    def digest(self) -> str:
        """Digests the code without positions, comments and formatting: the function may move in its file."""
        return sha256(ast.dump(self.node).encode("utf-8", "backslashreplace")).hexdigest()[:16]

    def lines_digest(self) -> str:
        """Digests on which line of the function each part of it stands: where equal, lines of a record still hold."""
        lines = [
            node.lineno - self.line for node in ast.walk(self.node) if isinstance(node, ast.stmt | ast.expr)
        ]
        return sha256(repr(lines).encode("ascii")).hexdigest()[:16]


def functions_of(module: ast.Module) -> list[FunctionSource]:
    """Lists the module's body and all functions in it, outer ones before inner ones."""
    last = max((getattr(one, "end_lineno", 0) or 0 for one in module.body), default=0)
    return [FunctionSource("<module>", "<module>", 1, last, module), *_functions_in(module, "")]


def functions_of_text(text: str | bytes) -> list[FunctionSource]:
    """Lists the functions of a text; none of one that does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
        return functions_of(module)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _functions_in(parent: ast.AST, prefix: str) -> Iterator[FunctionSource]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, _FUNCTIONS):
            name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            line = min([node.lineno, *(one.lineno for one in decorators)])
            yield FunctionSource(prefix + name, name, line, node.end_lineno or node.lineno, node)
            yield from _functions_in(node, f"{prefix}{name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from _functions_in(node, f"{prefix}{node.name}.")
        else:
            yield from _functions_in(node, prefix)
