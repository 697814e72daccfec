"""Loops: run until the facts at the head no longer change, widening what does."""

from __future__ import annotations

from torchlsp.facts import values as v
from torchlsp.facts.dim import symbol
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp import conditions, interpreter, loading, objects, statements, trace
from torchlsp.interp import join as joins
from torchlsp.interp.frame import Loop
from torchlsp.interp.state import MISSING, Delta
from torchlsp.interp.trace import LoopItem
from torchlsp.program import ir

UNROLLED = 12
"""Loops over this many known items are run item by item."""
DEPTH_OF_FIXPOINTS = 2
"""Loops nested deeper forget what their body assigns instead of finding out what is stable."""


def run_for(it, node: ir.For) -> bool:
    iterable = it.eval(node.iterable)
    items = known_items(it, iterable)
    _note_targets(it, node.target)
    if items is not None and len(items) <= UNROLLED and _is_worth_unrolling(items):
        return _unrolled(it, node, items)

    def bind_target() -> None:
        statements.assign(it, node.target, element_of(it, iterable, node))

    falls = _fixpoint(it, node, bind_target, None, may_skip=items is None or len(items) == 0)
    if node.orelse and falls:
        falls = it.block(node.orelse)
    return falls


def run_while(it, node: ir.While) -> bool:
    answer = conditions.test(it, node.test)
    if answer.truth is Tri.NO:
        return it.block(node.orelse)
    endless = answer.truth is Tri.YES
    falls = _fixpoint(it, node, None, node.test, may_skip=not endless, endless=endless)
    if falls and node.orelse:
        falls = it.block(node.orelse)
    return falls


def _note_targets(it, target: ir.Node) -> None:
    if type(target) is ir.Name:
        it.frame.loop_targets.add(target.id)
    elif type(target) is ir.Display:
        for item in target.items:
            _note_targets(it, item)


def known_items(it, value: Value) -> tuple[Value, ...] | None:
    items = it.elements(value)
    if items is not None:
        return items
    if (
        isinstance(value, v.Repeated)
        and isinstance(value.length, int)
        and isinstance(value.element, v.TupleValue)
    ):
        return None
    return objects.children_in_order(it, value)


def _is_worth_unrolling(items: tuple[Value, ...]) -> bool:
    return any(
        isinstance(
            item, (v.LayerValue, v.InstanceValue, TensorFact, v.OptimizerValue, v.FunctionValue, v.Wrapped)
        )
        or (isinstance(item, v.TupleValue) and _is_worth_unrolling(item.items))
        for item in items
    )


def element_of(it, iterable: Value, node: ir.Node) -> Value:
    """What one iteration over a value gives."""
    match iterable:
        case v.Repeated(element=element):
            return element
        case v.LoaderValue():
            return loading.batch_of(it, iterable, node)
        case v.ListRef(ref=ref):
            content = it.state.heap.get((ref, "[]"))
            if isinstance(content, v.Repeated):
                return content.element
            if isinstance(content, tuple) and content:
                return _joined(content, node)
        case v.TupleValue(items=items) if items:
            return _joined(items, node)
        case TensorFact(shape=shape) if shape:
            from torchlsp.ops import operator
            from torchlsp.ops.signature import Arguments

            row = operator("Tensor.__getitem__")
            if row is not None:
                result, _ = row.apply(
                    "Tensor.__getitem__", Arguments((iterable, v.Scalar("int"))), it.context(node)
                )
                return result
        case v.ParametersOf():
            return _one_parameter(it, iterable, node)
        case v.InstanceValue():
            return loading.item_of_instance(it, iterable, node)
        case v.DatasetValue(element=element):
            return element
    return UNKNOWN_VALUE


def _one_parameter(it, parameters: v.ParametersOf, node: ir.Node) -> Value:
    one = TensorFact(provenance="parameter")
    return v.TupleValue((v.Scalar("str"), one)) if parameters.named else one


def _joined(items: tuple[Value, ...], node: ir.Node) -> Value:
    result = items[0]
    for i, item in enumerate(items[1:]):
        result = joins.join(result, item, f"{node.start}.{i}")
    return result


def _unrolled(it, node: ir.For, items: tuple[Value, ...]) -> bool:
    frame, state = it.frame, it.state
    loop = Loop(state.mark(), unrolled=True)
    frame.loops.append(loop)
    it.recorder.open()
    exits: list[Delta] = []
    falls = True
    for item in items:
        loop.continues.clear()
        it.recorder.open()
        statements.assign(it, node.target, item)
        falls = it.block(node.body)
        iteration = it.recorder.close()
        if iteration:
            it.recorder.add(trace.IterationItem(node.start, node.end, iteration))
        if loop.continues:
            here = state.take(loop.mark) if falls else None
            deltas = ([here] if here is not None else []) + loop.continues
            if not falls:
                state.take(loop.mark)
            _apply_join(it, deltas, node)
            falls = True
        if not falls:
            break
    exits.extend(loop.breaks)
    frame.loops.pop()
    body = it.recorder.close()
    if body:
        it.recorder.add(_loop_item(it, node, body))
    if exits:
        here = state.take(loop.mark)
        _apply_join(it, ([here] if falls else []) + exits, node)
        falls = True
    if falls and node.orelse:
        falls = it.block(node.orelse)
    return falls


def _loop_item(it, node, body, endless: bool = False) -> LoopItem:
    header = node.iterable if isinstance(node, ir.For) else node.test
    first = node.body[0].start if node.body else node.start
    return LoopItem(node.start, node.end, body, first, header.end, it.frame.module.path, endless)


def _apply_join(it, deltas: list[Delta], node: ir.Node) -> None:
    """Applies the join of several outcomes to the store at the loop's head."""
    if not deltas:
        return
    mark = it.state.mark()
    it.state.apply(deltas[0])
    for delta in deltas[1:]:
        here = it.state.take(mark)
        it.merge(here, delta, f"{it.frame.site}:{node.start}")


def _pass(it, node, bind_target, condition: ir.Node | None) -> tuple[list[Delta], list[Delta], tuple]:
    """One run of the body from the present head: outcomes that go on, outcomes that leave, the trace."""
    frame, state = it.frame, it.state
    loop = Loop(state.mark())
    frame.loops.append(loop)
    it.recorder.open()
    conditional = frame.conditional
    leaves: list[Delta] = []
    if condition is not None:
        conditions.narrow(it, conditions.test(it, condition).when_true)
    if bind_target is not None:
        bind_target()
    falls = it.block(node.body)
    after = state.take(loop.mark)
    frame.conditional = conditional
    frame.loops.pop()
    body_trace = it.recorder.close()
    goes_on = ([after] if falls else []) + loop.continues
    leaves.extend(loop.breaks)
    return goes_on, leaves, body_trace


def _fixpoint(
    it, node, bind_target, condition: ir.Node | None, may_skip: bool, endless: bool = False
) -> bool:
    frame, state = it.frame, it.state
    head = state.mark()
    if len(frame.loops) >= DEPTH_OF_FIXPOINTS:
        for name in assigned_names(node):
            if name in frame.scope.variables:
                it.state.set(frame.scope.variables, name, UNKNOWN_VALUE)
    for attempt in range(4):
        it.buffers.append({})
        goes_on, leaves, body_trace = _pass(it, node, bind_target, condition)
        buffer = it.buffers.pop()
        unstable = _unstable(it, goes_on, node)
        if not unstable or attempt == 3:
            break
        for store, key, joined in unstable:
            state.set(store, key, joined if attempt == 0 else _widened_entry(joined))
    _keep(it, buffer)
    if body_trace:
        it.recorder.add(_loop_item(it, node, body_trace, endless))
    outcomes = list(leaves)
    if not endless:
        outcomes.extend(goes_on)
        if may_skip:
            outcomes.append({})
    if not outcomes:
        return False
    _apply_join(it, outcomes, node)
    del head
    return True


def _keep(it, buffer: dict) -> None:
    target = it.buffers[-1] if it.buffers else it.faults
    for key, fault in buffer.items():
        known = target.get(key)
        if known is None or len(fault.assumptions) < len(known.assumptions):
            target[key] = fault


def _unstable(it, goes_on: list[Delta], node: ir.Node) -> list[tuple[dict, object, object]]:
    """Entries that the body leaves more general than they were at the head, with the joined value."""
    found = {}
    for delta in goes_on:
        for identity, (store, key, value) in delta.items():
            here = found[identity][2] if identity in found else store.get(key, MISSING)
            if here is MISSING or value is here or value is MISSING or value == here:
                continue
            joined = interpreter.join_entries(here, value, f"{it.frame.site}:{node.start}.{key}")
            if joined != here:
                found[identity] = (store, key, joined)
    return list(found.values())


def _widened_entry(value):
    if isinstance(value, Tri):
        return Tri.UNKNOWN
    if isinstance(value, (tuple, dict)):
        return UNKNOWN_VALUE
    return joins.widened(value)


def assigned_names(node: ir.Node) -> frozenset[str]:
    """Names that the statements of a loop may bind."""
    found: set[str] = set()
    stack: list[ir.Node] = [*node.body, *getattr(node, "orelse", ())]
    if isinstance(node, ir.For):
        _collect_target(node.target, found)
    while stack:
        item = stack.pop()
        match item:
            case ir.Assign(targets=targets):
                for target in targets:
                    _collect_target(target, found)
            case ir.Augmented(target=target) | ir.Annotated(target=target):
                _collect_target(target, found)
            case ir.For(target=target, body=body, orelse=orelse):
                _collect_target(target, found)
                stack.extend((*body, *orelse))
            case ir.While(body=body, orelse=orelse) | ir.Branch(body=body, orelse=orelse):
                stack.extend((*body, *orelse))
            case ir.With(items=items, body=body):
                for _, target in items:
                    if target is not None:
                        _collect_target(target, found)
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


def _collect_target(target: ir.Node, found: set[str]) -> None:
    if type(target) is ir.Name:
        found.add(target.id)
    elif type(target) is ir.Display:
        for item in target.items:
            _collect_target(item, found)
    elif type(target) is ir.Starred:
        _collect_target(target.value, found)


__all__ = ["element_of", "known_items", "run_for", "run_while", "symbol"]
