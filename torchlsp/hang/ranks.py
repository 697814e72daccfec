"""Computes what an expression is on one rank, as far as it follows from the rank and from constants."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from torchlsp.core.records import dataclass
from torchlsp.hang.flow import name_of_call
from torchlsp.hang.sources import Scope, Source


class _Mark:
    """A value that is not known."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


UNKNOWN: Final = _Mark("unknown")
SAME: Final = _Mark("the same on all ranks")
_FURTHER: Final = object()
_MAX_DEPTH = 40
_MAX_RANKS = 64
_MAX_STEPS = 2_000
_RANK_NAMES = ("rank", "global_rank", "local_rank", "process_index", "process_rank")
_MAIN_NAMES = ("is_main_process", "is_global_zero", "is_rank_zero", "is_master", "is_local_main_process")
_SETTINGS = ("args", "cfg", "config", "opt", "opts", "options", "hparams", "flags", "conf", "settings")
_OPERATORS = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mod: "__mod__",
    ast.FloorDiv: "__floordiv__",
    ast.Eq: "__eq__",
    ast.NotEq: "__ne__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}
_LIKE_ARGUMENT = (
    "bool",
    "int",
    "str",
    "float",
    "range",
    "reversed",
    "enumerate",
    "list",
    "tuple",
    "tqdm",
    "trange",
)
_READING = (
    "item",
    "any",
    "all",
    "sum",
    "mean",
    "max",
    "min",
    "cpu",
    "tolist",
    "float",
    "bool",
    "int",
    "long",
    "isnan",
)
_MADE_THE_SAME = ("all_reduce", "broadcast", "broadcast_object_list", "all_gather", "all_gather_object")


@dataclass(frozen=True, slots=True)
class Names:
    """Where names are looked up: a function that runs, and the call that runs it."""

    source: Source
    scope: Scope
    caller: Names | None = None
    call: ast.Call | None = None


class OnRank:
    """Computes values on one rank of a job."""

    def __init__(self, rank: int, world: int, others: dict[int, OnRank] | None = None) -> None:
        self._rank = rank
        self._world = world
        self._depth = 0
        self._steps = 0
        self._known: dict[tuple[ast.AST, ast.AST, ast.AST | None], object] = {}
        self._others = {} if others is None else others

    def value(self, node: ast.AST, names: Names) -> object:
        """Returns a value, SAME for one that is not known but is the same on all ranks, or UNKNOWN."""
        key = (node, names.scope, names.call)
        if key not in self._known:
            self._depth += 1
            self._steps += 1
            is_too_much = self._depth > _MAX_DEPTH or self._steps > _MAX_STEPS
            self._known[key] = UNKNOWN
            self._known[key] = UNKNOWN if is_too_much else self._value(node, names)
            self._depth -= 1
        return self._known[key]

    def truth(self, node: ast.AST, names: Names) -> object:
        """Returns whether a test holds: True, False, SAME or UNKNOWN."""
        found = self.value(node, names)
        return found if isinstance(found, _Mark) else bool(found)

    def _same_of(self, nodes: Iterable[ast.AST], names: Names) -> object:
        """Returns SAME for what is computed of values that are the same on all ranks; UNKNOWN if one depends on the rank."""
        for node in nodes:
            mine = self.value(node, names)
            if mine is UNKNOWN:
                return UNKNOWN
            if mine is not SAME:
                for rank in range(min(self._world, _MAX_RANKS)):
                    if rank not in self._others:
                        self._others[rank] = OnRank(rank, self._world, self._others)
                    if self._others[rank].value(node, names) != mine:
                        return UNKNOWN
        return SAME

    def _value(self, node: ast.AST, names: Names) -> object:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._name(name, node, names)
            case ast.Attribute(attr=name):
                return self._attribute(node, name, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                found = self.truth(operand, names)
                return found if isinstance(found, _Mark) else not found
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                found = self.value(operand, names)
                return (
                    -found
                    if isinstance(found, int | float)
                    else found
                    if isinstance(found, _Mark)
                    else UNKNOWN
                )
            case ast.BoolOp(op=op, values=values):
                return self._bool(isinstance(op, ast.And), [self.truth(one, names) for one in values])
            case (
                ast.BinOp(left=left, op=op, right=right)
                | ast.Compare(left=left, ops=[op], comparators=[right])
            ):
                found = _applied(op, self.value(left, names), self.value(right, names))
                return self._same_of((left, right), names) if found is SAME else found
            case ast.Tuple(elts=items) | ast.List(elts=items):
                found = [self.value(one, names) for one in items]
                marks = [one for one in found if isinstance(one, _Mark)]
                return tuple(found) if not marks else self._same_of(items, names)
            case ast.IfExp(test=test, body=body, orelse=other):
                truth = self.truth(test, names)
                if isinstance(truth, bool):
                    return self.value(body if truth else other, names)
                return self._same_of((body, other), names) if truth is SAME else UNKNOWN
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=key)):
                return self._environment(key)
            case ast.Subscript(value=value, slice=index):
                both = (self.value(value, names), self.value(index, names))
                return self._same_of((value, index), names) if SAME in both else UNKNOWN
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in _READING:
                return SAME if self.value(value, names) is SAME else UNKNOWN
            case ast.Call():
                return self._call(node, names)
        return UNKNOWN

    def _bool(self, is_and: bool, found: list[object]) -> object:
        if any(one is (not is_and) for one in found):
            return not is_and
        if UNKNOWN in found:
            return UNKNOWN
        return SAME if SAME in found else is_and

    def _environment(self, key: object) -> object:
        return {"RANK": str(self._rank), "LOCAL_RANK": str(self._rank), "WORLD_SIZE": str(self._world)}.get(
            str(key), UNKNOWN
        )

    def _attribute(self, node: ast.Attribute, name: str, names: Names) -> object:
        if name in _RANK_NAMES:
            return self._rank
        if name in _MAIN_NAMES:
            return self._rank == 0
        owner = node.value
        last = (
            owner.attr
            if isinstance(owner, ast.Attribute)
            else owner.id
            if isinstance(owner, ast.Name)
            else ""
        )
        return SAME if last.lower() in _SETTINGS and "rank" not in name else UNKNOWN

    def _call(self, node: ast.Call, names: Names) -> object:
        name, arguments = name_of_call(node), node.args
        if name in ("get_rank", "get_global_rank", "get_local_rank"):
            # A rank within a group is another number.
            return UNKNOWN if arguments or node.keywords else self._rank
        if name == "get_world_size":
            return UNKNOWN if arguments or node.keywords else self._world
        if name in ("is_initialized", "is_available"):
            return True
        if name in ("get", "getenv") and arguments and isinstance(arguments[0], ast.Constant):
            if "environ" in ast.unparse(node.func) or name == "getenv":
                return self._environment(arguments[0].value)
        if isinstance(node.func, ast.Name) and name in _LIKE_ARGUMENT and arguments and not node.keywords:
            return self._of_arguments(name, arguments, names)
        return self._own_function(name, node, names)

    def _of_arguments(self, name: str, arguments: list[ast.expr], names: Names) -> object:
        found = [self.value(one, names) for one in arguments]
        if any(isinstance(one, _Mark) for one in found):
            return self._same_of(arguments, names)
        try:
            match name, found:
                case "int", [int() | str() | bool() as one]:
                    return int(one)
                case "bool", [one]:
                    return bool(one)
                case "str", [int() | str() as one]:
                    return str(one)
                case "range", [int(), *_] if all(isinstance(one, int) for one in found):
                    return range(*found)  # type: ignore[call-overload]  # ints, and the number is that of the program
        except (ValueError, TypeError):
            return UNKNOWN
        return found[0] if len(found) == 1 and name != "float" else UNKNOWN

    def _own_function(self, name: str, node: ast.Call, names: Names) -> object:
        """Returns what a function of the program returns if its body is one `return`, after guards of it."""
        place = names.source.definition(node.func)
        if place is not None:
            source, function = place
            found = self._returned(function.body, Names(source, function, names, node))
            return None if found is _FURTHER else found
        return self._rank == 0 if name in _MAIN_NAMES else UNKNOWN

    def _returned(self, body: list[ast.stmt], names: Names) -> object:
        """Returns what statements return, UNKNOWN if that is not plain, and _FURTHER if they come to their end."""
        for statement in body:
            match statement:
                case ast.Return(value=value):
                    return None if value is None else self.value(value, names)
                case ast.If(test=test):
                    truth = self.truth(test, names)
                    if not isinstance(truth, bool):
                        return UNKNOWN
                    found = self._returned(statement.body if truth else statement.orelse, names)
                    if found is not _FURTHER:
                        return found
                case (
                    ast.Expr()
                    | ast.Assign()
                    | ast.Import()
                    | ast.ImportFrom()
                    | ast.AnnAssign()
                    | ast.Global()
                ):
                    continue
                case _:
                    return UNKNOWN
        return _FURTHER

    def _name(self, name: str, node: ast.AST, names: Names) -> object:
        scope = names.scope
        bound = list(_bindings(scope, name))
        if not bound and not isinstance(scope, ast.Module):
            if not isinstance(scope, ast.ClassDef):
                parameter = self._parameter(scope, name, names)
                if parameter is not None:
                    return parameter
            if any(isinstance(one, ast.Global) and name in one.names for one in ast.walk(names.source.tree)):
                return UNKNOWN
            return self._name(name, node, Names(names.source, names.source.tree))
        if _is_made_the_same(scope, name, getattr(node, "lineno", 0)):
            return SAME
        if names.source.changes(name):
            return UNKNOWN
        assigned = [one for one in bound if not isinstance(one.statement, ast.AugAssign)]
        if len(assigned) != 1:
            return UNKNOWN
        found = self._bound_value(assigned[0], name, names)
        if len(bound) == 1:
            return found
        # Counted up: the same number of times, unless on a condition.
        steps = [one for one in bound if isinstance(one.statement, ast.AugAssign)]
        is_counted = all(
            not one.is_conditional and not isinstance(self.value(one.statement.value, names), _Mark)
            for one in steps
            if isinstance(one.statement, ast.AugAssign)
        )
        return SAME if is_counted and found is not UNKNOWN else UNKNOWN

    def _bound_value(self, bound: _Binding, name: str, names: Names) -> object:
        match bound.statement:
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
                return self.value(value, names)
            case ast.NamedExpr(value=value):
                return self.value(value, names)
            case ast.Assign(targets=[ast.Tuple(elts=items)], value=value):
                found = self.value(value, names)
                places = [
                    index for index, one in enumerate(items) if isinstance(one, ast.Name) and one.id == name
                ]
                if isinstance(found, tuple) and len(found) == len(items) and len(places) == 1:
                    return found[places[0]]
                if isinstance(value, ast.Tuple) and len(value.elts) == len(items) and len(places) == 1:
                    return self.value(value.elts[places[0]], names)
            case ast.For(target=target, iter=iterable):
                if isinstance(target, ast.Name):
                    return UNKNOWN if self.value(iterable, names) is UNKNOWN else SAME
                if isinstance(target, ast.Tuple) and isinstance(iterable, ast.Call):
                    first = target.elts[0]
                    if (
                        name_of_call(iterable) == "enumerate"
                        and isinstance(first, ast.Name)
                        and first.id == name
                    ):
                        return SAME
        return UNKNOWN

    def _parameter(
        self, scope: ast.FunctionDef | ast.AsyncFunctionDef, name: str, names: Names
    ) -> object | None:
        given = scope.args
        ordered = [one.arg for one in (*given.posonlyargs, *given.args)]
        if name not in (*ordered, *(one.arg for one in given.kwonlyargs)):
            return None
        given_value = self._argument(name, ordered, names)
        if given_value is not UNKNOWN:
            return given_value
        if name in _RANK_NAMES:
            return self._rank
        if name == "world_size":
            return self._world
        return SAME if name.lower() in _SETTINGS else UNKNOWN

    def _argument(self, name: str, ordered: list[str], names: Names) -> object:
        """Returns what the call of a function passes for a parameter."""
        call = names.call
        if call is None or names.caller is None:
            return UNKNOWN
        for keyword in call.keywords:
            if keyword.arg == name:
                return self.value(keyword.value, names.caller)
        skipped = 1 if ordered[:1] in (["self"], ["cls"]) and isinstance(call.func, ast.Attribute) else 0
        place = ordered.index(name) - skipped if name in ordered else -1
        plain = not any(isinstance(one, ast.Starred) for one in call.args)
        if plain and 0 <= place < len(call.args):
            return self.value(call.args[place], names.caller)
        return UNKNOWN


@dataclass(frozen=True, slots=True)
class _Binding:
    statement: ast.AST
    is_conditional: bool


def _bindings(scope: ast.AST, name: str) -> Iterator[_Binding]:
    """Yields the statements of a scope that bind a name."""
    stack: list[tuple[ast.AST, bool]] = [(one, False) for one in reversed(getattr(scope, "body", []))]
    while stack:
        node, conditional = stack.pop()
        match node:
            case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
                if bound == name:
                    yield _Binding(node, conditional)
                continue
            case ast.Lambda():
                continue
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                if any((one.asname or one.name.partition(".")[0]) == name for one in aliases):
                    yield _Binding(node, conditional)
            case ast.ExceptHandler(name=bound) if bound == name:
                yield _Binding(node, conditional)
            case (
                ast.Assign()
                | ast.AnnAssign()
                | ast.AugAssign()
                | ast.NamedExpr()
                | ast.For()
                | ast.AsyncFor()
            ):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(
                    isinstance(one, ast.Name) and one.id == name for each in targets for one in ast.walk(each)
                ):
                    yield _Binding(node, conditional)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                given = [item.optional_vars for item in items if item.optional_vars is not None]
                if any(
                    isinstance(one, ast.Name) and one.id == name for each in given for one in ast.walk(each)
                ):
                    yield _Binding(node, conditional)
        inner = conditional or isinstance(node, ast.If | ast.Try | ast.Match | ast.IfExp | ast.BoolOp)
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))


def _is_made_the_same(scope: ast.AST, name: str, line: int) -> bool:
    """Returns whether a collective gives all ranks the same content of a name, after its last assignment before a line."""
    last, made = 0, 0
    stack: list[tuple[ast.AST, bool]] = [(one, False) for one in getattr(scope, "body", [])]
    while stack:
        node, conditional = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        at = getattr(node, "lineno", 0)
        if isinstance(node, ast.Call) and name_of_call(node) in _MADE_THE_SAME and node.args:
            first = node.args[0]
            if isinstance(first, ast.Name) and first.id == name and at < line and not conditional:
                made = max(made, at)
        elif isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) and at < line:
            last = max(last, at)
        inner = conditional or isinstance(node, ast.If | ast.Try | ast.Match | ast.IfExp | ast.BoolOp)
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))
    return made > last


def _applied(op: ast.operator | ast.cmpop, left: object, right: object) -> object:
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if left is SAME or right is SAME:
        return SAME
    if isinstance(op, ast.In | ast.NotIn) and isinstance(right, tuple | range | str):
        try:
            return (left in right) is isinstance(op, ast.In)
        except TypeError:
            return UNKNOWN
    if isinstance(op, ast.Is | ast.IsNot):
        return (left is right) is isinstance(op, ast.Is) if left is None or right is None else UNKNOWN
    if not all(isinstance(one, int | float) for one in (left, right)):
        is_equality = isinstance(op, ast.Eq | ast.NotEq) and type(left) is type(right)
        if not is_equality or not isinstance(left, str | tuple):
            return UNKNOWN
    name = _OPERATORS.get(type(op))
    if name is None:
        return UNKNOWN
    try:
        found = getattr(left, name)(right)
        if found is NotImplemented and isinstance(left, int):
            found = getattr(float(left), name)(right)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return UNKNOWN
    return UNKNOWN if found is NotImplemented else found
