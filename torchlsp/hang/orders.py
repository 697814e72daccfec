"""Lists the orders in which the statements of several functions may run between two collectives, across calls.

A function is taken up once for each way in which a stack has come to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchlsp.core.records import dataclass, field
from torchlsp.hang.dumps import Frame
from torchlsp.hang.flow import RAISE, Flow, calls_of, conditional_calls, name_of_call
from torchlsp.hang.ranks import Names
from torchlsp.hang.sources import Source, Sources

CALL, SKIP, OTHER = "call", "skip", "other"
RECORDS, AFTER = -1, -2
"""Phases of a node: the rank is in its collective; all calls of it are done. Others count its calls that are done."""
_MAX_STATES = 100_000
# They block, and gloo's recorder has no record of them.
_UNRECORDED = frozenset(
    """
    send recv monitored_barrier new_group new_subgroups new_subgroups_by_enumeration send_object_list recv_object_list
    init_device_mesh sleep input
    """.split()
)
_SILENCERS = ("no_sync", "_grad_sync", "gradient_sync", ".accumulate(", "is_last_backward")
COLLECTIVES = frozenset(
    """
    all_reduce all_reduce_coalesced broadcast reduce all_gather all_gather_into_tensor all_gather_object gather
    gather_object scatter scatter_object_list reduce_scatter reduce_scatter_tensor all_to_all all_to_all_single barrier
    broadcast_object_list all_gather_coalesced
    """.split()
)

State = tuple[int, int, int]
Stack = Sequence[tuple[Frame, tuple[str, ...]]]
"""The user's own frames, the outermost first, each with the functions that its line was calling."""


class NoSource(Exception):
    """The source of a stack is not here or is another; the text says which and why."""


@dataclass(slots=True)
class Running:
    """A function that runs, called from a line of another."""

    file: str
    source: Source
    names: Names
    flow: Flow
    caller: int | None
    called_at: tuple[int, ...] = ()
    """The nodes of the caller that may have called it."""
    children: dict[int, list[list[int]]] = field(default_factory=dict)
    """By node of this one: the functions that it calls, in order; those of an inner list are alternatives."""
    may_raise: bool = False

    @property
    def function(self) -> str:
        scope = self.names.scope
        return "<module>" if isinstance(scope, ast.Module) else scope.name


class Orders:
    """The functions on the given stacks, with the ways through them."""

    def __init__(
        self, sources: Sources, stacks: Iterable[Stack], recording: Iterable[tuple[Frame, str]]
    ) -> None:
        self.running: list[Running] = []
        self._sources = sources
        self._known: dict[tuple[object, ...], int] = {}
        self._recording: dict[tuple[str, str, int], set[str]] = {}
        for frame, name in recording:
            self._recording.setdefault((frame.file, frame.function, frame.line), set()).add(name)
        self.ends: list[State] = []
        """Where the program ends."""
        self._places = [self._enter(stack) for stack in stacks]
        self._recorders: set[tuple[int, int]] = set()
        for place, nodes in self._places:
            self._recorders.update((place, node) for node in nodes)
        # A model that is wrapped communicates in `backward`, unless it is told not to.
        self._may_be_silent = any(word in one.source.all_text for one in self.running for word in _SILENCERS)
        for index, one in enumerate(self.running):
            if one.caller is None:
                self.ends.extend(((index, one.flow.exit, 0), (index, one.flow.raised, 0)))

    def entries(self, number: int) -> list[State]:
        """Returns where the program of a stack begins."""
        place = self._places[number][0]
        while (caller := self.running[place].caller) is not None:
            place = caller
        return [(place, self.running[place].flow.entry, 0)]

    def at(self, number: int, phase: int) -> list[State]:
        """Returns the states of a stack's innermost line, in a phase."""
        place, nodes = self._places[number]
        return [(place, node, phase) for node in nodes]

    def _enter(self, stack: Stack) -> tuple[int, tuple[int, ...]]:
        """Takes up the functions of a stack; returns the innermost and the nodes of its line."""
        key: tuple[object, ...] = ()
        caller: int | None = None
        nodes: tuple[int, ...] = ()
        for frame, called in stack:
            key = (*key, frame.file, frame.function)
            index = self._known.get(key)
            if index is None:
                index = self._known[key] = self._take_up(frame, caller, nodes)
            nodes = self._nodes(index, frame, called)
            key = (*key, frame.line)
            caller = index
        assert caller is not None
        return caller, nodes

    def _take_up(self, frame: Frame, caller: int | None, nodes: tuple[int, ...]) -> int:
        source = self._sources.get(frame.file)
        if source is None:
            raise NoSource(f"{frame.file} {self._sources.unread[frame.file]}")
        scope = source.scope(frame)
        if scope is None:
            raise NoSource(
                f"{frame.file} has no `{frame.function}` at line {frame.line}: it is another version"
            )
        parent = None if caller is None else self.running[caller]
        may_raise = False
        call: ast.Call | None = None
        if parent is not None:
            may_raise = parent.may_raise or any(parent.flow.nodes[one].caught_by is not None for one in nodes)
            statements = [parent.flow.nodes[one].statement for one in nodes]
            found = [
                each
                for one in statements[:1]
                if one is not None
                for each in calls_of(one)
                if name_of_call(each) == frame.function
            ]
            call = found[0] if len(found) == 1 else None
        names = Names(source, scope, None if parent is None else parent.names, call)
        made = Running(
            frame.file, source, names, Flow(scope, may_raise=may_raise), caller, nodes, may_raise=may_raise
        )
        self.running.append(made)
        index = len(self.running) - 1
        if parent is not None:
            for node in nodes:
                _add_child(parent, node, index, frame.function, self.running)
        return index

    def _nodes(self, index: int, frame: Frame, called: tuple[str, ...]) -> tuple[int, ...]:
        flow = self.running[index].flow
        nodes = flow.at(frame.line)
        if not nodes:
            raise NoSource(f"{frame.file} has no statement at line {frame.line}: it is another version")
        calling = [
            one
            for one in nodes
            if any(name_of_call(call) in called for call in calls_of(flow.nodes[one].statement or ast.Pass()))
        ]
        if not calling and all(not _may_call(flow.nodes[one].statement) for one in nodes):
            raise NoSource(f"{frame.file}:{frame.line} calls nothing: it is another version")
        return tuple(calling or nodes)

    def is_unrecorded(self, state: State) -> bool:
        """Returns whether a statement may wait for other ranks without a record."""
        index, node, phase = state
        statement = self.running[index].flow.nodes[node].statement
        if statement is None or phase != 0:
            return False
        return any(
            name_of_call(call) in _UNRECORDED
            or (
                isinstance(call.func, ast.Attribute)
                and call.func.attr in ("wait", "get")
                and "store" in ast.unparse(call.func.value).lower()
            )
            for call in calls_of(statement)
        )

    def _line(self, group: list[int]) -> int:
        return getattr(self.running[group[0]].names.scope, "lineno", 0)

    @property
    def has_managers(self) -> bool:
        """Returns whether a stack is inside of a generator that a `with` runs, whose second half runs later."""
        return any(
            self.is_generator((index, node, 0))
            for index, running in enumerate(self.running)
            for node in running.children
            if isinstance(running.flow.nodes[node].statement, ast.With | ast.AsyncWith)
        )

    def is_generator(self, state: State) -> bool:
        """Returns whether the node of a state calls a generator: that decides itself when it ends."""
        groups = self.running[state[0]].children.get(state[1], [])
        return any(
            isinstance(one, ast.Yield | ast.YieldFrom)
            for group in groups
            for child in group
            for one in ast.walk(self.running[child].names.scope)
        )

    def begins(self, state: State, operation: str) -> bool:
        """Returns whether the collective of a state is one with the given name."""
        statement = self.running[state[0]].flow.nodes[state[1]].statement
        return statement is not None and any(name_of_call(call) == operation for call in calls_of(statement))

    def explore(self, begin: Iterable[State]) -> dict[State, list[tuple[str, State]]]:
        """Returns what may follow each state that can be reached without passing a collective."""
        found: dict[State, list[tuple[str, State]]] = {}
        stack = list(begin)
        while stack:
            state = stack.pop()
            if state in found:
                continue
            if len(found) > _MAX_STATES:
                raise NoSource("the functions between the two places are too large")
            found[state] = list(dict.fromkeys(self._following(state)))
            stack.extend(after for _, after in found[state] if after not in found)
        return found

    def _following(self, state: State) -> list[tuple[str, State]]:
        index, node, phase = state
        running = self.running[index]
        if node == running.flow.exit:
            return self._returning(index)
        if node == running.flow.raised:
            return self._raising(index)
        statement = running.flow.nodes[node].statement
        edges = [(label, (index, after, 0)) for label, after in running.flow.nodes[node].edges]
        if phase == RECORDS:
            return []
        if phase == AFTER or statement is None:
            return edges
        groups = running.children.get(node, [])
        if phase < len(groups):
            found = [(CALL, (child, self.running[child].flow.entry, 0)) for child in groups[phase]]
            names = {self.running[child].function for child in groups[phase]}
            if any(name_of_call(call) in names for call in conditional_calls(statement)):
                found.append((SKIP, (index, node, phase + 1)))
            elif any(running.source.has_other(name, self._line(groups[phase])) for name in names):
                found.append((OTHER, (index, node, phase + 1)))
            return found
        is_recorder = self._records(running, node, statement)
        if is_recorder or (index, node) in self._recorders:
            found = [(CALL, (index, node, RECORDS))]
            if not is_recorder and self._may_be_silent:
                found.append((SKIP, (index, node, AFTER)))
            elif any(name_of_call(call) in COLLECTIVES for call in conditional_calls(statement)):
                found.append((SKIP, (index, node, AFTER)))
            return found
        return [(label, after) for label, after in edges]

    def _records(self, running: Running, node: int, statement: ast.AST) -> bool:
        """Returns whether each run of a statement begins a collective: some rank has recorded one that it calls itself,
        or it calls one by its full name."""
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return False
        one = running.flow.nodes[node]
        names = [name_of_call(call) for call in calls_of(statement)]
        for line in range(one.first, one.last + 1):
            if not self._recording.get((running.file, running.function, line), set()).isdisjoint(names):
                return True
        for call in calls_of(statement):
            if isinstance(call.func, ast.Attribute) and call.func.attr in COLLECTIVES:
                if ast.unparse(call.func.value) in ("dist", "torch.distributed"):
                    return True
        return False

    def _returning(self, index: int) -> list[tuple[str, State]]:
        running = self.running[index]
        if running.caller is None:
            return []
        found = []
        for node in running.called_at:
            for phase, group in enumerate(self.running[running.caller].children[node]):
                if index in group:
                    found.append(("return", (running.caller, node, phase + 1)))
        return found

    def _raising(self, index: int) -> list[tuple[str, State]]:
        running = self.running[index]
        if running.caller is None:
            return []
        found: list[tuple[str, State]] = []
        for node in running.called_at:
            parent = self.running[running.caller].flow
            caught = [
                (RAISE, (running.caller, after, 0))
                for label, after in parent.nodes[node].edges
                if label == RAISE
            ]
            found.extend(caught or [(RAISE, (running.caller, parent.raised, 0))])
        return found


def _add_child(parent: Running, node: int, child: int, function: str, running: list[Running]) -> None:
    """Adds a function to those that a node calls: after those whose calls end before, beside those of the same call."""
    statement = parent.flow.nodes[node].statement
    order = [name_of_call(call) for call in calls_of(statement)] if statement is not None else []
    groups = parent.children.setdefault(node, [])

    def place(one: int) -> int:
        name = running[one].function
        return order.index(name) if name in order else -1

    mine = order.index(function) if function in order else -1
    for at, group in enumerate(groups):
        other = place(group[0])
        if other == mine:
            group.append(child)
            return
        if other > mine:
            groups.insert(at, [child])
            return
    groups.append([child])


def _may_call(statement: ast.AST | None) -> bool:
    """Returns whether the node of a statement may call something: anything but a plain assignment or a jump."""
    if statement is None:
        return False
    if calls_of(statement):
        return True
    return not isinstance(statement, ast.Pass | ast.Break | ast.Continue | ast.Import) and any(
        isinstance(
            one,
            ast.Attribute
            | ast.Subscript
            | ast.BinOp
            | ast.Compare
            | ast.UnaryOp
            | ast.For
            | ast.With
            | ast.Await,
        )
        for one in ast.walk(statement)
    )
