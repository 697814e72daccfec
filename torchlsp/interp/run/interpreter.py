"""The abstract interpreter: runs a module's body, then every function and method, on facts instead of values.

What it finds out: the contracts that are provably broken (`faults`), what was done in which order (`traces`), and, when asked
for, the fact of every assigned name (`names`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import compress, repeat
from operator import is_
from typing import Any

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault
from torchlsp.facts.fault_kinds import IN_LATER_ITERATIONS, NEED_MODULE_DEVICE
from torchlsp.facts.torch_names import TorchNames, canonical
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.evaluate import calls, dispatch, statements
from torchlsp.interp.model import expected_errors, first_iterations, store_entries, top_level_names
from torchlsp.interp.objects import attributes_and_methods, rows, unknown_calls
from torchlsp.interp.run import fault_assumptions, root_isolation, roots
from torchlsp.interp.store import join
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.budget import STEPS_PER_ROOT, BudgetExceeded, Imports
from torchlsp.interp.store.builtins import VALUES as _BUILTINS
from torchlsp.interp.store.frame import FirstRun, Frame, Loop, ModuleInfo, number_of
from torchlsp.interp.store.graph_progress import Progress
from torchlsp.interp.store.lifetimes import (
    RunningStates,
    create_fields,
    extend,
    gathered,
    holder,
    last_wins,
    merge_by,
    nested,
    of_run,
    per_root,
    suspended,
    union,
)
from torchlsp.interp.store.recorded import Part
from torchlsp.interp.store.state import MISSING, MODES, Delta, Scope, State
from torchlsp.interp.store.trace import Recorder
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

STEPS_ON_MODULES = 20_000
"""Steps that the bodies of imported files may take together."""
MOST_MODULES, MOST_STARS = 40, 8
"""Files that are read for one; star imports that a name is looked for in.  A package may star-import a thousand files."""


def _fewest_assumptions(known: Fault, new: Fault) -> Fault:
    """Merges the same fault of two roots: the one that assumes least counts, else the first."""
    return new if len(known.assumptions) > len(new.assumptions) else known


Statement = Callable[[Any, Any], Any]
Expression = Callable[[Any, Any], Value]


@holder
class Interpreter:
    # What lower packages call through the running interpreter, since they may not import it. Attributes of the class: calling
    # them costs no more than calling the functions.
    invoke = calls.invoke
    call_function = calls.call_function
    apply_row = rows.apply_row
    unknown_call = unknown_calls.unknown_call
    instance_attribute = attributes_and_methods.instance_attribute
    call_object = attributes_and_methods.call_object
    call_method = attributes_and_methods.call_method
    item = attributes_and_methods.get_item

    def __init__(
        self,
        module: ir.Module,
        imports: Imports,
        wanted_calls: frozenset[str],
        strict: bool,
        cancelled: Callable[[], None] | None,
        api: TorchNames | None = None,
    ) -> None:
        create_fields(self)
        self.imports, self.wanted_calls, self.strict = imports, wanted_calls, strict
        self.cancelled, self.api = cancelled, api
        self.analysis = Analysis(module.path, module)
        self.main = self.module_info(module)

    # ---- of the run: what runs, what it may cost, and other files
    statements: dict[type, Statement] = of_run(lambda: dispatch.STATEMENTS)
    expressions: dict[type, Expression] = of_run(lambda: dispatch.EXPRESSIONS)
    state: State = of_run(State)
    recorder: Recorder = of_run(Recorder)
    modules: dict[tuple[str, str], ModuleInfo | None] = of_run(dict)
    by_path: dict[str, ModuleInfo] = of_run(dict)
    refused: set[tuple[str, str]] = of_run(set)
    """Those of `modules` that were not looked for, because there are too many."""
    main: ModuleInfo = of_run(lambda: None)
    """The file that is analysed."""
    frames: list[Frame] = of_run(list)
    frame: Frame = of_run(lambda: None)
    """The last of `frames`."""
    steps: int = of_run(int)
    limit: int = of_run(int)
    spent_on_modules: int = of_run(int)
    silent: int = of_run(int)
    """Above 0 while a pass runs whose findings do not count (the first pass over a loop, another file's body)."""
    buffers: list[dict[tuple, Fault]] = of_run(list)
    first_runs: list[FirstRun] = of_run(list)
    """The first iterations that are run just now, innermost last."""
    constants: dict[int | str, v.Scalar] = of_run(dict)
    """The value of each whole number and text that the code names."""
    pool_before: int = of_run(int)
    """Steps that the roots before the running one have left of those that all roots of the file may spend on calls beyond their
    allowances."""
    base: root_isolation.Base | None = of_run(lambda: None)

    # ---- of the running root, set aside while something runs for all roots
    allowance: int = suspended(int)
    """Steps that the running root may still spend on calls of its own account."""
    pool: int = suspended(int)
    """What is left of `pool_before`."""
    lowest_pool: int = suspended(int)
    """The fewest that were left."""
    is_limited: bool = suspended(bool)
    """Was some call of the running root not run, or not to its end, because of what it costs?"""
    costs_before: dict[int, int] = suspended(dict)
    """As `costs`, from roots before the running one; `costs_asked` are those that this one has used."""
    costs_asked: dict[int, int] = suspended(dict)
    run_before: set[int] = suspended(set)
    """As `seen_functions`, from roots before the running one; `run_asked` is what this one has asked of them."""
    run_asked: dict[int, bool] = suspended(dict)
    recording: Part | None = suspended(lambda: None)

    # ---- what the roots find
    faults: dict[tuple, Fault] = gathered(dict, merge_by(_fewest_assumptions))
    grad_assumed_in: dict[tuple, int] = gathered(dict, last_wins)
    """Faults that rest on gradients being on, to the function analysed for itself that they were found in."""
    dtype_assumed_in: dict[tuple, str] = gathered(dict, last_wins)
    """Faults that rest on nobody casting the object whose method runs, to the ref of its class."""
    cast: set[str] = gathered(set, union)
    """Refs of the classes of which some object is cast to another dtype than float32."""
    grad_modes: dict[int, set[Tri]] = gathered(dict, merge_by(set.union))
    """The grad modes under which visible calls have run a function."""
    scopes: list[Scope] = gathered(list, extend)
    """Those of files and classes, of all that were made."""
    analysis: Analysis = nested(lambda: None)
    states: RunningStates = nested(RunningStates)
    """What the checks keep, by the class of the state."""

    # ---- what each root knows for itself
    graph: Progress = nested(Progress)
    costs: dict[int, int] = per_root(dict)
    """Steps below which a call of a function is known not to end, for functions that were once given up."""
    seen_functions: set[int] = per_root(set)
    """Functions that a visible call has run with everything they can be given: they need no run of their own."""
    asking: dict[ir.Node, bool] = per_root(dict)
    """Whether a test asks which torch this is."""
    building: dict[int, bool] = per_root(dict)
    """Whether a loop builds something, by the identity of its node."""
    list_loops: dict[str, Loop | None] = per_root(dict)
    """The loop in which each list was made, where that loop's iterations are not run one by one."""
    changing: dict[str, frozenset[str]] = per_root(dict)
    """The attributes that methods of a class change, by its ref; `filled` those that they fill, with the methods."""
    filled: dict[str, tuple[tuple[str, ir.Function], ...]] = per_root(dict)
    classes: dict[str, v.ClassValue] = per_root(dict)
    """The class of each object of the workspace, by its ref."""
    annotated: dict[str, tuple[ir.Node, ModuleInfo]] = per_root(dict)
    """The annotation of each parameter of which nothing else is known, by its name as a value, and the file."""
    spawned: frozenset[str] | None = per_root(lambda: None)
    """Names of functions that this file gives to `torch.multiprocessing.spawn`, once somebody has asked."""

    # ---- modules --------------------------------------------------------------------------------------------------------

    def module_info(self, module: ir.Module) -> ModuleInfo:
        known = self.by_path.get(module.path)
        if known is not None:
            return known
        scope = Scope("module", None, None)
        self.scopes.append(scope)
        number = number_of(module.path, self.by_path) if self.by_path else 0
        info = ModuleInfo(module, scope, number, module.path)
        scope.module = info
        top = module.memo.get("top level")
        if top is None:
            top = module.memo["top level"] = top_level_names.top_level(module)
        info.postpones_annotations, info.uses_distributed = top
        self.by_path[module.path] = info
        return info

    def known_in(self, info: ModuleInfo) -> top_level_names.Known:
        """What a file says of its names without being run."""
        memo = info.ir.memo
        known = memo.get("known names")
        if known is None:
            known = memo["known names"] = top_level_names.known_names(info.ir)
        return known

    def imported_module(self, name: str) -> ModuleInfo | None:
        """The workspace module of this name as the running file sees it; None when it is no file of the workspace."""
        importer = self.frame.module.path
        key = (name, importer)
        if key not in self.modules:
            if len(self.by_path) >= MOST_MODULES:
                self.refused.add(key)
            found = None if key in self.refused else self.imports.module(name, importer)
            self.modules[key] = None if found is None else self.module_info(found)
        return self.modules[key]

    def run_module(self, info: ModuleInfo) -> None:
        """Runs another file's body, once, without recording anything about it."""
        if info.executed or info.running:
            return
        if self.spent_on_modules > STEPS_ON_MODULES:
            info.executed = True
            return
        info.running = True
        try:
            self._apart(info, lambda: self.block(node for node in info.ir.body if node not in info.had))
        finally:
            info.executed, info.running = True, False

    def _had_alone(self, info: ModuleInfo, name: str, node: ir.Assign | ir.Annotated) -> Value:
        """The value of an assignment of another file's top level, run without the rest of its body."""
        if node in info.had or self.spent_on_modules > STEPS_ON_MODULES:
            return UNKNOWN_VALUE
        info.had.add(node)
        self._apart(info, lambda: self.block((node,)))
        return info.scope.variables.get(name, UNKNOWN_VALUE)

    def _apart(self, info: ModuleInfo, run: Callable[[], object]) -> None:
        """Runs statements of another file's top level in its place, without recording anything about it."""
        with self.for_all():
            self._in_its_place(info, run)

    def for_all(self) -> AbstractContextManager[None]:
        """Inside, what is found out stays known when the running root is over."""
        return nullcontext() if self.base is None else self.base.for_all(self)

    def _in_its_place(self, info: ModuleInfo, run: Callable[[], object]) -> None:
        steps, limit, silent = self.steps, self.limit, self.silent
        traces, buffers = len(self.recorder.stack), len(self.buffers)
        frames, frame, modes = self.frames, self.frame, dict(self.state.modes)
        mark = self.state.mark()
        self.frames = []
        self.silent += 1
        self.recorder.open()
        self.state.modes.update(MODES)
        try:
            self.limit = self.steps + STEPS_PER_ROOT + 4 * len(info.ir.body)
            self.push(Frame(None, info.scope, info, f"m{info.index}", mark, is_root=True))
            run()
        except BudgetExceeded:
            pass
        finally:
            self.frames, self.frame = frames, frame
            self.state.modes.update(modes)
            del self.recorder.stack[traces:], self.buffers[buffers:]
            # what the body did stays done on every path of the file that first asked for it
            del self.state.journal[mark:]
            self.silent = silent
            self.spent_on_modules += self.steps - steps
            self.steps, self.limit = steps, limit

    # ---- roots ----------------------------------------------------------------------------------------------------------

    def run(self) -> Analysis:
        roots.run_roots(self)
        return self.finish()

    def finish(self) -> Analysis:
        """What was found, without that which turned out not to hold."""
        for key, function in self.grad_assumed_in.items():
            modes = self.grad_modes.get(function)
            if (
                modes
                and Tri.YES not in modes
                and key in self.faults
                and "grad" in self.faults[key].assumptions
            ):
                del self.faults[key]  # whoever calls it switches gradients off
        for key, owner in self.dtype_assumed_in.items():
            if owner in self.cast and key in self.faults and "dtype" in self.faults[key].assumptions:
                del self.faults[key]
        self.analysis.faults = sorted(self.faults.values(), key=lambda fault: (fault.start, fault.end))
        self.analysis.steps = self.steps
        self.analysis.scopes = list(self.scopes)
        self.analysis.states = self.states
        return self.analysis

    def was_run(self, function: ir.Function) -> bool:
        """Has a visible call run this with everything it can be given?"""
        identity = id(function)
        if identity in self.seen_functions:
            return True
        self.run_asked[identity] = before = identity in self.run_before
        return before

    def least_cost(self, function: ir.Function) -> int:
        """Steps below which a call of this is known not to end."""
        identity = id(function)
        known = self.costs.get(identity)
        if known is None:
            self.costs_asked[identity] = known = self.costs_before.get(identity, 0)
        return known

    def push(self, frame: Frame) -> None:
        if self.frames:
            frame.undecided = self.frames[-1].undecided
        self.frames.append(frame)
        self.frame = frame

    def pop(self) -> Frame:
        frame = self.frames.pop()
        self.frame = self.frames[-1] if self.frames else None
        return frame

    # ---- running --------------------------------------------------------------------------------------------------------

    def block(self, nodes: Iterable[ir.Node]) -> bool:
        """Runs statements; False when control does not reach the end of the block."""
        frame = self.frame
        run = self.statements
        cancelled = self.cancelled
        for node in nodes:
            self.steps += 1
            if self.steps > self.limit:
                raise BudgetExceeded
            if cancelled is not None:
                cancelled()
            frame.statement = (node.start, node.end)
            if run[type(node)](self, node) is False:
                return False
        return True

    def eval(self, node: ir.Node) -> Value:
        self.steps += 1
        if self.steps > self.limit:
            raise BudgetExceeded
        return self.expressions[type(node)](self, node)

    def context(self, node: ir.Node) -> Context:
        frame = self.frame
        modes = self.state.modes
        self.graph.clock += 1
        return Context(
            f"{frame.site}:{node.start}_{node.end}",  # calls of one chain begin at one place
            node.start,
            node.end,
            frame.module.path,
            modes["grad"],
            modes["inference"],
            modes["autocast"],
            modes["dtype"],
            modes["device"],
            self.graph.clock if modes["autocast"] is Tri.NO else -self.graph.clock,
            self.elements,
        )

    # ---- facts of containers --------------------------------------------------------------------------------------------

    def elements(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple or list when all are known."""
        kind = type(value)
        if kind is v.TupleValue:
            return value.items
        if kind is v.ListRef:
            content = self.state.heap.get((value.ref, "[]"))
            return content if isinstance(content, tuple) else None
        return None

    # ---- faults ---------------------------------------------------------------------------------------------------------

    def report(self, faults: Iterable[Fault]) -> None:
        """Records faults, unless the path to them is only one of several inside a call made for particular arguments."""
        if self.silent:
            if self.silent == self.graph.rehearsing:
                faults = [fault for fault in faults if fault.kind in IN_LATER_ITERATIONS]
            elif not self.first_runs or self.first_runs[-1].silent != self.silent:
                return
        specialised = [frame for frame in self.frames if not frame.is_root]
        if any(frame.conditional for frame in specialised):
            return
        if any(loop.doubt for frame in self.frames for loop in frame.loops):
            return
        chain = tuple(frame.call for frame in specialised if frame.call is not None)
        expected = self.state.modes["caught"]
        target = self.buffers[-1] if self.buffers else self.faults
        if self.silent and self.silent != self.graph.rehearsing:
            target = {}
        for fault in faults:
            if expected_errors.is_expected(fault.kind, expected, len(self.frames)):
                continue
            if fault.kind in NEED_MODULE_DEVICE:
                fault = module_placement.classify_device_mismatch(self, fault)
                if fault is None:
                    continue
            key = (fault.kind, fault.path, fault.start, fault.end)
            if "cuda" in fault.assumptions and self.state.modes["cuda"] is Tri.NO:
                continue
            assumptions = fault.assumptions | fault_assumptions.in_this_run(self, fault)
            if "grad" in assumptions and self.frames[0].function is not None:
                self.grad_assumed_in[key] = id(self.frames[0].function)
            if "dtype" in assumptions:
                self.dtype_assumed_in[key] = self.frames[0].owner.ref
            known = target.get(key)
            if known is not None and len(known.assumptions) <= len(assumptions) and not self.first_runs:
                continue
            found = replace(fault, assumptions=assumptions, call_chain=chain)
            first_iterations.note(self, key, found)
            if known is None or len(known.assumptions) > len(assumptions):
                target[key] = found

    # ---- bindings -------------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value) -> None:
        scope = self.frame.scope
        if scope.globals is not None or scope.nonlocals is not None:
            scope = self.scope_of(name)
        if scope.kind == "module":
            before = scope.variables.get(name, MISSING)
            if before is not MISSING and before is not value and before != value:
                rebound = scope.module.rebound
                rebound[name] = join.join(rebound.get(name, before), before, f"global.{name}")
        self.state.set(scope.variables, name, value)

    def scope_of(self, name: str) -> Scope:
        """The scope in which the running code binds the name."""
        scope = self.frame.scope
        if scope.globals is not None and name in scope.globals:
            return self.frame.module.scope
        if scope.nonlocals is not None and name in scope.nonlocals:
            outer = scope.parent
            while outer is not None and name not in outer.variables:
                outer = outer.parent
            return outer or scope
        return scope

    def lookup(self, name: str) -> Value:
        scope = self.frame.scope
        first = True
        while scope is not None:
            if scope.kind != "class" or first:
                value = scope.variables.get(name, MISSING)
                if value is not MISSING:
                    if type(value) is v.Imported:
                        value = self.resolve_import(value)
                        scope.variables[name] = value
                    return value
            first = False
            if scope.parent is None and name not in _BUILTINS:
                # Another file's body runs only when something is asked for that it computes.
                info = scope.module
                if info is not self.main and not info.executed and not info.running:
                    return self.module_member(info, name)
                if info.stars:
                    return self.starred(info, name)
            scope = scope.parent
        return _BUILTINS.get(name, UNKNOWN_VALUE)

    def resolve_import(self, imported: v.Imported) -> Value:
        info = self.imported_module(imported.module)
        if imported.attribute is None:
            return v.External(imported.module) if info is None else v.WorkspaceModule(imported.module, info)
        if info is None:
            return v.External(canonical(f"{imported.module}.{imported.attribute}"))
        known = self.known_in(info)
        if known.stars is Tri.UNKNOWN and imported.attribute not in known.bound:
            # What is there for type checkers alone hides no file.
            return self._submodule(imported) or self.module_member(info, imported.attribute)
        found = self.module_member(info, imported.attribute)
        return found if found != UNKNOWN_VALUE else self._submodule(imported) or found

    def _submodule(self, imported: v.Imported) -> Value | None:
        dots = imported.module.endswith(".")
        found = self.imported_module(f"{imported.module}{'' if dots else '.'}{imported.attribute}")
        return None if found is None else v.WorkspaceModule(imported.attribute or "", found)

    def module_member(self, info: ModuleInfo, name: str) -> Value:
        """A name of another file's module level: a definition as it stands, anything else by running the file's body where
        that can bind it."""
        value = info.scope.variables.get(name, MISSING)
        known = self.known_in(info) if value is MISSING else None
        alone = known.definitions.get(name) if known is not None and not info.executed else None
        if isinstance(alone, ir.Assign | ir.Annotated):
            if not info.running:
                value = self._had_alone(info, name, alone)
        elif alone is not None:
            mark, steps, limit = self.state.mark(), self.steps, self.limit
            frame = Frame(None, info.scope, info, f"m{info.index}", mark, is_root=True)
            self.push(frame)
            self.limit = steps + STEPS_PER_ROOT
            try:
                with self.for_all():
                    value = alone if type(alone) is v.Imported else statements.definition(self, alone)
                info.scope.variables[name] = value
            finally:
                self.pop()
                # Whoever asks first pays no more than others; a class keeps its methods when the code that asked is left.
                self.steps, self.limit = steps, limit
                del self.state.journal[mark:]
        if value is MISSING and known is not None and (known.stars is not Tri.NO or name in known.bound):
            self.run_module(info)
            value = info.scope.variables.get(name, MISSING)
        if value is MISSING:
            value = self.starred(info, name)
        if type(value) is v.Imported:
            # A name that is imported in a circle, from its own file even, is unknown.
            info.scope.variables[name] = UNKNOWN_VALUE
            self.push(Frame(None, info.scope, info, f"m{info.index}", self.state.mark(), is_root=True))
            try:
                value = self.resolve_import(value)
            finally:
                self.pop()
            info.scope.variables[name] = value
        return value

    def starred(self, info: ModuleInfo, name: str) -> Value:
        """A name that a file may have from its star imports."""
        stars, info.stars = info.stars, []
        value: Value = UNKNOWN_VALUE
        if not name.startswith("_") and len(stars) <= MOST_STARS:
            self.push(Frame(None, info.scope, info, f"m{info.index}", self.state.mark(), is_root=True))
            try:
                for module in reversed(stars):
                    found = self.imported_module(module)
                    if found is not None and value == UNKNOWN_VALUE:
                        value = self.module_member(found, name)
            finally:
                self.pop()
        info.stars = stars
        info.scope.variables[name] = value
        return value

    def replace(self, old: Value, new: Value) -> None:
        """Gives every name of the running function that holds this very value the new one."""
        if old is new:
            return
        scope: Scope | None = self.frame.scope
        while scope is not None and scope.kind != "module":
            self._replace_in(scope.variables, old, new)
            scope = scope.parent
        if scope is not None and self.frame.function is None:
            self._replace_in(scope.variables, old, new)

    def _replace_in(self, variables: dict[str, Value], old: Value, new: Value) -> None:
        # All names are looked at for each change: a function of thousands of names has thousands of changes.
        for name in list(compress(variables, map(is_, variables.values(), repeat(old)))):
            self.state.set(variables, name, new)

    def rewrite(self, old: Value, new: Value) -> None:
        """An in-place change: whatever holds this very tensor, anywhere, holds the changed one from now on."""
        if old is new:
            return
        self.replace(old, new)
        store_entries.rewrite(self, old, new)

    def record(self, node: ir.Node, value: Value) -> None:
        """Told of every name and attribute that is bound; see `recording`."""

    def record_callee(self, node: ir.Node, value: Value) -> None:
        """Told of every method that is called: calls do not evaluate `x.view` by itself."""

    def record_call(
        self, node: ir.Node, name: str, arguments: Arguments, layer: Any = None, is_attribute: bool = False
    ) -> None:
        """Told of every call of an operator or a layer, before what it changes is changed."""
        for hook in running.APPLIED.get(name, running.APPLIED.any):
            hook(self, node, name, arguments, layer)

    # ---- joins ----------------------------------------------------------------------------------------------------------

    def merge(self, a: Delta, b: Delta, name: str, cuda: bool = False) -> None:
        """Applies the join of two sets of changes made to the present store."""
        for identity, (store, key, changed) in (a | b).items():
            here = store.get(key, MISSING)
            left = a[identity][2] if identity in a else here
            right = changed if identity in b else here
            if left is right:
                if left is not here:
                    self.state.set(store, key, left) if left is not MISSING else self.state.delete(store, key)
                continue
            joined = store_entries.joined(self, store, key, left, right, name, cuda)
            if joined is not here:
                self.state.set(store, key, joined)
