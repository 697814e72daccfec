"""Replaces a parsed command line by what it gives without arguments: the defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from torchlsp.slicing.dotted import dotted

_PARSER = "argparse.ArgumentParser"
_FLAGS = {"store_true": False, "store_false": True}
_CONVERTED = {"int": int, "float": float, "str": str}
_TITLE = "CommandLine"
_GROUPS = ("add_argument_group", "add_mutually_exclusive_group")


@dataclass(slots=True)
class _Parser:
    """The defaults of a parser's options; None for one whose value is not plain."""

    defaults: dict[str, ast.expr | None] = field(default_factory=dict)


def with_defaults(tree: ast.Module, imports: dict[str, str]) -> None:
    """Puts an object with the defaults in place of each `parser.parse_args()`."""
    parsers = _parsers(tree, imports)
    made: list[ast.stmt] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="parse_args")) as call
            ):
                if name not in parsers or call.args or call.keywords:
                    continue
                title = f"{_TITLE}{len(made) + 1}"
                made.append(_class_of(title, parsers[name], node))
                node.value = ast.copy_location(ast.Call(ast.Name(title, ast.Load()), [], []), call)
                ast.fix_missing_locations(node)
    tree.body[:0] = made


def is_of_command_line(name: str) -> bool:
    """Returns whether a class is one that `with_defaults` made."""
    return name.startswith(_TITLE) and name[len(_TITLE) :].isdigit()


def _parsers(tree: ast.Module, imports: dict[str, str]) -> dict[str, _Parser]:
    """Reads the parsers of a file by the names that hold them, groups of options too."""
    found: dict[str, _Parser] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)):
                if dotted(func, imports) == _PARSER:
                    # Two parsers of one name cannot be told apart here.
                    found[name] = _Parser() if name not in found else found[name]
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=parser), attr=attr)),
            ) if attr in _GROUPS and parser in found:
                found[name] = found[parser]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="add_argument")) if name in found:
                for option, default in _option(node):
                    found[name].defaults[option] = default
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="set_defaults")) if name in found:
                for keyword in node.keywords:
                    if keyword.arg is not None:
                        found[name].defaults[keyword.arg] = _plain(keyword.value)
    return found


def _option(call: ast.Call) -> Iterator[tuple[str, ast.expr | None]]:
    """Yields the attribute of an option, and its default."""
    flags = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    given = {one.arg: one.value for one in call.keywords}
    if not flags:
        return
    long = [one for one in flags if one.startswith("--")]
    destination = given.get("dest")
    if isinstance(destination, ast.Constant):
        name = str(destination.value)
    else:
        name = (long or flags)[0].lstrip("-").replace("-", "_")
    action = given.get("action")
    action_name = action.value if isinstance(action, ast.Constant) else None
    is_required = not flags[0].startswith("-") and "nargs" not in given or "required" in given
    if "default" in given:
        yield name, _converted(given["default"], given.get("type"))
    elif action_name in _FLAGS:
        yield name, ast.Constant(_FLAGS[str(action_name)])
    else:
        yield name, None if is_required or action_name not in (None, "store") else ast.Constant(None)


def _converted(default: ast.expr, kind: ast.expr | None) -> ast.expr | None:
    """Returns a default as the parser gives it: a text is read as the option's type."""
    value = _plain(default)
    if (
        value is None
        or kind is None
        or not isinstance(value, ast.Constant)
        or not isinstance(value.value, str)
    ):
        return value
    convert = _CONVERTED.get(kind.id) if isinstance(kind, ast.Name) else None
    try:
        return ast.Constant(convert(value.value)) if convert is not None else None
    except ValueError:
        return None


def _plain(value: ast.expr) -> ast.expr | None:
    """Returns an expression if it is made of numbers and texts alone."""
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _class_of(title: str, parser: _Parser, place: ast.stmt) -> ast.ClassDef:
    body: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store())], value)
        for name, value in parser.defaults.items()
        if value is not None and name.isidentifier()
    ]
    made = ast.ClassDef(title, [], [], body or [ast.Pass()], [])
    return ast.fix_missing_locations(ast.copy_location(made, place))
