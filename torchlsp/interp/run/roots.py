"""Runs the roots: the module's body, and every function and method that no visible call has run completely."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.autograd.retained_graphs import RetainedGraphs
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.checks.devices.uninitialised_memory import Unfilled
from torchlsp.interp.checks.modules import module_use
from torchlsp.interp.evaluate import statements
from torchlsp.interp.model import (
    classes,
    context_managers,
    decorator_names,
    expected_errors,
    given_functions,
    heap_values,
    later_changes,
    module_tree,
    top_level_names,
    version_tests,
)
from torchlsp.interp.model.annotations import from_annotation
from torchlsp.interp.objects import dataclass_instances, process_groups
from torchlsp.interp.run import initialised_objects, observed_entries, root_isolation
from torchlsp.interp.run.main_program import MainProgram, begin_of
from torchlsp.interp.store import join
from torchlsp.interp.store.analysis import Root
from torchlsp.interp.store.budget import MIN_MEANS, BudgetExceeded, Spare
from torchlsp.interp.store.frame import Frame, ModuleInfo, enclosing_scope
from torchlsp.interp.store.heap_keys import ATTRIBUTES, OF_ROOT
from torchlsp.interp.store.state import MODES, Names, Scope
from torchlsp.interp.store.trace import Item
from torchlsp.ops.libraries import collectives
from torchlsp.program import ir
from torchlsp.program.walking import below

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter


@dataclass(slots=True)
class Outcome:
    """The findings of a class or function that was run as a root, and how they depend on earlier roots.

    `steps` are those that it has spent, `cost` the same with rehearsals, and `left` those that the file had left for it.
    `pool` are the steps that it had for calls beyond its allowance, `least` the fewest that were left of them, and `used`
    those that it has spent.  `is_limited`: with more steps its findings might differ.
    """

    found: root_isolation.Found
    steps: int
    cost: int
    left: int
    pool: int
    least: int
    used: int
    is_limited: bool
    costs: dict[int, int]
    ran: set[int]
    costs_asked: dict[int, int]
    run_asked: dict[int, bool]


def run_roots(it: Interpreter) -> None:
    """Runs all roots of the module that is analysed."""
    program = run_module(it, begin_of(it.main.ir))
    first = None if program is None else run_main_program(it, program)
    forget_rebound_globals(it)
    forget_changed_globals(it)
    it.base = root_isolation.Base(it, None if program is None or first is None else program.steps_of_copies)
    reset_shared_budget(it)
    outcomes, observed, left_out = [], [], []
    if first is not None:
        outcomes.append(first)
        carry_over(it, first)
    for number, node in enumerate(root_nodes(it.main.ir), 1):
        if is_run_by_calls(it, node):
            continue
        if not it.left:
            left_out.append(node)
            continue
        outcome = run_root(it, number, node)
        outcomes.append(outcome)
        carry_over(it, outcome)
    for number, node in observed_nodes(it):
        if it.left:
            outcome = run_root(it, number, node, is_observed=True)
            observed.append(outcome)
            carry_over(it, outcome)
    merge_outcomes(it, outcomes, observed)
    it.analysis.left_out = left_out


def run_module(it: Interpreter, begin: int) -> MainProgram | None:
    """Runs the module's body up to the main program that begins at this index, and returns that."""
    info = it.main
    info.running = True
    for name in sorted(info.ir.unknown_names):
        info.scope.variables[name] = UNKNOWN_VALUE
    it.allowance = it.limits.module_allowance
    programs: list[MainProgram] = []
    limit = it.limits.of_body(info.ir.size)
    it.file_limit = it.limits.steps_of_bodies
    _run_guarded(it, "<module>", limit, lambda: programs.extend(_run_body(it, info, begin)))
    it.body_cost = it.steps + it.rehearsed
    it.body_spare = _spare(it, limit)
    info.running, info.executed = False, True
    return programs[0] if programs else None


def run_main_program(it: Interpreter, program: MainProgram) -> Outcome | None:
    """Runs a main program as a root. None if others can see what it has changed, which then the module's body has changed."""
    with program.isolated(it) as attempt, program.prepared(it) as left:
        steps = it.steps
        _run_guarded(it, "<module>", left, lambda: _run_body_from(it, program))
        it.body_cost = program.steps + it.steps - steps + it.rehearsed
        it.body_spare = _spare(it, it.limits.of_body(it.main.ir.size))
    if attempt.found is None:
        return None
    # What it costs is a part of what the body costs.
    return Outcome(attempt.found, it.steps - steps, 0, 0, 0, 0, 0, False, attempt.costs, attempt.ran, {}, {})


def _spare(it: Interpreter, limit: int) -> Spare:
    """Returns what the body that has run now has left of its limit."""
    return Spare(limit, it.limit - it.steps - it.rehearsed)


def forget_rebound_globals(it: Interpreter) -> None:
    """Makes module-level names unknown that functions rebind by `global`."""
    for function in it.main.ir.functions:
        for name in sorted(rebound_globals(function) & it.main.scope.variables.keys()):
            it.main.scope.variables[name] = UNKNOWN_VALUE


def root_nodes(module: ir.Module) -> Iterator[ir.Class | ir.Function]:
    """Yields the roots in order: classes with their methods, then functions that are in no other function and no class."""
    yield from module.classes
    methods = {id(function) for cls in module.classes for function in cls.methods.values()}
    for function in module.functions:
        if id(function) not in methods and "." not in function.qualname:
            yield function


def observed_nodes(it: Interpreter) -> Iterator[tuple[int, ir.Class | ir.Function]]:
    """Yields the roots that a recorded run has called, with their numbers, which are above those of all other roots."""
    if not it.observed:
        return
    nodes = list(root_nodes(it.main.ir))
    for number, node in enumerate(nodes, len(nodes) + 1):
        functions = node.methods.values() if isinstance(node, ir.Class) else (node,)
        if any(one.qualname in it.observed for one in functions):
            yield number, node


def is_run_by_calls(it: Interpreter, node: ir.Class | ir.Function) -> bool:
    """Returns whether a visible call has run a function without parameters, which then is no root."""
    if type(node) is not ir.Function or node.params:
        return False
    return id(node) in it.run_before or id(node) in _base(it).own["seen_functions"]


def _base(it: Interpreter) -> root_isolation.Base:
    assert it.base is not None  # set once the module's body has run
    return it.base


def run_root(
    it: Interpreter, number: int, node: ir.Class | ir.Function, is_observed: bool = False
) -> Outcome:
    """Runs a class or a function as a root.  `is_observed`: with what a recorded run has seen, else with unknown arguments."""
    base = _base(it)
    base.begin(it, number)
    it.is_observed = is_observed
    it.costs_asked, it.run_asked, it.is_limited = {}, {}, False
    pool = it.pool = it.lowest_pool = it.pool_before
    steps, left = it.steps, it.left
    it.file_limit, it.rehearsed = steps + left, 0
    info = it.main
    if isinstance(node, ir.Class):
        cls = node
        it.allowance = it.limits.allowance(0)
        _run_guarded(it, node.qualname, it.limits.of_root(0), lambda: _run_methods(it, info, cls))
    else:
        value = info.scope.variables.get(node.name)
        if not isinstance(value, v.FunctionValue) or value.ir is not node:
            value = v.FunctionValue(f"0:{node.start}", node, info.scope)
        function = value
        it.allowance = it.limits.allowance(node.size)
        _run_guarded(it, node.qualname, it.limits.of_root(node.size), lambda: _run_function(it, function, {}))
    it.is_observed = False
    costs = {key: cost for key, cost in it.costs.items() if base.own["costs"].get(key) != cost}
    ran = it.seen_functions - base.own["seen_functions"]
    cost = it.steps - steps + it.rehearsed + base.steps
    return Outcome(
        base.end(it), it.steps - steps, cost, left, pool, it.lowest_pool, pool - it.pool, it.is_limited, costs, ran,
        it.costs_asked, it.run_asked,
    )  # fmt: skip


def reset_shared_budget(it: Interpreter) -> None:
    """Resets what roots take over from earlier ones: no root has run yet."""
    it.run_before, it.costs_before = set(), {}
    it.left = it.limits.steps_per_file - min(it.body_cost, it.limits.steps_of_bodies)
    it.pool_before = it.limits.pool + int(it.limits.pool_per_node * it.main.ir.size)


def would_find_the_same(it: Interpreter, outcome: Outcome) -> bool:
    """Returns whether a root would have the same findings again, as far as they depend on earlier roots."""
    if it.left != outcome.left and outcome.cost >= min(it.left, outcome.left):
        return False
    left = it.pool_before - (outcome.pool - outcome.least)
    if it.pool_before != outcome.pool and (outcome.is_limited or left < MIN_MEANS):
        return False
    costs, ran = it.costs_before, it.run_before
    return all(costs.get(key, 0) == cost for key, cost in outcome.costs_asked.items()) and all(
        (key in ran) is answer for key, answer in outcome.run_asked.items()
    )


def carry_over(it: Interpreter, outcome: Outcome) -> None:
    """Passes to later roots what they take over from this one: steps left, costs, functions run."""
    it.left = max(it.left - outcome.cost, 0)
    it.pool_before = max(it.pool_before - outcome.used, 0)
    it.costs_before.update(outcome.costs)
    it.run_before |= outcome.ran


def merge_outcomes(it: Interpreter, outcomes: list[Outcome], observed: list[Outcome]) -> None:
    """Merges the findings of all roots into the interpreter; `observed` began with what a recorded run has seen."""
    _base(it).merge(it, [outcome.found for outcome in outcomes], [outcome.found for outcome in observed])
    it.states[RetainedGraphs].settle(it)
    it.states[Unfilled].settle(it)


_KEPT_MODES = ("dtype", "device")
"""The modes of functions that run after the module's body: the defaults that it has set hold for the whole process."""


def _run_guarded(it: Interpreter, name: str, limit: int, run: Callable[[], None]) -> None:
    """Runs one root for `limit` steps; if it is given up or fails, others are not affected."""
    _limit_steps(it, limit)
    mark = it.state.mark()
    frames, depth, silent = list(it.frames), len(it.recorder.stack), it.silent
    try:
        run()
    except BudgetExceeded:
        it.analysis.stopped.append(name)
    except RecursionError:
        it.analysis.stopped.append(name)
    except Exception as error:
        if it.strict or type(error).__name__ == "Cancelled":
            raise
        import traceback

        it.analysis.errors.append(f"{name}: {type(error).__name__}: {error}\n{traceback.format_exc()}")
    finally:
        it.restore_frames(frames)
        del it.recorder.stack[depth:]
        it.silent = silent
        it.buffers.clear()
        if name != "<module>":
            it.state.take(mark)
        else:
            kept = {mode: it.state.modes[mode] for mode in _KEPT_MODES}
            it.state.modes.update(MODES | kept)


def _limit_steps(it: Interpreter, limit: int) -> None:
    """Sets the step at which what runs now is given up: after `limit` steps, or those that the file has left."""
    it.limit = min(it.steps + limit, it.file_limit - it.rehearsed)


def _run_body(it: Interpreter, info: ModuleInfo, begin: int) -> Iterator[MainProgram]:
    """Runs a module's body up to a statement; yields the main program that begins there."""
    frame = Frame(None, info.scope, info, "", it.state.mark(), is_root=True)
    it.push(frame)
    it.recorder.open()
    is_whole = True
    try:
        is_whole = not it.block(info.ir.body[:begin]) or begin == len(info.ir.body)
        if not is_whole:
            yield MainProgram(it, frame, begin, tuple(it.recorder.stack[-1]))
    finally:
        trace = it.recorder.close()
        it.pop()
        if is_whole:
            _keep_trace(it, "<module>", 0, trace)


def _run_body_from(it: Interpreter, program: MainProgram) -> None:
    """Runs a module's body from its main program on."""
    it.push(program.frame())
    it.recorder.open()
    it.recorder.stack[-1].extend(program.trace)
    try:
        it.block(it.main.ir.body[program.begin :])
    finally:
        trace = it.recorder.close()
        it.pop()
        _keep_trace(it, "<module>", 0, trace)


def _keep_trace(it: Interpreter, name: str, start: int, trace: tuple[Item, ...]) -> None:
    if trace and not it.is_observed:
        it.analysis.roots.append(Root(name, start, start, trace))


def rebound_globals(function: ir.Function) -> set[str]:
    """Returns the module-level names that a function, or one inside it, rebinds."""
    found: set[str] = set()
    stack = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Global) and node.is_global:
            found.update(node.names)
        for part in ("body", "orelse", "final", "handlers", "cases"):
            stack.extend(getattr(node, part, ()) or ())
    return found


def forget_changed_globals(it: Interpreter) -> None:
    """Joins or forgets globals that other code changes: a function may run after any of it."""
    info = it.main
    heap, variables = it.state.heap, info.scope.variables
    for name, earlier in info.rebound.items():
        if name in variables:
            joined = join.join_series(earlier, f"global.{name}")
            variables[name] = join.join(variables[name], joined, f"global.{name}")
    attributes = info.ir.changed_attributes
    for name, value in variables.items():
        if isinstance(value, v.LayerValue | v.InstanceValue):
            module_placement.forget_unless_moved(it, value)
        if name in info.ir.changed_names and isinstance(value, (v.ListRef, v.DictRef)):
            heap[heap_values.content_key(value)] = UNKNOWN_VALUE
        if isinstance(value, v.ClassValue) and value.scope is not None:
            for inner, held in value.scope.variables.items():
                if inner in attributes and not isinstance(held, v.FunctionValue):
                    value.scope.variables[inner] = UNKNOWN_VALUE
    for key, held in heap.items():
        ref, name = key
        if ref in it.classes and (
            name in attributes or later_changes.is_changed_in_its_file(it.classes[ref], name)
        ):
            heap[key] = UNKNOWN_VALUE
            for part in ("[]", "{}"):
                if isinstance(held, (v.ListRef, v.DictRef)) and (held.ref, part) in heap:
                    heap[(held.ref, part)] = UNKNOWN_VALUE
    initialised_objects.forget_changed_by_methods(it, it.classes)


_GRAD_IN_FUNCTIONS = {
    "forward": Tri.NO, "setup_context": Tri.NO, "backward": Tri.UNKNOWN, "vjp": Tri.UNKNOWN, "jvp": Tri.UNKNOWN,
    "vmap": Tri.UNKNOWN,
}  # fmt: skip
"""Whether the methods of an autograd Function run with gradients on; `backward` does where `create_graph` is set."""


def _run_function(it: Interpreter, function: v.FunctionValue, given: dict[str, Value]) -> None:
    """Runs a function on parameters of which nothing is known but their annotations and defaults."""
    definition: ir.Function = function.ir
    decorators = decorator_names.decorator_names(it, definition, function.scope)
    info = it.main
    scope = Scope("function", enclosing_scope(function.scope), info)
    frame = Frame(definition, scope, info, f"f{definition.start}", it.state.mark(), is_root=True)
    frame.owner = function.owner
    frame.guards = int(it.api is not None and version_tests.is_conditional(definition))
    it.push(frame)
    it.recorder.open()
    state = it.state
    state.set(state.modes, "grad_assumed", True)
    is_silent = not decorators.isdisjoint(expected_errors.REPLACING | expected_errors.MEANT_TO_FAIL)
    it.silent += is_silent
    for name in decorators:
        it.graph.inference |= name == "torch.inference_mode"
        for key, value in context_managers.GRAD_DECORATORS.get(name, {}).items():
            state.set(state.modes, key, value)
    if any("autocast" in name or name == "?" for name in decorators):
        state.set(state.modes, "autocast", Tri.UNKNOWN)
    if "?" in decorators or any(name.endswith("set_grad_enabled") for name in decorators):
        state.set(state.modes, "grad", Tri.UNKNOWN)
    if classes.is_function_of_autograd(function.owner):
        state.set(state.modes, "grad", _GRAD_IN_FUNCTIONS.get(definition.name, state.modes["grad"]))
    try:
        for param in definition.params:
            scope.variables[param.name] = given.get(param.name) or parameter_value(it, function, param, info)
        entry = it.observed.get(definition.qualname) if it.is_observed else None
        if entry is not None:
            observed_entries.give_arguments(it, frame, definition, entry)
        it.block(definition.body)
        _run_inner_functions(it, frame, definition)
    finally:
        it.silent -= is_silent
        trace = it.recorder.close()
        it.pop()
        if trace and decorators & collectives.RANK_ZERO_DECORATORS:
            trace = (process_groups.rank_zero_branch(definition, trace, info.path),)
        _keep_trace(it, definition.qualname, definition.start, trace)


def parameter_value(it: Interpreter, function: v.FunctionValue, param: ir.Param, info: ModuleInfo) -> Value:
    """Creates the value of a parameter whose argument is unknown, from its annotation, default and name."""
    definition: ir.Function = function.ir
    if param.kind == "variadic":
        return v.Repeated(UNKNOWN_VALUE)
    if param.kind == "mapping":
        return heap_values.new_dict(it, ir.Constant(param.start, param.end, None), None)
    default = None
    if type(param.default) is ir.Constant:
        constant = param.default.value
        default = v.NONE if constant is None else v.Scalar(type(constant).__name__, constant)
        if constant is Ellipsis:
            default = None
    if param.name in ("rank", "local_rank") and info.uses_distributed:
        if definition.params[0].name == param.name and _is_spawned(it, definition):
            return v.RankValue("global", False)
        return v.RankValue("local" if param.name == "local_rank" else "global", True)
    parameter = v.Parameter(f"{param.name}@{param.start}", param.name, default)
    if param.annotation is not None:
        it.annotated[parameter.name] = param.annotation, info
        return from_annotation(it, param.annotation, parameter, param.name)
    return parameter


def _is_spawned(it: Interpreter, definition: ir.Function) -> bool:
    """Returns whether the file passes the function to `mp.spawn`, so that its first parameter is the rank."""
    if it.spawned is None:
        it.spawned = frozenset(top_level_names.spawned_names(it.main.ir))
    return definition.name in it.spawned


def _run_inner_functions(it: Interpreter, frame: Frame, definition: ir.Function) -> None:
    """Runs functions defined inside a function that it does not call, where they are defined."""
    for value in list(frame.scope.variables.values()):
        if isinstance(value, v.FunctionValue) and value.scope is frame.scope and not value.ir.is_lambda:
            if value.ir.owner is None and len(it.frames) < 4 and not it.was_run(value.ir):
                it.seen_functions.add(id(value.ir))
                given_functions.forget_rebound(it, value.ir, frame.scope)
                _run_function(it, value, {})


def _run_methods(it: Interpreter, info: ModuleInfo, cls: ir.Class) -> None:
    """Runs every method of a class on an object that its `__init__` has set up with unknown arguments."""
    value = _class_value(it, info, cls)
    if value is None:
        return
    instance = v.InstanceValue(f"{OF_ROOT}{cls.start}", value)
    it.state.set(it.state.heap, (instance.ref, ATTRIBUTES), Names())
    if dataclass_instances.is_dataclass(it, value):
        dataclass_instances.set_unknown_fields(it, instance)
    initialised_objects.forget_overridden(it, instance, cls)
    found = classes.find_method(value, "__init__")
    init = None
    if found is not None:
        owner, init = found
        method = v.FunctionValue(f"{owner.ref}.__init__", init, owner.scope, instance, owner)
        it.silent += init is not cls.methods.get("__init__")
        module_use.mark_not_ready(it, instance)
        try:
            _run_method(it, method, instance)
        finally:
            it.silent -= init is not cls.methods.get("__init__")
            module_tree.mark_ready(it, instance)
        if init is cls.methods.get("__init__") and init.params:
            for hook in running.CLASS_INITIALISED:
                hook(it, instance, cls, init)
    initialised_objects.forget_what_may_change(it, instance, value)
    for name, function in cls.methods.items():
        if function is init:
            continue
        if not it.is_observed and it.was_run(function):
            # With its own arguments, or on an object that is not made yet, it has run already.
            if len(function.params) <= 1 or init is not None and _is_called_while_made(info.ir, init, name):
                continue
        entry = it.observed.get(function.qualname) if it.is_observed else None
        if it.is_observed and entry is None:
            continue
        method = v.FunctionValue(f"{value.ref}.{name}", function, value.scope, instance, value)
        mark, silent = it.state.mark(), it.silent
        traces, buffers = len(it.recorder.stack), len(it.buffers)
        _limit_steps(it, it.limits.of_root(function.size))
        it.allowance = it.limits.allowance(function.size)
        if entry is not None:
            observed_entries.give_attributes(it, instance, function, entry)
        try:
            _run_method(it, method, instance)
        except BudgetExceeded:
            it.analysis.stopped.append(function.qualname)
            it.restore_frames([])
            del it.recorder.stack[traces:], it.buffers[buffers:]
            it.silent = silent
        it.state.take(mark)


def _is_called_while_made(module: ir.Module, init: ir.Function, name: str) -> bool:
    """Returns whether this `__init__` mentions an attribute, and nothing else in the file does."""
    mentions = (node.name for node in below(init.body) if type(node) is ir.Attribute)
    return name in mentions and name not in module.shared_attributes


def _class_value(it: Interpreter, info: ModuleInfo, cls: ir.Class) -> v.ClassValue | None:
    value = info.scope.variables.get(cls.name)
    if isinstance(value, v.ClassValue) and value.ir is cls:
        return value
    if "." in cls.qualname:
        outer = info.scope.variables.get(cls.qualname.split(".")[0])
        if not isinstance(outer, v.ClassValue):
            return None
    frame = Frame(None, info.scope, info, "", it.state.mark(), is_root=True)
    it.push(frame)
    it.silent += 1
    try:
        created = statements.create_class(it, cls)
        if cls.decorators:
            heap_values.forget_class_attributes(it, created)
        return created
    finally:
        it.silent -= 1
        it.pop()


_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def _run_method(it: Interpreter, method: v.FunctionValue, instance: v.InstanceValue) -> None:
    definition = method.ir
    params = definition.params
    if not params:
        return
    decorators = decorator_names.decorator_names(it, definition, method.scope)
    given: dict[str, Value] = {}
    if "builtins.staticmethod" not in decorators:
        is_of_class = "builtins.classmethod" in decorators or definition.name in _CLASS_METHODS
        given[params[0].name] = instance.cls if is_of_class else instance
        if any(
            isinstance(base, v.External) and base.name == "builtins.type"
            for base in classes.mro(instance.cls)
        ):
            given[params[0].name] = UNKNOWN_VALUE  # a metaclass's methods get classes
        if definition.name in _called_in_body(instance.cls.ir):
            given[params[0].name] = UNKNOWN_VALUE  # in the class body, it is a plain function
    _run_function(it, method, given)


def _called_in_body(cls: ir.Class) -> set[str]:
    """Returns the names that a class calls while it is created, as decorators of its methods and in other statements."""
    found: set[str] | None = cls.memo.get("called in body")
    if found is None:
        found = cls.memo["called in body"] = set()
        for node in cls.body:
            calls: tuple[ir.Node | None, ...] = ()
            if isinstance(node, ir.Define):
                calls = node.function.decorators
            elif isinstance(node, ir.Assign | ir.Annotated | ir.Expression) and isinstance(
                node.value, ir.Call
            ):
                calls = (node.value,)
            for one in calls:
                callee = one.function if isinstance(one, ir.Call) else one
                if isinstance(callee, ir.Name):
                    found.add(callee.id)
    return found
