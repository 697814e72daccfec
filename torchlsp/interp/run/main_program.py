"""Runs the main program of a script apart from the definitions above it, so that it can be run again alone.

The main program are the last statements of a module's body: calls, and `if __name__ == "__main__":`. Its run begins with what
the body above has left, and all that it changes is undone after it, as for any other root. That holds only where nobody else can see a
change (`_is_unseen`): otherwise the body counts as one, and all roots begin with what the whole of it has left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin
from torchlsp.facts.tri import Tri
from torchlsp.interp.checks.api.compile_graph_breaks import CompiledFunctions
from torchlsp.interp.checks.api.torch_api import PatchedNames
from torchlsp.interp.checks.autograd.forward_hooks import ForwardHooks
from torchlsp.interp.checks.distributed.uneven_collectives import RankLoops
from torchlsp.interp.model import top_level_names
from torchlsp.interp.run import root_isolation
from torchlsp.interp.store import lifetimes
from torchlsp.interp.store.heap_keys import BATCH_SIZE
from torchlsp.interp.store.recorded import Part
from torchlsp.interp.store.state import MISSING, Delta, Entry, Key, Store
from torchlsp.program import ir
from torchlsp.program.walking import nodes, scope_nodes

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter
    from torchlsp.interp.store.frame import Frame
    from torchlsp.interp.store.trace import Item

_MADE_BY = re.compile(r"(?:^|@)(?:\.\d+)*:(\d+)|^node(\d+):")
"""Matches the name of an object that the module's body, or a call from there, has created, or of a node of the autograd graph."""
_OF_THE_PROCESS = ("dtype", "device")
"""The modes that hold for the whole process."""

_PLAIN = (bool, int, str, type(None), Tri, v.Unknown, v.Saved)
"""Types of marks in the heap that hold no object."""


# ---- where it begins ----------------------------------------------------------------------------------------------------


def begin_of(module: ir.Module, reads: dict[ir.Function, frozenset[str]] | None = None) -> int:
    """Returns the index of the first statement of the main program in the module's body; its length if there is none.

    `reads` keeps the names that each function reads of the module.
    """
    body = module.body
    begin = len(body)
    while begin and _is_of_main_program(body[begin - 1]):
        begin -= 1
    if begin == len(body) or not any(
        type(node) is ir.Define or type(node) is ir.DefineClass for node in body
    ):
        return len(body)
    seen: frozenset[str] | None = None
    for index in range(len(body) - 1, begin - 1, -1):
        bound = {name for node in scope_nodes((body[index],)) for name in top_level_names.bound_by(node)}
        if bound and seen is None:
            seen = _names_read(body[:begin], {} if reads is None else reads)
        if seen is not None and not bound.isdisjoint(seen):
            return index + 1
    return begin


def _is_of_main_program(node: ir.Node) -> bool:
    if type(node) is ir.Expression:
        return type(node.value) is ir.Call
    if type(node) is not ir.Branch or type(node.test) is not ir.Compare:
        return False
    operands = (node.test.left, *node.test.rights)
    if not any(type(one) is ir.Name and one.id == "__name__" for one in operands):
        return False
    return not any(type(one) in (ir.Define, ir.DefineClass) for one in scope_nodes((node.body, node.orelse)))


def _names_read(body: Iterable[ir.Node], known: dict[ir.Function, frozenset[str]]) -> frozenset[str]:
    """Returns the names of the module that the functions and classes of its body read."""
    found: set[str] = set()
    for node in scope_nodes(tuple(body)):
        if type(node) is ir.Define:
            if node.function not in known:
                known[node.function] = _names_read_by(node.function)
            found |= known[node.function]
        elif type(node) is ir.DefineClass:
            cls = node.cls
            outside = (cls.bases, tuple(value for _, value in cls.keywords), cls.decorators)
            found |= _names_in((outside, tuple(one for one in cls.body if type(one) is not ir.Define)))
            found |= _names_read(cls.body, known)
    return frozenset(found)


def _names_read_by(function: ir.Function) -> frozenset[str]:
    """Returns the names that a function may take from outside; rather too many."""
    bound = {param.name for param in function.params}
    read: set[str] = set()
    for node in scope_nodes(function.body):
        bound.update(top_level_names.bound_by(node))
        if type(node) is ir.Name:
            read.add(node.id)
        elif type(node) is ir.Define:
            read |= _names_read_by(node.function)
        elif type(node) is ir.DefineClass:
            read |= _names_in(node.cls)
        elif type(node) is ir.Comprehension:
            bound |= _names_in(tuple(target for target, _, _ in node.clauses))
    of_module = {
        name
        for node in scope_nodes(function.body)
        if type(node) is ir.Global and node.is_global
        for name in node.names
    }
    outside = (function.decorators, tuple((one.default, one.annotation) for one in function.params))
    return frozenset(read - bound | of_module | _names_in(outside))


def _names_in(part: object) -> set[str]:
    return {node.id for node in nodes(part) if type(node) is ir.Name}


# ---- the run ------------------------------------------------------------------------------------------------------------


class MainProgram:
    """The main program of the analysed module, with what its run begins with."""

    def __init__(self, it: Interpreter, frame: Frame, begin: int, trace: tuple[Item, ...]) -> None:
        """Keeps what the body above has left; `frame` runs it just now."""
        self.begin = begin
        self.trace = trace
        self._frame = _copied(frame)
        self._left = it.limit - it.steps, it.allowance, it.pool, it.lowest_pool, it.is_limited
        self._limit = it.limits.of_body(it.main.ir.size)
        self.steps = it.steps
        """Those that the body above has taken."""
        self.steps_of_copies = root_isolation.steps_of_copies(it)
        """What each root is charged for copies of the state: that of the body above, whatever the program loads or patches."""
        self._left_of_file, self._rehearsed = it.file_limit - it.steps, it.rehearsed
        self._modes = dict(it.state.modes)
        self._forgotten: list[tuple[Store, Key, Entry, Entry]] = []
        self._marks: dict[Key, tuple[Entry, Entry]] = {}
        """What it leaves in the heap for all that run later, with what was there before it."""
        self.patched: frozenset[str] = frozenset()
        """The names that it puts into torch, which hold for all that run later."""
        self.changed_marks: dict[Key, tuple[Entry, Entry]] = {}
        """Those of which the last run has left another value, with the values of the run before it and of the last one."""
        self.has_patched_others = False
        """Whether the last run has put other names into torch than the run before it."""

    def frame(self) -> Frame:
        """Returns the frame in which the program runs."""
        return _copied(self._frame)

    @contextmanager
    def prepared(self, it: Interpreter) -> Iterator[int]:
        """Sets the interpreter up as the body above has left it; yields the number of steps that it may take."""
        left, it.allowance, it.pool, it.lowest_pool, it.is_limited = self._left
        it.file_limit, it.rehearsed = it.steps + self._left_of_file, self._rehearsed
        it.costs_asked, it.run_asked, it.costs_before, it.run_before = {}, {}, {}, set()
        it.state.modes.update(self._modes)
        info = it.main
        info.running, info.executed = True, False
        try:
            yield left + it.limits.of_body(it.main.ir.size) - self._limit
        finally:
            info.running, info.executed = False, True

    @contextmanager
    def isolated(self, it: Interpreter) -> Iterator[Attempt]:
        """Keeps the changes of what runs inside apart: they are undone where nobody else can see them, and after an exception."""
        heap = it.state.heap
        for store, key, before, _ in reversed(self._forgotten):
            _put(store, key, before)
        for key, (before, _) in self._marks.items():
            _put(heap, key, before)
        attempt = Attempt(it, self)
        try:
            yield attempt
        except BaseException:
            attempt.undo(it)
            it.states[PatchedNames].names |= self.patched
            self._leave_again(heap)
            raise
        attempt.settle(it)
        if attempt.found is None:
            return
        earlier = {key: value for key, (_, value) in self._marks.items()}
        self.changed_marks = {
            key: (earlier.get(key, MISSING), attempt.marks.get(key, MISSING))
            for key in earlier | attempt.marks
            if repr(earlier.get(key, MISSING)) != repr(attempt.marks.get(key, MISSING))
        }
        self._marks = {key: (heap.get(key, MISSING), value) for key, value in attempt.marks.items()}
        self.has_patched_others = self.patched != attempt.patched
        self.patched = attempt.patched
        it.states[PatchedNames].names |= self.patched
        self._leave_again(heap)

    def _leave_again(self, heap: Store) -> None:
        for key, (_, value) in self._marks.items():
            heap[key] = value
        for store, key, _, after in self._forgotten:
            _put(store, key, after)

    @contextmanager
    def watching_what_is_forgotten(self, it: Interpreter) -> Iterator[None]:
        """Notes the changes made inside to what roots begin with, which the program does not see when it is run again."""
        stores: list[Store] = [it.main.scope.variables, it.state.heap]
        stores += [
            value.scope.variables
            for value in it.main.scope.variables.values()
            if isinstance(value, v.ClassValue) and value.scope is not None
        ]
        before = [dict(store) for store in stores]
        yield
        for store, earlier in zip(stores, before, strict=True):
            for key, value in store.items():
                if earlier.get(key, MISSING) is not value:
                    self._forgotten.append((store, key, earlier.get(key, MISSING), value))


class Attempt:
    """One run of a main program. `found` is None where others can see what it has changed.

    `costs` and `ran` are those of `roots.Outcome`.
    """

    def __init__(self, it: Interpreter, program: MainProgram) -> None:
        self.found: root_isolation.Found | None = None
        self.marks: dict[Key, Entry] = {}
        """What it leaves in the heap for all that run later: plain values that are no part of an object of its own."""
        self.patched: frozenset[str] = frozenset()
        self.costs: dict[int, int] = {}
        self.ran: set[int] = set()
        self._program = program
        if it.base is not None:
            it.base.restore(it)
        it.states[PatchedNames].names -= program.patched
        self._base = root_isolation.Base(it)
        self._former = it.base
        self._recording = it.recording
        self._rebound = {name: list(values) for name, values in it.main.rebound.items()}
        self._modes = dict(it.state.modes)
        self._mark = it.state.mark()
        self._clock = it.graph.clock
        it.base = self._base
        self._base.begin(it, 0)
        it.graph.clock = self._clock
        if self._recording is not None:
            it.recording = Part()

    def settle(self, it: Interpreter) -> None:
        """Undoes the changes, or makes them those of the module's body."""
        before = self._base.own
        if self._is_unseen(it):
            self.costs = {key: cost for key, cost in it.costs.items() if before["costs"].get(key) != cost}
            self.ran = it.seen_functions - before["seen_functions"]
            self.patched = frozenset(it.states[PatchedNames].names - before["states"][PatchedNames].names)
            self.found = root_isolation.Found(lifetimes.new_entries(it, before), it.recording)
            self.undo(it)
            return
        it.base = self._former
        if self._recording is not None and it.recording is not None:
            self._recording.add(it.recording)
            it.recording = self._recording

    def undo(self, it: Interpreter) -> None:
        """Restores what the body above has left."""
        self._base.restore(it)
        it.base, it.recording = self._former, self._recording
        it.state.take(self._mark)
        it.state.modes.update(self._modes)
        it.main.rebound = self._rebound

    def _is_unseen(self, it: Interpreter) -> bool:
        """Returns whether no other root can see what the program has changed."""
        before = self._base.own
        if any(it.state.modes[mode] != self._modes[mode] for mode in _OF_THE_PROCESS):
            return False
        if it.api is not before["api"] or _seen_by_all(it.states) != _seen_by_all(before["states"]):
            return False
        return self._are_new(it, it.state.changes(self._mark), it.state.existed(self._mark))

    def _are_new(self, it: Interpreter, changes: Delta, existed: Set[tuple[int, Key]]) -> bool:
        """Returns whether only names are bound that nobody had, and only objects changed that the program has created."""
        state, main = it.state, it.main.scope.variables
        shared = {id(scope.variables) for scope in self._base.own["scopes"]}
        shared.update(id(info.scope.variables) for info in it.by_path.values())
        body = it.main.ir.body
        first, last = body[self._program.begin].start, body[-1].end
        for identity, (store, key, _) in changes.items():
            if store is state.modes:
                continue
            if store is not state.heap:
                if identity[0] in shared and (store is not main or identity in existed):
                    return False
                continue
            if key[1] == BATCH_SIZE:
                continue  # of a size whose name tells the place in the program
            made = _MADE_BY.search(key[0])
            place, moment = (None, None) if made is None else made.groups()
            if first <= int(place or -1) <= last or int(moment or -1) > self._clock:
                continue
            value = state.heap.get(key, MISSING)
            if not (type(value) in _PLAIN or type(value) is Origin and not value.parents):
                return False
            self.marks[key] = value
        return True


def _seen_by_all(states: lifetimes.StatesByClass) -> tuple[object, ...]:
    """Returns the state of checks that concerns all code which runs later."""
    compiled = {key: whole for key, whole in states[CompiledFunctions].compiled.items() if whole is not None}
    return compiled, list(states[ForwardHooks].hooks), set(states[RankLoops].counted_by_rank)


def _copied(frame: Frame) -> Frame:
    """Copies a frame of a module's body, which is in no loop."""
    new = copy(frame)
    new.returns, new.loops, new.managers = list(frame.returns), list(frame.loops), list(frame.managers)
    new.loop_targets, new.changed = set(frame.loop_targets), dict(frame.changed)
    return new


def _put(store: Store, key: Key, value: Entry) -> None:
    if value is MISSING:
        store.pop(key, None)
    else:
        store[key] = value
