"""Runs loops: item by item, or until the facts at the head no longer change, widening those that do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Condition, Value
from torchlsp.interp.checks.autograd import autograd_graph, later_iterations
from torchlsp.interp.checks.data import sampler_epochs
from torchlsp.interp.checks.distributed import uneven_collectives, varying_values
from torchlsp.interp.checks.distributed.uneven_collectives import RankLoops
from torchlsp.interp.checks.modules.parameter_names import ParameterNames
from torchlsp.interp.evaluate import conditions
from torchlsp.interp.model import first_iterations, store_entries
from torchlsp.interp.objects import batch_sizes, binding, parameter_iterators
from torchlsp.interp.objects.iteration import UNROLLED, element_of, known_items
from torchlsp.interp.store import graph_progress, trace
from torchlsp.interp.store.budget import BudgetExceeded
from torchlsp.interp.store.frame import Loop
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.interp.store.state import MISSING, Delta
from torchlsp.interp.store.trace import BranchItem, Item, LoopItem
from torchlsp.program import ir
from torchlsp.program.reading import counts, names_of_target

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

PASSES = 6
"""How often a body is run at most to find the facts that hold in all iterations."""
FEW_LISTS = 6
"""Loops over so many lists of known content are run list by list."""
MAX_RUNS = 256
"""Nested loops whose bodies would be run more often than this are not run item by item."""
DEPTH_OF_FIXPOINTS = 2
"""Loops nested deeper forget the names that their body assigns, which settles their facts sooner."""
_FUNCTIONS = (v.LayerValue, v.InstanceValue, v.FunctionValue, v.External)
"""Values that a call may be meant for."""
_REPLACED = frozenset({FaultKind.NOT_CALLABLE})
"""What becomes of a call whose function an earlier iteration has replaced."""

LoopNode = ir.For | ir.While
Faults = dict[tuple, Fault]
"""Faults by kind and place, as in `Evaluator.faults`."""


def run_for(it: Evaluator, node: ir.For) -> bool:
    """Runs a `for` loop; returns False if control does not reach its end."""
    names = it.states[ParameterNames]
    outer, names.loop_iterable = names.loop_iterable, node.iterable
    iterable, loader = batch_sizes.evaluate_iterable(it, node.iterable)
    over_modules, names.loop_iterable = names.loop_iterable is None, outer
    if type(iterable) is v.LoaderValue:
        sampler_epochs.record_iteration(it, iterable, node.iterable)
    items = known_items(it, iterable)
    _record_targets(it, node.target)
    if (
        items is not None
        and len(items) <= UNROLLED
        and _count_runs(it, items) <= MAX_RUNS
        and (_is_worth_unrolling(it, items) or _builds_from_constants(it, node, items))
    ):
        return _unrolled(it, node, items, over_modules)

    def bind_target() -> None:
        binding.assign(it, node.target, element_of(it, iterable, node))

    length = iterable.length if isinstance(iterable, v.Repeated) else None
    if uneven_collectives.is_counted_by_rank(it, iterable):
        it.states[RankLoops].counted_by_rank.add(id(node))
    batches = () if it.silent else batch_sizes.known_batches(it, loader, node.iterable)

    def faults_of_batches(known: set[tuple]) -> Faults:
        found: Faults = {}
        for batch in batches:
            assert loader is not None
            for key, fault in batch_sizes.faults_of(it, loader, batch, run_on_batch).items():
                if key[1:] not in known:
                    found.setdefault(key, fault)
        for key, fault in found.items():
            first_iterations.record_fault(it, key, fault)
        return found

    def run_on_batch() -> None:
        nonlocal iterable
        whole, iterable = iterable, it.eval(node.iterable)
        try:
            _iteration(it, node, bind_target, None)
        finally:
            iterable = whole

    never_empty = bool(items) or bool(batches) or isinstance(length, int) and length > 0
    falls = _fixpoint(
        it,
        node,
        bind_target,
        None,
        not never_empty,
        length=length or len(items or ()),
        faults_of_batches=faults_of_batches if batches else None,
    )
    if type(iterable) is v.ParametersOf and not _may_end_early(node.body):
        parameter_iterators.consume(it, iterable)
        parameter_iterators.set_requires_grad_in_loop(it, iterable, node)
    return falls


def _may_end_early(body: tuple[ir.Node, ...]) -> bool:
    """Returns whether a loop may end before its last item."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ir.Break, ir.Return, ir.Raise)):
            return True
        for part in ("body", "orelse", "final", "handlers", "cases"):
            stack.extend(getattr(node, part, ()) or ())
    return False


def run_while(it: Evaluator, node: ir.While) -> bool:
    """Runs a `while` loop; returns False if control does not reach its end."""
    answer = conditions.evaluate_test(it, node.test)
    if answer.truth is Tri.NO:
        return it.block(node.orelse)
    endless = type(node.test) is ir.Constant
    ranked = answer.condition is not None and _splits_ranks(answer.condition)
    if ranked:
        it.recorder.open()
    falls = _fixpoint(it, node, None, node.test, may_skip=answer.truth is not Tri.YES, endless=endless)
    if ranked and (body := it.recorder.close()):
        place = node.test
        it.recorder.add(BranchItem(place.start, place.end, answer.condition, body, (), it.frame.module.path))
    return falls


def _splits_ranks(condition: Condition) -> bool:
    """Returns whether the test of a loop is of the rank, or of the clock of each rank."""
    source = condition.source
    is_clock = condition.kind == "own" and source is not None and source.op == varying_values.CLOCK
    return condition.kind == "rank" or is_clock


def _record_targets(it: Evaluator, target: ir.Node) -> None:
    if type(target) is ir.Name:
        it.frame.loop_targets.add(target.id)
    elif type(target) is ir.Display:
        for item in target.items:
            _record_targets(it, item)


def _is_worth_unrolling(it: Evaluator, items: tuple[Value, ...]) -> bool:
    """Returns whether the items are modules, tensors, a few numbers or lists, which the body may treat differently."""
    if len(items) <= 4:
        known = [item.value for item in items if isinstance(item, v.Scalar) and item.is_known]
        if len(known) == len(items):
            return known != list(range(len(items)))
    return any(
        isinstance(
            item,
            (
                v.LayerValue,
                v.InstanceValue,
                TensorFact,
                v.OptimizerValue,
                v.Engine,
                v.FunctionValue,
                v.Wrapped,
                v.DictRef,
            ),
        )
        or (isinstance(item, v.TupleValue) and _is_worth_unrolling(it, item.items))
        or (type(item) is v.ListRef and len(items) <= FEW_LISTS and it.elements(item) is not None)
        for item in items
    )


def _count_runs(it: Evaluator, items: tuple[Value, ...]) -> int:
    """Returns how often a body would be run, the loops around it included."""
    times = len(items)
    for loop in it.frame.loops:
        times *= loop.unrolled or 1
    return times


def _builds_from_constants(it: Evaluator, node: ir.For, items: tuple[Value, ...]) -> bool:
    """Returns whether the loop builds a container or a module from constants, rather than trains one."""
    if _count_runs(it, items) > 64 or not all(isinstance(item, (v.Scalar, v.TupleValue)) for item in items):
        return False
    known = it.building.get(id(node))
    if known is None:
        known = it.building[id(node)] = _is_building(node)
    return known


_BUILDING = frozenset(
    {"append", "extend", "insert", "add_module", "register_module", "register_buffer", "register_parameter"}
)
_TRAINING = frozenset({"backward", "step", "zero_grad"})


def _is_building(node: ir.For) -> bool:
    """Returns whether the body of a loop appends, sets or registers anything, and does not train."""
    builds = False
    stack: list[ir.Node] = list(node.body)
    while stack:
        item = stack.pop()
        match item:
            case ir.Expression(value=ir.Call(function=ir.Attribute(name=name))):
                if name in _TRAINING:
                    return False
                builds |= name in _BUILDING
            case ir.Expression(value=ir.Call(function=ir.Name(id="setattr"))) | ir.Augmented():
                builds = True
            case ir.Assign(targets=targets) if any(type(target) is ir.Subscript for target in targets):
                builds = True
        for part in ("body", "orelse", "final", "handlers", "cases"):
            stack.extend(getattr(item, part, ()) or ())
    return builds


def _unrolled(it: Evaluator, node: ir.For, items: tuple[Value, ...], over_modules: bool) -> bool:
    """Runs a loop item by item."""
    frame, state = it.frame, it.state
    loop = Loop(state.mark(), len(items), len(frame.managers), over_modules=over_modules, node=node)
    frame.loops.append(loop)
    it.recorder.open()
    conditional, exits, undecided = frame.conditional, frame.exits, frame.undecided
    site = frame.site
    falls = True
    backwards = it.graph.backwards
    left: list[Delta] = []
    for index, item in enumerate(items):
        loop.continues.clear()
        loop.doubt = 0
        frame.site = f"{site}.{index}"  # objects of different iterations are different
        it.recorder.open()
        loop.iteration = it.graph.next_iteration(loop.iteration, node, frame.scope.variables)
        loop.began = it.graph.clock
        binding.assign(it, node.target, item)
        falls = it.block(node.body)
        if it.graph.backwards > backwards and index < 2 and falls:
            left.append(state.changes(loop.mark))
            if len(left) == 2:
                autograd_graph.report_growing_graphs(it, state.existed(loop.mark), left[0], left[1], node)
        iteration = it.recorder.close()
        if iteration:
            it.recorder.add(trace.IterationItem(node.start, node.end, iteration))
        if loop.continues:
            here = state.take(loop.mark)
            _apply_join(it, ([here] if falls else []) + loop.continues, node)
            falls = True
        frame.undecided = undecided + (bool(loop.breaks) or frame.exits > exits)
        if not falls:
            break
    frame.undecided = undecided + (frame.exits > exits)
    frame.site = site
    frame.loops.pop()
    body = it.recorder.close()
    if body:
        it.recorder.add(_loop_item(it, node, body))
    if frame.exits == exits:
        frame.conditional = conditional
    return _run_orelse(it, node, falls, loop.mark, loop.breaks)


def _run_orelse(it: Evaluator, node: LoopNode, falls: bool, mark: int, breaks: list[Delta]) -> bool:
    """Runs `else`, which a `break` skips, and joins both exits of the loop."""
    if falls and node.orelse:
        falls = it.block(node.orelse)
    if not breaks:
        return falls
    here = it.state.take(mark)
    _apply_join(it, ([here] if falls else []) + breaks, node)
    return True


def _loop_item(it: Evaluator, node: LoopNode, body: tuple[Item, ...], endless: bool = False) -> LoopItem:
    header = node.iterable if isinstance(node, ir.For) else node.test
    first = node.body[0].start if node.body else node.start
    counted = isinstance(node, ir.While) or counts(node.iterable)
    by_rank = id(node) in it.states[RankLoops].counted_by_rank
    return LoopItem(
        node.start, node.end, body, first, header.end, it.frame.module.path, endless, counted, by_rank
    )


def _apply_join(it: Evaluator, deltas: list[Delta], node: ir.Node) -> None:
    """Applies the join of several outcomes to the store at the loop's head."""
    mark = it.state.mark()
    it.state.apply(deltas[0])
    for delta in deltas[1:]:
        here = it.state.take(mark)
        # `x`: a size after the loop is not the size of the same name at its head
        it.merge(here, delta, f"{it.frame.site}:{node.start}x")


BindTarget = Callable[[], None]
"""Binds the target of a `for` loop to an item."""


def _pass(
    it: Evaluator, node: LoopNode, bind_target: BindTarget | None, condition: ir.Node | None
) -> tuple[list[Delta], list[Delta], tuple[Item, ...]]:
    """Runs the body once from the present head, in search of the facts that hold in all iterations."""
    return _iteration(it, node, bind_target, condition)


def _iteration(
    it: Evaluator, node: LoopNode, bind_target: BindTarget | None, condition: ir.Node | None
) -> tuple[list[Delta], list[Delta], tuple[Item, ...]]:
    """Runs the body once; returns outcomes that continue the loop, those that leave it, and the trace."""
    frame, state = it.frame, it.state
    loop = Loop(state.mark(), managers=len(frame.managers), began=it.graph.clock, node=node)
    frame.loops.append(loop)
    it.recorder.open()
    if condition is not None:
        conditions.narrow(it, conditions.evaluate_test(it, condition).when_true)
    if bind_target is not None:
        bind_target()
    falls = it.block(node.body)
    after = state.take(loop.mark)
    frame.loops.pop()
    body_trace = it.recorder.close()
    return ([after] if falls else []) + loop.continues, loop.breaks, body_trace


def _fixpoint(
    it: Evaluator,
    node: LoopNode,
    bind_target: BindTarget | None,
    condition: ir.Node | None,
    may_skip: bool,
    endless: bool = False,
    length: Dim | None = None,
    faults_of_batches: Callable[[set[tuple]], Faults] | None = None,
) -> bool:
    """Runs a loop until its facts are stable.  `length`: the number of iterations, if that is known.

    `faults_of_batches`: finds those of batches of known sizes, which all come if nothing ends the loop before, except at
    places of which there are others.
    """
    frame, state = it.frame, it.state
    if len(frame.loops) >= DEPTH_OF_FIXPOINTS:
        for name in sorted(_assigned_names(node)):
            if name in frame.scope.variables:
                held = frame.scope.variables[name]
                it.state.set(frame.scope.variables, name, one_of(held))
    conditional, exits, undecided = frame.conditional, frame.exits, frame.undecided
    frame.undecided += may_skip
    certain: Faults = {}
    later: Faults = {}
    for attempt in range(PASSES):
        it.buffers.append({})
        began, backwards = it.graph.clock, it.graph.backwards
        with first_iterations.first_iteration(it) as run:
            goes_on, leaves, body_trace = _pass(it, node, bind_target, condition)
        if not attempt:
            certain = run.faults
        buffer = it.buffers.pop()
        if attempt == 0 and length != 1 and it.graph.backwards > backwards and len(goes_on) == 1:
            later = _faults_of_later_iterations(it, node, bind_target, condition, goes_on[0], began)
        doubtful = frame.conditional > conditional and frame.exits > exits
        frame.conditional = conditional
        unstable = _unstable(it, goes_on, node)
        if not unstable:
            if faults_of_batches is not None and not leaves and frame.exits == exits:
                later = faults_of_batches({key[1:] for key in (*buffer, *certain)}) | later
            break
        if not attempt and len(goes_on) == 1 and not leaves and frame.exits == exits:
            again = _faults_of_second_iteration(it, node, bind_target, condition, goes_on[0], length)
            certain |= again
            _record_replaced(it, again, undecided)
        for store, key, joined in unstable.values():
            if attempt:
                joined = (
                    store_entries.forgotten(it, store, joined)
                    if attempt > 2
                    else store_entries.widened(it, store, joined)
                )
            state.set(store, key, joined)
    else:
        # the facts never settled: nothing that the body changes is known, and none of its faults is certain
        buffer = {}
        goes_on, leaves = _forgotten(it, goes_on), _forgotten(it, leaves)
    frame.conditional += doubtful
    frame.undecided = undecided + (frame.exits > exits)
    _keep_faults(it, buffer)
    _keep_faults(it, {key: fault for key, fault in certain.items() if key not in buffer})
    _keep_faults(it, {key: fault for key, fault in later.items() if key not in buffer})
    if body_trace:
        it.recorder.add(_loop_item(it, node, body_trace, endless))
    mark = state.mark()
    completed = [] if endless else goes_on + ([{}] if may_skip else [])
    if completed:
        _apply_join(it, completed, node)
    return _run_orelse(it, node, bool(completed), mark, leaves)


def _faults_of_second_iteration(
    it: Evaluator,
    node: LoopNode,
    bind_target: BindTarget | None,
    condition: ir.Node | None,
    first: Delta,
    length: Dim | None,
) -> Faults:
    """Returns the faults of a loop's second iteration on the exact facts that the first one leaves.

    Where it is not known that there is a second one, these are only calls of what the first has put in the place of a function.
    """
    certain = isinstance(length, int) and length > 1
    if not certain and (length == 1 or not _replaces_function(first)):
        return {}
    found = first_iterations.second_iteration_faults(
        it, first, lambda: _iteration(it, node, bind_target, condition), also=_REPLACED
    )
    return {key: fault for key, fault in found.items() if certain or fault.kind in _REPLACED}


def _record_replaced(it: Evaluator, found: Faults, undecided: int) -> None:
    """Records calls of what is no function any more in the first iterations around a loop that they certainly reach."""
    for run in it.first_runs:
        if run.undecided == undecided and run.silent == it.silent:
            for key, fault in found.items():
                if fault.kind in _REPLACED:
                    run.faults.setdefault(key, fault)


def _replaces_function(changes: Delta) -> bool:
    """Returns whether changes put a tensor in the place of a layer, a module or a function: `loss = loss(out, y)`."""
    return any(
        type(value) is TensorFact and isinstance(store.get(key), _FUNCTIONS)
        for store, key, value in changes.values()
    )


def _faults_of_later_iterations(
    it: Evaluator,
    node: LoopNode,
    bind_target: BindTarget | None,
    condition: ir.Node | None,
    first: Delta,
    began: int,
) -> Faults:
    """Returns faults that only a later iteration has: its backward pass reaches the graph of an earlier one.

    The body is run once more on exactly the store that the first iteration has left, and a second time if graphs are retained,
    for nothing but these faults.
    """
    if it.silent or not later_iterations.may_differ(it, node, first, began):
        return {}
    state, frame, progress = it.state, it.frame, it.graph
    mark, conditional = state.mark(), frame.conditional
    spent = it.steps, it.limit, it.allowance, it.pool, it.analysis.unfollowed
    frames, traces, buffers = list(it.frames), len(it.recorder.stack), len(it.buffers)
    loops, managers = len(frame.loops), len(frame.managers)
    it.silent += 1
    it.limit = min(it.limit, it.file_limit - it.rehearsed)
    found: Faults = {}
    before = {identity for identity, (store, key, _) in first.items() if key in store}
    try:
        changes = [first]
        for _ in range(2):
            state.apply(changes[0])
            names = graph_progress.names_of((key, value) for _, key, value in changes[0].values())
            progress.rehearse(it.silent, graph_progress.Iteration(began, progress.clock, names, node))
            it.buffers.append({})
            earlier = changes[0]
            changes, _, _ = _iteration(it, node, bind_target, condition)
            if earlier is first and len(changes) == 1 and not it.buffers[-1]:
                again = state.mark()
                state.apply(changes[0])
                autograd_graph.report_growing_graphs(it, before, first, changes[0], node)
                state.take(again)
            found = it.buffers.pop()
            if found or len(changes) != 1 or progress.retained < began:
                break
    except BudgetExceeded:
        it.frames, it.frame = frames, frame
        del it.recorder.stack[traces:], frame.loops[loops:], frame.managers[managers:]
    finally:
        del it.buffers[buffers:]
        progress.rehearsing = 0
        it.silent -= 1
        it.rehearsed += it.steps - spent[0]
        it.steps, it.limit, it.allowance, it.pool, it.analysis.unfollowed = spent
        frame.conditional = conditional
        state.take(mark)
    return found


def _forgotten(it: Evaluator, deltas: list[Delta]) -> list[Delta]:
    """Returns the same changes with unknown values."""
    return [
        {
            identity: (store, key, store_entries.forgotten(it, store, value))
            for identity, (store, key, value) in delta.items()
        }
        for delta in deltas
    ]


def _keep_faults(it: Evaluator, buffer: Faults) -> None:
    """Keeps the faults of a loop; of two equal ones the one with fewer assumptions."""
    target = it.buffers[-1] if it.buffers else it.faults
    for key, fault in buffer.items():
        known = target.get(key)
        if known is None:
            target[key] = fault
        elif len(fault.assumptions) < len(known.assumptions):
            target[key] = fault.also_reached(known)
        else:
            target[key] = known.also_reached(fault)


def _unstable(it: Evaluator, goes_on: list[Delta], node: ir.Node) -> Delta:
    """Returns the entries that are more general after the body than at its head, with the joined value."""
    found: Delta = {}
    for delta in goes_on:
        for identity, (store, key, value) in delta.items():
            here = found[identity][2] if identity in found else store.get(key, MISSING)
            if here is MISSING:
                here = store_entries.absent(it, store, key)
            if here is MISSING or value is here or value is MISSING or value == here:
                continue
            joined = store_entries.joined(it, store, key, here, value, f"{it.frame.site}:{node.start}")
            if joined != here:
                found[identity] = (store, key, joined)
    return found


def _assigned_names(node: LoopNode) -> frozenset[str]:
    """Returns the names that the statements of a loop may bind."""
    found: set[str] = set()
    stack: list[ir.Node] = [*node.body, *node.orelse]
    if isinstance(node, ir.For):
        found.update(names_of_target(node.target))
    while stack:
        item = stack.pop()
        match item:
            case ir.Assign(targets=targets):
                for target in targets:
                    found.update(names_of_target(target))
            case ir.Augmented(target=target) | ir.Annotated(target=target):
                found.update(names_of_target(target))
            case ir.For(target=target, body=body, orelse=orelse):
                found.update(names_of_target(target))
                stack.extend((*body, *orelse))
            case ir.While(body=body, orelse=orelse) | ir.Branch(body=body, orelse=orelse):
                stack.extend((*body, *orelse))
            case ir.With(items=items, body=body):
                for _, bound in items:
                    if bound is not None:
                        found.update(names_of_target(bound))
                stack.extend(body)
            case ir.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                stack.extend((*body, *orelse, *final))
                for handler in handlers:
                    stack.extend(handler.body)
            case ir.Match(cases=cases):
                for case in cases:
                    found.update(case.captures)
                    stack.extend(case.body)
    return frozenset(found)
