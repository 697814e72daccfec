"""Slices one body, of a function or a file: which of its statements can matter to what is kept of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from torchlsp.slicing.command_line import is_of_command_line
from torchlsp.slicing.effects import EVERYTHING, Effects, Summary, Surroundings, is_iterator
from torchlsp.slicing.modules import Modules
from torchlsp.slicing.reading import DEFINITIONS, Source, blocks, header, statements
from torchlsp.slicing.scopes import names_of, nodes_of, parameters
from torchlsp.slicing.summaries import Summaries, surroundings_of

Body = ast.FunctionDef | ast.Module
_LEAVING = (ast.Return, ast.Break, ast.Continue)
_STOPPING = (ast.Raise, ast.Assert)


class Groups:
    """Names that may share an object, directly or by way of others."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._parent: dict[str, str] = {}
        for one, other in pairs:
            self._parent[self._first(one)] = self._first(other)

    def of(self, names: Iterable[str]) -> set[str]:
        """Returns what stands for the groups of names."""
        return {self._first(name) for name in names}

    def _first(self, name: str) -> str:
        parent = self._parent
        while (above := parent.get(name, name)) != name:
            parent[name] = parent.get(above, above)
            name = above
        return name


@dataclass(slots=True, eq=False)
class Unit:
    """A body of which only the statements are kept that lead to its `goal`, or to what others need of it (`wanted`).

    `attributes` are the names of attributes that what is kept anywhere reads.

    `is_program`: it is the file that is run, not one that is imported. `repeats`: it may run more than once, so what comes after the goal matters too.
    """

    source: Source
    body: Body
    modules: Modules
    summaries: Summaries
    attributes: set[str]
    goal: ast.stmt | None = None
    repeats: bool = False
    is_program: bool = False
    is_whole: bool = False
    wanted: set[str] = field(default_factory=set)
    kept: set[ast.stmt] = field(default_factory=set)
    relevant: set[str] = field(default_factory=set)
    _around: dict[ast.stmt, list[ast.stmt]] = field(default_factory=dict)
    extra_iterators: set[str] = field(default_factory=set)
    effects: dict[ast.stmt, Effects] = field(default_factory=dict)
    """What each statement does; what it binds, changes and connects are keys of `key`."""
    local: frozenset[str] = frozenset()
    """The names that the body binds, where it is a function's."""
    _scalars: frozenset[str] = frozenset()
    _generation: tuple[int, int] = (0, 0)
    _constants: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        left_out: set[ast.stmt] = set()
        for one in statements(self.body.body):
            if one in left_out:
                continue
            self._around.setdefault(one, [])
            if isinstance(one, DEFINITIONS):
                continue
            if self._is_left_to_program(one):
                del self._around[one]
                left_out.update(inner for block in blocks(one) for inner in statements(block))
                continue
            for block in blocks(one):
                for inner in block:
                    self._around[inner] = [*self._around[one], one]
        if isinstance(self.body, ast.FunctionDef):
            self.local = names_of(self.body)
            self._scalars = _scalar_names(self._around, self.source.path_of) - set(self.parameters)
        else:
            declared = {
                name for node in self.source.nodes if isinstance(node, ast.Global) for name in node.names
            }
            self._scalars = _scalar_names(self._around, self.source.path_of) - declared
        self._constants = frozenset(self._parsed_arguments())
        if self.goal is not None:
            self._keep(self.goal)

    @property
    def parameters(self) -> list[str]:
        return [] if isinstance(self.body, ast.Module) else [one.arg for one in parameters(self.body)]

    def has(self, statement: ast.stmt) -> bool:
        """Returns whether a statement is of this body, not of a function in it."""
        return statement in self._around

    @property
    def goal_is_in_loop(self) -> bool:
        """Returns whether the goal may be reached again."""
        return self.repeats or bool(self.goal is not None and self._loops(self.goal))

    def key(self, name: str) -> str:
        """Returns what stands for a name of this body in all units."""
        if "\0" in name or name == EVERYTHING:
            return name
        if name in self.local:
            return f"{id(self.body)}\0{name}"
        return self.modules.key(self.source.path, name)

    def is_scalar(self, name: str) -> bool:
        """Returns whether a name only ever holds numbers, texts, devices or types."""
        return name in self._scalars

    def summary_of(self, name: str) -> Summary | None:
        """Returns what a function or class of the workspace may do; None for any other name."""
        return None if name in self.local else self.summaries.of(self.source.path, name)

    def forget(self) -> None:
        """Makes the effects be read again, as a statement was changed."""
        self._generation = (0, 0)

    def see(self) -> bool:
        """Reads the effects of the statements, again where more is known now. Returns whether it did."""
        generation = self.summaries.refresh(), len(self.extra_iterators)
        if generation == self._generation:
            return False
        self._generation = generation
        base = surroundings_of(self.modules, self.summaries, self.source.path, self.body)
        is_object = base.is_object
        surroundings = replace(
            base,
            is_object=lambda name: name not in self._scalars and is_object(name),
            constants=self._constants,
            iterators=frozenset(self.iterators(base)),
        )
        self.effects = {}
        for one in self._around:
            found = surroundings.effects(one)
            if isinstance(one, ast.Assign) and all(self._is_option(target) for target in one.targets):
                # An option matters by its own name.
                found = replace(found, changes=found.changes - self._constants)
            self.effects[one] = replace(
                found,
                binds=frozenset(map(self.key, found.binds)),
                changes=frozenset(map(self.key, found.changes)),
                links=frozenset((self.key(name), self.key(other)) for name, other in found.links),
            )
        return True

    def grow(self, groups: Groups, wanted: set[str]) -> bool:
        """Keeps what matters to what is kept already, and to the `wanted` keys of all units. Returns whether anything was added."""
        before = len(self.kept), len(self.relevant)
        if self.is_whole:
            self.kept.update(self._around)
        shared = groups.of(wanted)
        while True:
            count = len(self.kept)
            self.relevant = self.wanted | {
                name for one in self.kept if not self._is_read_later(one) for name in self.effects[one].reads
            }
            own = set(map(self.key, self.relevant)) | wanted
            in_sight = shared | groups.of(own)
            for one, effects in self.effects.items():
                if one in self.kept or not self._can_matter(one):
                    continue
                if self._matters(effects, one, own, groups, in_sight):
                    self._keep(one)
            if len(self.kept) == count:
                break
        return before != (len(self.kept), len(self.relevant))

    def reads_of_module(self) -> Iterator[str]:
        """Yields the names that the kept statements read of the file around the body."""
        local = self.local
        for name in self.relevant:
            if name not in local:
                yield name

    def _matters(
        self, effects: Effects, statement: ast.stmt, wanted: set[str], groups: Groups, shared: set[str]
    ) -> bool:
        return (
            isinstance(statement, (*_LEAVING, *_STOPPING))
            or _ends_program(statement, self.source.path_of)
            or not effects.binds.isdisjoint(wanted)
            or EVERYTHING in effects.changes
            or self._sets_read_attribute(statement)
            or not shared.isdisjoint(groups.of(effects.changes))
        )

    def _is_option(self, target: ast.expr) -> bool:
        is_attribute = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        return is_attribute and target.value.id in self._constants  # type: ignore[attr-defined]

    def _sets_read_attribute(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Assign) and any(
            self._is_option(one) and one.attr in self.attributes  # type: ignore[attr-defined]
            for one in statement.targets
        )

    def _keep(self, statement: ast.stmt) -> None:
        self.kept.add(statement)
        for around in self._around.get(statement, ()):
            self.kept.add(around)
        for one in (statement, *self._around.get(statement, ())):
            if isinstance(one, ast.Try) and one.handlers:
                # Any statement of it may lead to the handlers.
                self.kept.update(inner for inner in statements(one.body) if self._can_matter(inner))

    def _can_matter(self, statement: ast.stmt) -> bool:
        """Returns whether a statement may be executed before the goal is."""
        goal = self.goal
        if goal is None or self.repeats or statement.lineno <= goal.lineno:
            return True
        return not self._loops(goal).isdisjoint(self._loops(statement))

    def _loops(self, statement: ast.stmt) -> set[ast.stmt]:
        return {one for one in self._around.get(statement, ()) if isinstance(one, ast.For | ast.While)}

    def _is_left_to_program(self, statement: ast.stmt) -> bool:
        """Returns whether a block is not run where the file is imported."""
        match statement:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant("__main__")]
                )
                | ast.Compare(
                    left=ast.Constant("__main__"), ops=[ast.Eq()], comparators=[ast.Name(id="__name__")]
                ),
                orelse=[],
            ):
                return isinstance(self.body, ast.Module) and not self.is_program
        return False

    def _is_read_later(self, statement: ast.stmt) -> bool:
        """Returns whether what a definition reads depends on how much of it is kept."""
        is_in_function = isinstance(self.body, ast.FunctionDef)
        return isinstance(statement, ast.ClassDef if is_in_function else DEFINITIONS)

    def iterators(self, surroundings: Surroundings) -> set[str]:
        """Returns the names of what can be gone through once."""
        found = set(self.extra_iterators)
        values = [
            (target.id, one.value)
            for one in self._around
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Name)
        ]
        for _ in range(3):
            for name, value in values:
                if isinstance(value, ast.Name) and value.id in found or is_iterator(value, surroundings):
                    found.add(name)
        return found

    def _parsed_arguments(self) -> Iterator[str]:
        """Yields the names of parsed command lines, whose attributes are numbers and texts."""
        assigned = [one for one in self._around if isinstance(one, ast.Assign)]
        given_objects = {
            target.value.id
            for one in assigned
            for target in one.targets
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            if not _is_scalar(one.value, self.source.path_of, target.value.id)
        }
        for one in assigned:
            match one:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=called))):
                    if is_of_command_line(called) and name not in given_objects:
                        yield name


def _ends_program(statement: ast.stmt, path_of: Callable[[ast.expr], str | None]) -> bool:
    """Returns whether a statement ends the program by a call."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="exit" | "quit"))):
            return True
        case ast.Expr(value=ast.Call(func=func)):
            return path_of(func) in ("sys.exit", "os._exit", "os.abort")
    return False


def _scalar_names(body: Iterable[ast.stmt], path_of: Callable[[ast.expr], str | None]) -> frozenset[str]:
    """Returns the names that are only bound to numbers, texts, devices and types."""
    scalar: set[str] = set()
    other: set[str] = set()
    for one in body:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                (scalar if _is_scalar(value, path_of) else other).add(name)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))):
                scalar.add(name)
                other.update(_stored(header(one)[1:]))
            case _:
                other.update(_stored(header(one)))
    return frozenset(scalar - other)


def _stored(parts: Iterable[ast.AST]) -> set[str]:
    return {
        node.id
        for part in parts
        for node in nodes_of(part)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _is_scalar(
    value: ast.expr, path_of: Callable[[ast.expr], str | None], options: str | None = None
) -> bool:
    """Returns whether an expression is a number, text, device or type; `options` is a name with such attributes."""
    match value:
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.UnaryOp(operand=operand):
            return _is_scalar(operand, path_of, options)
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return _is_scalar(left, path_of, options) and _is_scalar(right, path_of, options)
        case ast.BoolOp(values=values):
            return all(_is_scalar(one, path_of, options) for one in values)
        case ast.Attribute(value=ast.Name(id=name)) if name == options:
            return True
        case ast.Attribute():
            return (path_of(value) or "").startswith("torch.")
        case ast.Call(func=ast.Name(id="len" | "int" | "float" | "str" | "bool")):
            return True
        case ast.Call(func=func):
            return path_of(func) in ("torch.device", "torch.cuda.is_available", "torch.cuda.device_count")
    return False
