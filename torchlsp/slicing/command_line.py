"""Replaces a parsed command line by what it gives without arguments: the defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlsp.core.records import dataclass, field
from torchlsp.slicing.dotted import dotted
from torchlsp.slicing.scopes import bound_names

_PARSER = "argparse.ArgumentParser"
_FLAGS = {"store_true": False, "store_false": True}
_NONE_ACTIONS = (None, "append", "append_const", "count", "extend", "store", "store_const")
_CONVERTED = {"int": int, "float": float, "str": str}
_TITLE = "CommandLine"
_GROUPS = ("add_argument_group", "add_mutually_exclusive_group")
# What may be done with a parser besides: it changes no default.
_HARMLESS = ("error", "exit", "format_help", "format_usage", "print_help", "print_usage")
_SIMPLE_SETTINGS = (
    "add_help",
    "allow_abbrev",
    "conflict_handler",
    "description",
    "epilog",
    "formatter_class",
    "prog",
    "usage",
)

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class _Parser:
    """The defaults of a parser's options; None for one whose value is not plain.

    `is_clear` is False where more is done with the parser than can be read off the text.
    """

    defaults: dict[str, ast.expr | None] = field(default_factory=dict)
    is_clear: bool = True
    is_used_otherwise: bool = False
    statements: list[ast.stmt] = field(default_factory=list)
    """The statements that make it."""


def with_defaults(tree: ast.Module, imports: dict[str, str]) -> None:
    """Puts an object with the defaults in place of each `parser.parse_args()`."""
    if _PARSER not in imports.values() and "argparse" not in imports.values():
        return
    taken = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    taken.update(bound_names(tree))
    made: list[ast.stmt] = []
    unneeded: set[ast.stmt] = set()
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    scopes: list[Scope] = [tree, *functions]
    for scope in scopes:
        nodes = sorted(
            _nodes(scope), key=lambda one: (getattr(one, "lineno", 0), getattr(one, "col_offset", 0))
        )
        parsers = _parsers(nodes, imports)
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="parse_args")) if (
                    name in parsers and parsers[name].is_clear and _is_without_arguments(node)
                ):
                    number = 1
                    while f"{_TITLE}{number}" in taken:
                        number += 1
                    title = f"{_TITLE}{number}"
                    taken.add(title)
                    made.append(_class_of(title, parsers[name], node))
                    node.func = ast.copy_location(ast.Name(title, ast.Load()), node.func)
                    node.args, node.keywords = [], []
        if any(_is_parsing(one) for node in scope.body for one in ast.walk(node)):
            continue
        for parser in {
            id(one): one for one in parsers.values() if one.is_clear and not one.is_used_otherwise
        }.values():
            unneeded.update(parser.statements)
    _Without(unneeded).visit(tree)
    tree.body[:0] = made


class _Without(ast.NodeTransformer):
    """Takes away statements."""

    def __init__(self, unneeded: set[ast.stmt]) -> None:
        self.unneeded = unneeded

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and node in self.unneeded:
            return ast.copy_location(ast.Pass(), node)
        return (
            self.generic_visit(node) if isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler) else node
        )


def _is_parsing(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("parse_args", "parse_known_args")


def is_of_command_line(name: str) -> bool:
    """Returns whether a class is one that `with_defaults` made."""
    return name.startswith(_TITLE) and name[len(_TITLE) :].replace("_", "").isdigit()


def _nodes(scope: Scope) -> Iterator[ast.AST]:
    """Yields the nodes of a scope, not those of functions and classes in it."""
    stack: list[ast.AST] = list(scope.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))


def _is_without_arguments(call: ast.Call) -> bool:
    """Returns whether a command line without arguments is parsed: the program's own, or an empty list."""
    given = [*call.args, *(one.value for one in call.keywords)]
    return not given or (len(given) == 1 and isinstance(given[0], ast.List) and not given[0].elts)


def _parsers(nodes: list[ast.AST], imports: dict[str, str]) -> dict[str, _Parser]:
    """Reads the parsers of a scope by the names that hold them, groups of options too. `nodes` are in the order of the text."""
    found: dict[str, _Parser] = {}
    seen: set[ast.Name] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call(func=func) as call):
                if dotted(func, imports) == _PARSER:
                    # Two parsers of one name cannot be told apart here.
                    is_simple = all(one.arg in _SIMPLE_SETTINGS for one in call.keywords)
                    found[name] = _Parser(is_clear=is_simple and name not in found)
                    found[name].statements.append(node)
                    seen.add(target)
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name) as target],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=parser) as holder, attr=attr)),
            ) if attr in _GROUPS and parser in found:
                if name in found and found[name] is not found[parser]:
                    found[name].is_clear = found[parser].is_clear = False
                found[name] = found[parser]
                found[name].statements.append(node)
                seen.update((target, holder))
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as holder, attr=attr)) if name in found:
                if _is_read(node, attr, found[name]):
                    seen.add(holder)
                    found[name].is_used_otherwise |= attr in _HARMLESS
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="add_argument" | "set_defaults")
                )
            ) if name in found:
                found[name].statements.append(node)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in found and node not in seen:
            found[node.id].is_clear = False
    return found


def _is_read(call: ast.Call, attr: str, parser: _Parser) -> bool:
    """Returns whether a call of a parser's method is understood, and keeps the defaults that it gives."""
    if any(one.arg is None for one in call.keywords):
        return False
    if attr == "add_argument":
        option = _option(call, parser.defaults)
        if option is None:
            return False
        parser.defaults[option[0]] = option[1]
    elif attr == "set_defaults":
        parser.defaults.update((one.arg, _plain(one.value)) for one in call.keywords if one.arg is not None)
    else:
        return attr in (*_GROUPS, *_HARMLESS, "parse_args")
    return True


def _option(call: ast.Call, known: dict[str, ast.expr | None]) -> tuple[str, ast.expr | None] | None:
    """Returns the attribute of an option and its default; None where they are not written down."""
    flags = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    given = {one.arg: one.value for one in call.keywords}
    if not flags or len(flags) != len(call.args):
        return None
    long = [one for one in flags if one.startswith("--")]
    is_positional = not flags[0].startswith("-")
    name = (long or flags)[0]
    name = name if is_positional else name.lstrip("-").replace("-", "_")
    destination = given.get("dest")
    if destination is not None:
        if not isinstance(destination, ast.Constant):
            return None
        name = str(destination.value)
    action = given.get("action")
    action_name = action.value if isinstance(action, ast.Constant) else None
    if action is not None and action_name is None and ast.unparse(action) != "argparse.BooleanOptionalAction":
        return name, None
    if is_positional:
        return name, _positional(given)
    required = given.get("required")
    if required is not None and not (isinstance(required, ast.Constant) and required.value is False):
        return name, None
    if "default" in given:
        return name, _converted(given["default"], given.get("type"))
    if name in known:
        return name, known[name]
    if action_name in _FLAGS:
        return name, ast.Constant(_FLAGS[str(action_name)])
    return name, ast.Constant(None) if action_name in _NONE_ACTIONS else None


def _positional(given: dict[str | None, ast.expr]) -> ast.expr | None:
    count = given.get("nargs")
    if not isinstance(count, ast.Constant) or count.value not in ("?", "*"):
        return None
    if "default" in given:
        return _converted(given["default"], given.get("type"))
    return ast.Constant(None) if count.value == "?" else ast.List([], ast.Load())


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


def _class_of(title: str, parser: _Parser, place: ast.expr) -> ast.ClassDef:
    """Makes the class of an object with the defaults; options without one that is known are not there."""
    known = [
        (name, value) for name, value in parser.defaults.items() if value is not None and name.isidentifier()
    ]
    settings: list[ast.stmt] = [
        ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), name, ast.Store())], value)
        for name, value in known
    ]
    receiver = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    begin = ast.FunctionDef("__init__", receiver, settings or [ast.Pass()], [])
    made = ast.ClassDef(title, [], [], [begin], [])
    for node in ast.walk(made):
        if isinstance(node, ast.stmt | ast.expr | ast.arg):
            ast.copy_location(node, place)
    return made
