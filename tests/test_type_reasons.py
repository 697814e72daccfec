"""Each `Any`, `cast` and `type: ignore` in the files that mypy checks carries its reason in a comment.

The comment stands on the row or alone on the row above. A name for a type that is `Any` carries the reason once, where it is defined.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
_DIRECTIVE = re.compile(r"#\s*(type:\s*ignore|noqa|fmt:|pragma)[^#]*")
_MENTIONED = re.compile(r"\bAny\b|\bcast\(|#\s*type:\s*ignore")
_IGNORE = re.compile(r"#\s*type:\s*ignore")


def rows_without_reason(text: str) -> list[int]:
    """Lists the rows that use `Any`, `cast` or `type: ignore` and give no reason."""
    comments, alone = {}, set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            comments[row] = token.string
            if not token.line[:column].strip():
                alone.add(row)
    used = {row for row, comment in comments.items() if _IGNORE.match(comment)}
    used.update(unchecked_types(ast.parse(text)))
    explained = {row for row, comment in comments.items() if re.search(r"\w", _DIRECTIVE.sub("", comment))}
    return sorted(row for row in used - explained if row - 1 not in explained & alone)


def unchecked_types(tree: ast.AST) -> Iterator[int]:
    """Yields the rows of casts and of `Any`, also inside of types that are written as strings."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="Any") | ast.Attribute(value=ast.Name(id="typing"), attr="Any"):
                yield node.lineno
            case ast.arg(annotation=ast.expr() as written) | ast.AnnAssign(annotation=written):
                yield from _uses_in_strings(written)
            case (
                ast.FunctionDef(returns=ast.expr() as written)
                | ast.AsyncFunctionDef(returns=ast.expr() as written)
            ):
                yield from _uses_in_strings(written)
            case ast.Call(func=ast.Name(id="cast") | ast.Attribute(value=ast.Name(id="typing"), attr="cast")):
                yield node.lineno
            case ast.Subscript(slice=written):
                yield from _uses_in_strings(written)


def _uses_in_strings(written: ast.expr) -> Iterator[int]:
    for node in ast.walk(written):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.search(r"\bAny\b", node.value):
                yield node.lineno


def checked_files() -> list[Path]:
    """Lists the files that mypy checks by the project's configuration."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    return [path for one in settings["files"] for path in sorted((ROOT / one).rglob("*.py"))]


def test_any_cast_and_ignore_carry_a_reason() -> None:
    files = checked_files()
    assert len(files) > 300
    found = [
        f"{path.relative_to(ROOT)}:{row}"
        for path in files
        for text in [path.read_text(encoding="utf-8")]
        if _MENTIONED.search(text)
        for row in rows_without_reason(text)
    ]
    assert not found, "\n".join(["no reason is given for Any, cast or type: ignore in", *found])


@pytest.mark.parametrize(
    "row",
    [
        "value: Any = None",
        "value: dict[str, Any] = {}",
        "value: 'dict[str, Any]' = {}",
        "def f(x: typing.Any) -> None: ...",
        "def f(x: int) -> 'Any': ...",
        "value = cast(Any, 1)",
        "value = cast('list[int]', 1)",
        "value = typing.cast(int, 1)",
        "Alias = Any",
        "value = 1  # type: ignore",
        "value = 1  # type: ignore[misc]  # noqa: E501",
        "value: Any = 1  # fmt: skip",
    ],
)
def test_a_row_without_a_reason_is_listed(row: str) -> None:
    assert rows_without_reason(f"from typing import Any\nother = 1  # a number\n{row}\n") == [3]


@pytest.mark.parametrize(
    "rows",
    [
        "value: Any = None  # what a client sends",
        "# what a client sends\nvalue: Any = None",
        "value = 1  # type: ignore[misc]  # the library ships no types",
        "value = 'Any'",
        '"""Any value."""',
        "Json = Any  # what json.loads returns\nvalue: dict[str, Json] = {}",
    ],
)
def test_a_reason_or_another_name_is_accepted(rows: str) -> None:
    assert rows_without_reason(f"from typing import Any\n{rows}\n") == []
