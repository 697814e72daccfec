"""Slices one body, of a function or a file: which of its statements can matter to what is kept of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from torchlsp.slicing.command_line import is_of_command_line
from torchlsp.slicing.effects import EVERYTHING, Effects, Surroundings, is_iterator
from torchlsp.slicing.reading import DEFINITIONS, Source, blocks, statements
from torchlsp.slicing.scopes import bound_names, module_names, parameters

Body = ast.FunctionDef | ast.Module
_LEAVING = (ast.Return, ast.Break, ast.Continue)
_STOPPING = (ast.Raise, ast.Assert)


@dataclass(slots=True, eq=False)
class Unit:
    """A body of which only the statements are kept that lead to its `goal`, or to what others need of it (`wanted`).

    `attributes` are the names of attributes that what is kept anywhere reads.

    `is_program`: it is the file that is run, not one that is imported. `repeats`: it may run more than once, so what comes after the goal matters too.
    """

    source: Source
    body: Body
    is_object: Callable[[str], bool]
    attributes: set[str]
    goal: ast.stmt | None = None
    repeats: bool = False
    is_program: bool = False
    is_whole: bool = False
    wanted: set[str] = field(default_factory=set)
    kept: set[ast.stmt] = field(default_factory=set)
    relevant: set[str] = field(default_factory=set)
    _around: dict[ast.stmt, list[ast.stmt]] = field(default_factory=dict)
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

    def grow(self) -> bool:
        """Keeps what matters to what is kept already. Returns whether anything was added."""
        before = len(self.kept), len(self.relevant)
        surroundings = Surroundings(
            self.source.path_of, self._holds_object, self._constants, frozenset(self._iterators())
        )
        effects = {one: self._effects(one, surroundings) for one in self._around}
        while True:
            count = len(self.kept)
            if self.is_whole:
                self.kept.update(self._around)
            self.relevant = self.wanted | {
                name for one in self.kept if not self._is_read_later(one) for name in effects[one].reads
            }
            sharing = _connected(self.relevant, (pair for one in effects.values() for pair in one.links))
            for one in self._around:
                if (
                    one not in self.kept
                    and self._can_matter(one)
                    and self._matters(effects[one], one, sharing)
                ):
                    self._keep(one)
            if len(self.kept) == count and not self._keep_guards(effects):
                break
        self.sharing = sharing
        return before != (len(self.kept), len(self.relevant))

    sharing: set[str] = field(default_factory=set)

    def reads_of_module(self) -> Iterator[str]:
        """Yields the names that the kept statements read of the file around the body."""
        local = frozenset() if isinstance(self.body, ast.Module) else bound_names(self.body)
        for name in self.relevant:
            if name not in local:
                yield name
        for one in self.kept:
            if isinstance(one, ast.FunctionDef):
                for found in module_names(one, local):
                    yield found.id

    def _matters(self, effects: Effects, statement: ast.stmt, sharing: set[str]) -> bool:
        return (
            isinstance(statement, _LEAVING)
            or not effects.binds.isdisjoint(self.relevant)
            or self._sets_read_attribute(statement)
            or not effects.changes.isdisjoint(sharing)
            or EVERYTHING in effects.changes
        )

    def _effects(self, statement: ast.stmt, surroundings: Surroundings) -> Effects:
        effects = surroundings.effects(statement)
        if isinstance(statement, ast.Assign) and all(self._is_option(one) for one in statement.targets):
            # An option matters by its own name.
            effects = replace(effects, changes=effects.changes - self._constants)
        return effects

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
        self.kept.update(self._around.get(statement, ()))

    def _keep_guards(self, effects: dict[ast.stmt, Effects]) -> bool:
        """Keeps the `raise` and `assert` that need nothing more than is kept."""
        known = self.relevant | set(self.parameters)
        for one in self._around:
            if not isinstance(one, _STOPPING) or one in self.kept or not self._can_matter(one):
                continue
            added = [part for part in (*self._around[one], one) if part not in self.kept]
            if all(
                effects[part].reads - {"AssertionError", "ValueError", "RuntimeError"} <= known
                for part in added
            ):
                self._keep(one)
                return True
        return False

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
        is_test = isinstance(statement, ast.If) and ast.unparse(statement.test).startswith("__name__ ==")
        return is_test and isinstance(self.body, ast.Module) and not self.is_program

    def _is_read_later(self, statement: ast.stmt) -> bool:
        """Returns whether what a definition reads depends on how much of it is kept."""
        is_in_function = isinstance(self.body, ast.FunctionDef)
        return isinstance(statement, ast.ClassDef if is_in_function else DEFINITIONS)

    def _holds_object(self, name: str) -> bool:
        if not isinstance(self.body, ast.Module) and name in bound_names(self.body):
            return True
        return self.is_object(name)

    def _iterators(self) -> Iterator[str]:
        for one in self._around:
            match one:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_iterator(value):
                    yield name

    def _parsed_arguments(self) -> Iterator[str]:
        """Yields the names of parsed command lines, whose attributes are numbers and texts."""
        for one in self._around:
            match one:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=called))):
                    if is_of_command_line(called):
                        yield name


def _connected(names: set[str], links: Iterable[tuple[str, str]]) -> set[str]:
    """Returns the names that may share an object with one of these."""
    neighbours: dict[str, set[str]] = {}
    for one, other in links:
        neighbours.setdefault(one, set()).add(other)
        neighbours.setdefault(other, set()).add(one)
    found, left = set(names), list(names)
    while left:
        for other in neighbours.get(left.pop(), ()):
            if other not in found:
                found.add(other)
                left.append(other)
    return found
