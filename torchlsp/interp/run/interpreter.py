"""Runs a module's body, then every function and method, on facts instead of values: the abstract interpreter.

It finds the contracts that are provably broken (`faults`), the order of events (`traces`), and, if they are recorded, the facts
of all names and expressions (`run.recording`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import compress, repeat
from operator import is_
from typing import TYPE_CHECKING, Any

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault
from torchlsp.facts.fault_kinds import IN_LATER_ITERATIONS, NEED_MODULE_DEVICE
from torchlsp.facts.tensor import REFUSED, TensorFact
from torchlsp.facts.torch_names import TorchNames
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.evaluate import calls, dispatch
from torchlsp.interp.model import (
    expected_errors,
    first_iterations,
    passed_functions,
    possible_parts,
    store_entries,
    top_level_names,
)
from torchlsp.interp.objects import attributes_and_methods, rows, subscripts, unknown_calls
from torchlsp.interp.run import fault_assumptions, imported_files, root_isolation, roots
from torchlsp.interp.run.fault_assumptions import NEED_GRAPH
from torchlsp.interp.run.observed_entries import OBSERVED
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.budget import FOR_FINDINGS, BudgetExceeded, Imports, Limits, Spare
from torchlsp.interp.store.builtins import VALUES as _BUILTINS
from torchlsp.interp.store.entry_facts import NO_ENTRIES, Entries
from torchlsp.interp.store.frame import FirstRun, Frame, Loop, ModuleInfo, number_of
from torchlsp.interp.store.graph_progress import Progress
from torchlsp.interp.store.lifetimes import (
    StatesByClass,
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
from torchlsp.interp.store.state import MISSING, Delta, Scope, State
from torchlsp.interp.store.trace import Recorder
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.evaluate.expressions import Expression
    from torchlsp.interp.evaluate.statements import Statement
    from torchlsp.interp.model.call_records import CalledLayer
    from torchlsp.interp.store.evaluator import Evaluator

_NO_FRAME: Any = None  # Any: a Frame, for who reads it
"""`Interpreter.frame` while no frame runs.  Nothing that runs in a frame should have to ask whether there is one."""


_NAMES_PER_STEP = 2_000
"""How many names are compared in the time of a step."""


def _fewest_assumptions(known: Fault, new: Fault) -> Fault:
    """Returns the one of two equal faults of different roots with fewer assumptions, else the first."""
    if len(known.assumptions) > len(new.assumptions):
        return new.also_reached(known)
    return known.also_reached(new)


@holder
class Interpreter:
    """The running interpreter: its state, and the operations that `store.evaluator.Evaluator` declares."""

    # Functions that lower packages call through the running interpreter, since they may not import them. As attributes of the
    # class they cost no more than a call of the functions.
    invoke = calls.invoke
    call_function = calls.call_function
    apply_row = rows.apply_row
    unknown_call = unknown_calls.unknown_call
    instance_attribute = attributes_and_methods.instance_attribute
    call_object = attributes_and_methods.call_object
    call_method = attributes_and_methods.call_method
    item = subscripts.get_item
    imported_module = imported_files.imported_module
    run_module = imported_files.run_module
    module_member = imported_files.module_member
    resolve_import = imported_files.resolve_import

    def __init__(
        self,
        module: ir.Module,
        imports: Imports,
        wanted_calls: frozenset[str],
        strict: bool,
        cancelled: Callable[[], None] | None,
        api: TorchNames | None = None,
        observed: Entries = NO_ENTRIES,
        limits: Limits = FOR_FINDINGS,
    ) -> None:
        create_fields(self)
        self.imports, self.wanted_calls, self.strict = imports, wanted_calls, strict
        self.cancelled, self.api, self.observed, self.limits = cancelled, api, observed, limits
        self.analysis = Analysis(module.path, module)
        self.main = self.module_info(module)

    # ---- of the run: what runs, what it may cost, and other files
    statements: dict[type[ir.Node], Statement] = of_run(lambda: dispatch.STATEMENTS)
    expressions: dict[type[ir.Node], Expression] = of_run(lambda: dispatch.EXPRESSIONS)
    state: State = of_run(State)
    recorder: Recorder = of_run(Recorder)
    modules: dict[tuple[str, str], ModuleInfo | None] = of_run(dict)
    by_path: dict[str, ModuleInfo] = of_run(dict)
    refused: set[tuple[str, str]] = of_run(set)
    """Those of `modules` that were not searched for, because there are too many."""
    main: ModuleInfo = of_run(lambda: None)  # type: ignore[assignment]  # `__init__` sets it
    """The file that is analysed."""
    frames: list[Frame] = of_run(list)
    frame: Frame = of_run(lambda: _NO_FRAME)
    """The last of `frames`."""
    steps: int = of_run(int)
    limits: Limits = of_run(lambda: FOR_FINDINGS)
    limit: int = of_run(int)
    """The number of `steps` at which the running root or call is given up."""
    left: int = of_run(int)
    """Steps of the file that the running root may spend at most: those that roots before it have left."""
    file_limit: int = of_run(int)
    """The number of `steps` at which the running root has spent `left`."""
    body_cost: int = of_run(int)
    """The steps that the module's body has cost, its main program included."""
    body_spare: Spare = of_run(lambda: Spare(0, 0))
    rehearsed: int = of_run(int)
    """Steps of the running root that are in `left` and not in `steps`: passes of loops whose effects are undone."""
    spent_on_modules: int = of_run(int)
    silent: int = of_run(int)
    """Above 0 while a pass runs whose findings do not count (the first pass over a loop, another file's body)."""
    buffers: list[dict[tuple, Fault]] = of_run(list)
    first_runs: list[FirstRun] = of_run(list)
    """The first iterations that run just now, innermost last."""
    constants: dict[int | str, v.Scalar] = of_run(dict)
    """The value of each int and str constant of the code."""
    pool_before: int = of_run(int)
    """The steps for calls beyond the allowances of roots, which all roots of a file share, that earlier roots have left."""
    base: root_isolation.Base | None = of_run(lambda: None)
    observed: Entries = of_run(lambda: NO_ENTRIES)
    """What a recorded run has seen of the file's functions."""
    is_observed: bool = of_run(bool)
    """Whether the running root begins with what a recorded run has seen."""

    # ---- of the running root, set aside while code runs for all roots
    allowance: int = suspended(int)
    """Steps of its own that the running root may still spend on calls."""
    pool: int = suspended(int)
    """The present rest of `pool_before`."""
    lowest_pool: int = suspended(int)
    """The least value of `pool` in this root."""
    is_limited: bool = suspended(bool)
    """Whether some call of the running root was not run, or not to its end, because of its cost."""
    costs_before: dict[int, int] = suspended(dict)
    """`costs` of the roots before the running one; `costs_asked` are those that this one has read."""
    costs_asked: dict[int, int] = suspended(dict)
    run_before: set[int] = suspended(set)
    """`seen_functions` of the roots before the running one; `run_asked` are the answers that this one has read."""
    run_asked: dict[int, bool] = suspended(dict)
    recording: Part | None = suspended(lambda: None)

    # ---- findings of the roots
    faults: dict[tuple, Fault] = gathered(dict, merge_by(_fewest_assumptions))
    refuted: set[tuple] = gathered(set, union)
    """Keys of faults that claim something of every run of a piece of code, where some run may be otherwise."""
    grad_assumed_in: dict[tuple, frozenset[int]] = gathered(dict, merge_by(frozenset.union))
    """By fault that assumes that gradients are recorded, the roots in which it was found."""
    grad_recorded: set[tuple] = gathered(set, union)
    """Keys of faults that were found where it is known whether gradients are recorded."""
    dtype_assumed_in: dict[tuple, str] = gathered(dict, last_wins)
    """By fault that assumes that the object whose method runs is not cast to another dtype, the ref of its class."""
    cast: set[str] = gathered(set, union)
    """Refs of the classes with an object that is cast to another dtype than float32."""
    grad_modes: dict[int, frozenset[Tri]] = gathered(dict, merge_by(frozenset.union))
    """The grad modes under which visible calls have run a function."""
    grad_callers: dict[int, frozenset[int]] = gathered(dict, merge_by(frozenset.union))
    """The roots that have run a function in the grad mode that they themselves are called in."""
    scopes: list[Scope] = gathered(list, extend)
    """The scopes of all files and classes."""
    analysis: Analysis = nested(lambda: None)  # type: ignore[assignment]  # `__init__` sets it
    states: StatesByClass = nested(StatesByClass)
    """The state that checks keep, by its class."""

    # ---- of each root
    api: TorchNames | None = per_root(lambda: None)
    """The names that the program's torch has; None where no missing name is reported, as after a file has said which torch it
    needs."""
    graph: Progress = nested(Progress)
    costs: dict[int, int] = per_root(dict)
    """By function whose call was once given up, the number of steps below which a call is known not to end."""
    seen_functions: set[int] = per_root(set)
    """Functions that a visible call has run completely, so that they need no run of their own."""
    raising: dict[int, bool] = per_root(dict)
    """Of the calls in the running statement, by the identity of their nodes: whether all paths of the function that was run raise."""
    asking: dict[ir.Node, bool] = per_root(dict)
    """Whether a test asks for the version of torch."""
    building: dict[int, bool] = per_root(dict)
    """Whether a loop builds a container or a module, by the identity of its node."""
    list_loops: dict[str, Loop | None] = per_root(dict)
    """The loop in which each list was created, if that loop's iterations are not run one by one."""
    changing: dict[str, frozenset[str]] = per_root(dict)
    """By ref of a class, the attributes that its methods change; `filled` those that they add items to, with the methods."""
    filled: dict[str, tuple[tuple[str, ir.Function], ...]] = per_root(dict)
    classes: dict[str, v.ClassValue] = per_root(dict)
    """The class of each object of the workspace, by its ref."""
    annotated: dict[str, tuple[ir.Node, ModuleInfo]] = per_root(dict)
    """By `name` of a `v.Parameter` of which nothing else is known, its annotation and file."""
    spawned: frozenset[str] | None = per_root(lambda: None)
    """Names of functions that this file passes to `torch.multiprocessing.spawn`; None before it is needed."""

    # ---- modules --------------------------------------------------------------------------------------------------------

    def module_info(self, module: ir.Module) -> ModuleInfo:
        """Returns the interpreter's record of a file; creates it on first use."""
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

    # ---- roots ----------------------------------------------------------------------------------------------------------

    def run(self) -> Analysis:
        """Analyses the module."""
        roots.run_roots(self)
        return self.finish()

    def finish(self) -> Analysis:
        """Returns the analysis, without the faults whose assumptions turned out not to hold."""
        for key in self.refuted & self.faults.keys():
            del self.faults[key]
        for key, functions in self.grad_assumed_in.items():
            found = self.faults.get(key)
            if found is None or key in self.grad_recorded and "grad" not in found.assumptions:
                continue
            is_warning = "grad" in found.assumptions
            passed = passed_functions.passed_functions(self.main.ir) if is_warning else frozenset[int]()
            if not any(self.may_record(function, set(), passed) for function in functions):
                del self.faults[
                    key
                ]  # all calls of the function switch gradients off, or what calls it is not seen
        for key, owner in self.dtype_assumed_in.items():
            if owner in self.cast and key in self.faults and "dtype" in self.faults[key].assumptions:
                del self.faults[key]
        self.analysis.faults = sorted(self.faults.values(), key=lambda fault: (fault.start, fault.end))
        self.analysis.steps = self.steps
        self.analysis.scopes = list(self.scopes)
        self.analysis.states = self.states
        return self.analysis

    def may_record(self, function: int, asked: set[int], passed: frozenset[int]) -> bool:
        """Returns whether a function may be called with gradients on.

        Where nothing in sight calls it, it may, unless it is among those that are `passed` on.
        """
        asked.add(function)
        modes, callers = (
            self.grad_modes.get(function, frozenset()),
            self.grad_callers.get(function, frozenset()),
        )
        if Tri.YES in modes:
            return True
        if not (modes or callers):
            return function not in passed
        return any(
            caller not in asked and self.may_record(caller, asked, passed) for caller in sorted(callers)
        )

    def was_run(self, function: ir.Function) -> bool:
        """Returns whether a visible call has run the function completely."""
        identity = id(function)
        if identity in self.seen_functions:
            return True
        self.run_asked[identity] = before = identity in self.run_before
        return before

    def least_cost(self, function: ir.Function) -> int:
        """Returns the number of steps below which a call of the function is known not to end."""
        identity = id(function)
        known = self.costs.get(identity)
        if known is None:
            self.costs_asked[identity] = known = self.costs_before.get(identity, 0)
        return known

    def push(self, frame: Frame) -> None:
        """Enters a frame."""
        if self.frames:
            frame.undecided = self.frames[-1].undecided
        self.frames.append(frame)
        self.frame = frame

    def pop(self) -> Frame:
        """Leaves the running frame."""
        frame = self.frames.pop()
        self.frame = self.frames[-1] if self.frames else _NO_FRAME
        return frame

    def restore_frames(self, frames: list[Frame]) -> None:
        """Makes these the running frames again, after a run that was given up."""
        self.frames = frames
        self.frame = frames[-1] if frames else _NO_FRAME

    # ---- running --------------------------------------------------------------------------------------------------------

    def block(self, nodes: Iterable[ir.Node]) -> bool:
        """Runs statements; returns False if control does not reach the end of the block. Raises BudgetExceeded."""
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
        """Evaluates an expression. Raises BudgetExceeded."""
        self.steps += 1
        if self.steps > self.limit:
            raise BudgetExceeded
        return self.expressions[type(node)](self, node)

    def context(self, node: ir.Node) -> Context:
        """Returns the place and the modes for an operator's row, and advances the clock by one."""
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
            self.held,
        )

    # ---- facts of containers --------------------------------------------------------------------------------------------

    def elements(self, value: Value) -> tuple[Value, ...] | None:
        """Returns the items of a tuple or list if all are known."""
        if type(value) is v.TupleValue:
            return value.items
        if type(value) is v.ListRef:
            content = self.state.heap.get((value.ref, "[]"))
            return content if isinstance(content, tuple) else None
        if type(value) is v.OneOf and value.is_list:
            held = self.held(value)
            return held.items if isinstance(held, v.TupleValue) else None
        return None

    def held(self, value: Value) -> Value:
        """Returns the items of a list as far as they are known; other values as they are."""
        return possible_parts.held_by(self, value)

    # ---- faults ---------------------------------------------------------------------------------------------------------

    def report(self, faults: Iterable[Fault]) -> None:
        """Records faults, unless they are on one of several paths inside a call with particular arguments."""
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
                classified = module_placement.classify_device_mismatch(self, fault)
                if classified is None:
                    continue
                fault = classified
            key = (fault.kind, fault.path, fault.start, fault.end)
            if "cuda" in fault.assumptions and self.state.modes["cuda"] is Tri.NO:
                continue
            if "gpu" in fault.assumptions and any(frame.without_gpu for frame in self.frames):
                continue
            assumptions = fault.assumptions | fault_assumptions.find_assumptions(self, fault)
            if REFUSED in assumptions:
                continue
            if "grad" in assumptions and (
                fault_assumptions.is_called_by_unseen_base(self.frames[0])
                or fault_assumptions.is_for_evaluation(self.frames[0], fault)
            ):
                continue
            if self.is_observed:
                assumptions |= OBSERVED
            if "grad" in assumptions or fault.kind in NEED_GRAPH and self.state.modes["grad_assumed"]:
                if self.frames[0].function is not None:
                    known_in = self.grad_assumed_in.get(key, frozenset())
                    self.grad_assumed_in[key] = known_in | {id(self.frames[0].function)}
            else:
                self.grad_recorded.add(key)
            if "dtype" in assumptions and (owner := self.frames[0].owner) is not None:
                self.dtype_assumed_in[key] = owner.ref
            known = target.get(key)
            found = replace(fault, assumptions=assumptions, call_chain=chain)
            if self.first_runs:
                first_iterations.record_fault(self, key, found)
            target[key] = found if known is None else _fewest_assumptions(known, found)

    # ---- bindings -------------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value) -> None:
        """Binds a name in the running frame."""
        scope = self.frame.scope
        if scope.globals is not None or scope.nonlocals is not None:
            scope = self.scope_of(name)
        if scope.kind == "module":
            before = scope.variables.get(name, MISSING)
            if before is not MISSING and before is not value and before != value:
                scope.module.rebound.setdefault(name, []).append(before)
        self.state.set(scope.variables, name, value)

    def scope_of(self, name: str) -> Scope:
        """Returns the scope in which the running code binds the name."""
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
        """Returns the value of a name in the running frame."""
        scope: Scope | None = self.frame.scope
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
                # Another file's body runs only when a value is needed that it computes.
                info = scope.module
                if info is not self.main and not info.executed and not info.running:
                    return self.module_member(info, name)
                if info.stars:
                    return imported_files.star_imported(self, info, name)
            scope = scope.parent
        return _BUILTINS.get(name, UNKNOWN_VALUE)

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
        # All names are compared for each change: a function of thousands of names has thousands of changes.
        self.steps += len(variables) // _NAMES_PER_STEP
        for name in list(compress(variables, map(is_, variables.values(), repeat(old)))):
            self.state.set(variables, name, new)

    def rewrite(self, old: TensorFact, new: Value) -> None:
        """Replaces a tensor that was changed in place everywhere it is held."""
        if old is new:
            return
        self.replace(old, new)
        store_entries.rewrite(self, old, new)

    def record(self, node: ir.Node, value: Value) -> None:
        """Does nothing; `RecordingInterpreter` records the value bound to a name or an attribute."""

    def record_callee(self, node: ir.Node, value: Value) -> None:
        """Does nothing; `RecordingInterpreter` records methods, since calls do not evaluate `x.view` alone."""

    def record_missed(self, function: v.FunctionValue | None) -> None:
        """Does nothing; `RecordingInterpreter` records functions of whose calls not all are followed."""

    def record_call(
        self,
        node: ir.Node,
        name: str,
        arguments: Arguments,
        layer: CalledLayer | None = None,
        is_attribute: bool = False,
    ) -> None:
        """Calls the hooks of an operator or a layer, before its changes are made."""
        for hook in running.APPLIED.get(name, running.APPLIED.any):
            hook(self, node, name, arguments, layer)

    # ---- joins ----------------------------------------------------------------------------------------------------------

    def merge(self, a: Delta, b: Delta, name: str, cuda: bool = False) -> None:
        """Applies the join of two sets of changes to the present store."""
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


if TYPE_CHECKING:

    def _as_evaluator(it: Interpreter) -> Evaluator:
        """Lets mypy check that the interpreter has everything that `Evaluator` declares."""
        return it
