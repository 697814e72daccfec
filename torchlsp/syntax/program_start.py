"""Tells how a file can be run: as a program, as a module of its package, or as tests."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlsp.syntax.partial import try_parse

if TYPE_CHECKING:
    from collections.abc import Iterator


def module_of(text: str) -> ast.Module | None:
    """Returns the tree of a text; None where it does not parse."""
    return try_parse(text)[0]


def has_main_block(module: ast.Module) -> bool:
    """Returns whether a module has a block `if __name__ == "__main__"` at its top level."""
    return any(isinstance(one, ast.If) and _asks_for_main(one.test) for one in module.body)


def has_tests(module: ast.Module) -> bool:
    """Returns whether a module defines tests where pytest looks for them."""
    return any(_is_test(one) for one in _top_level(module))


def has_relative_imports(module: ast.Module) -> bool:
    """Returns whether a module imports from its own package by dots, which a program may not do."""
    return any(isinstance(one, ast.ImportFrom) and one.level > 0 for one in _top_level(module))


def _asks_for_main(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    names = any(isinstance(one, ast.Name) and one.id == "__name__" for one in sides)
    return names and any(isinstance(one, ast.Constant) and one.value == "__main__" for one in sides)


def _top_level(module: ast.Module) -> Iterator[ast.stmt]:
    """Returns the statements of a module's body, those of its branches included."""
    bodies = [module.body]
    while bodies:
        for one in bodies.pop():
            yield one
            if isinstance(one, ast.If | ast.Try | ast.With):
                bodies.append(one.body)
                bodies.append(getattr(one, "orelse", []))


def _is_test(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return statement.name.startswith("test")
    if isinstance(statement, ast.ClassDef):
        is_case = statement.name.startswith("Test") or any(_is_test_case(base) for base in statement.bases)
        return is_case and any(_is_test(one) for one in statement.body)
    return False


def _is_test_case(base: ast.expr) -> bool:
    """Returns whether a base class is a `TestCase` by its name, as in `unittest.TestCase`."""
    name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    return name.endswith("TestCase")
