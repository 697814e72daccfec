"""Evaluates expressions: constants, names, operators, displays, comprehensions and others; not calls and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import SOME_CUDA
from torchlsp.facts.dim import Dim
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.api import reduction_pairs, torch_api
from torchlsp.interp.checks.data import loader_arguments, main_guards
from torchlsp.interp.checks.devices import unsynchronized_timers
from torchlsp.interp.checks.distributed import rank_saves, uneven_collectives, unsharded_loaders
from torchlsp.interp.checks.dtypes import tensor_truth_value
from torchlsp.interp.checks.training import manual_updates
from torchlsp.interp.evaluate import branches, calls, conditions
from torchlsp.interp.model import given_functions, heap_values, version_tests
from torchlsp.interp.objects import (
    attributes_and_methods,
    binding,
    operators,
    parameter_iterators,
    rows,
    subscripts,
)
from torchlsp.interp.objects.iteration import UNROLLED, element_of, known_items
from torchlsp.interp.objects.operators import MANY_ITEMS, MAX_TEXT_LENGTH
from torchlsp.interp.store import join, state
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops import operator
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def _constant(it: Evaluator, node: ir.Constant) -> Value:
    value = node.value
    kind = type(value)
    if kind is not int and kind is not str:
        if value is None:
            return v.NONE
        return v.ELLIPSIS if value is Ellipsis else v.Scalar(kind.__name__, value)
    # Equal constants of other types can differ: 0.0 and -0.0, 1 and True.
    known = it.constants.get(value)
    if known is None:
        known = it.constants[value] = v.Scalar(kind.__name__, value)
    return known


def _name(it: Evaluator, node: ir.Name) -> Value:
    value = it.frame.scope.variables.get(node.id, state.MISSING)
    if value is not state.MISSING and type(value) is not v.Imported:
        return value
    return it.lookup(node.id)


def _attribute(it: Evaluator, node: ir.Attribute) -> Value:
    value = it.eval(node.object)
    if node.name == "grad":
        manual_updates.record_gradient_read(it, node)
    if it.api is not None and type(value) in torch_api.OWNERS:
        torch_api.check_attribute(it, value, node)
    return attributes_and_methods.get_attribute(it, value, node.name, node)


def _binary(it: Evaluator, node: ir.Binary) -> Value:
    left, right = it.eval(node.left), it.eval(node.right)
    if type(left) is unsynchronized_timers.Reading:
        unsynchronized_timers.report_difference(it, node, left, right)
    if node.op == "%" and type(left) is v.Scalar:
        unsynchronized_timers.record_read(it, right, *(it.elements(right) or ()))
    return operators.binary_value(it, node, node.op, left, right)


def _unary(it: Evaluator, node: ir.Unary) -> Value:
    if node.op == "not":
        answer = conditions.evaluate_test(it, node)
        if answer.condition is not None:
            return answer.condition
        return v.truth_value(answer.truth)
    value = it.eval(node.operand)
    if isinstance(value, v.Scalar) and value.value is not None and node.op in ("-", "+"):
        if isinstance(value.value, (int, float, complex, dims.Poly)) and value.kind != "str":
            result = -value.value if node.op == "-" else value.value
            return v.Scalar("int" if isinstance(result, dims.Poly) else type(result).__name__, result)
    if type(value) is v.Infinity and node.op in ("-", "+"):
        return v.Infinity("float", negative=value.negative is not (node.op == "-"))
    if reduction_pairs.is_pair(value):
        reduction_pairs.report_unary(it, node, value)
    if isinstance(value, TensorFact):
        name = {"-": "Tensor.neg", "~": "Tensor.bitwise_not", "+": "Tensor.positive"}[node.op]
        return rows.apply_to_operands(it, operator(name), name, (value,), node)
    if isinstance(value, v.ArrayValue):
        name = {"-": "ndarray.neg", "~": "ndarray.invert", "+": "ndarray.pos"}[node.op]
        return rows.apply_to_operands(it, operator(name), name, (value,), node)
    size = v.as_dim(value)
    if isinstance(size, dims.Poly) and node.op == "-":
        return v.Unknown(-size)
    return UNKNOWN_VALUE


def _logical(it: Evaluator, node: ir.Logical) -> Value:
    """Evaluates `a and b`: to a condition if it is one, else to the join of its possible values."""
    result: Value | None = None
    is_and = node.op == "and"
    first = it.eval(node.operands[0])
    tensor_truth_value.report_truth_value(it, node.operands[0], first, node.op, node)
    answer = conditions.truth_of(it, node.operands[0], first)
    if answer.condition is not None and answer.condition.kind != "tensor":
        whole = conditions.evaluate_test(it, node, as_value=True)
        return whole.condition if whole.condition is not None else UNKNOWN_VALUE
    stops = Tri.NO if is_and else Tri.YES
    if answer.truth is stops:
        return first
    if answer.truth is Tri.UNKNOWN:
        result = first
    guarded = False
    for earlier, operand in zip(node.operands, node.operands[1:]):
        guarded = it.api is not None and (guarded or version_tests.asks_for_torch(it, earlier))
        it.frame.guards += guarded
        doubtful = result is not None
        it.frame.undecided += doubtful
        value = it.eval(operand)
        if operand is not node.operands[-1]:
            tensor_truth_value.report_truth_value(it, operand, value, node.op, node)
        it.frame.guards -= guarded
        it.frame.undecided -= doubtful
        answer = conditions.truth_of(it, operand, value)
        if answer.truth is stops:
            return value if result is None else join.join(result, value, f"{node.start}")
        if answer.truth is Tri.UNKNOWN or operand is node.operands[-1]:
            result = value if result is None else join.join(result, value, f"{node.start}")
    return result if result is not None else UNKNOWN_VALUE


def _conditional(it: Evaluator, node: ir.Conditional) -> Value:
    answer = conditions.evaluate_test(it, node.test)
    if answer.truth is Tri.YES:
        conditions.narrow(it, answer.when_true)
        return it.eval(node.body)
    if answer.truth is Tri.NO:
        conditions.narrow(it, answer.when_false)
        return it.eval(node.orelse)
    values: list[Value] = []

    def run(part: ir.Node) -> Callable[[], bool]:
        def evaluate() -> bool:
            values.append(it.eval(part))
            return True

        return evaluate

    branches.run_either(it, node, answer, run(node.body), run(node.orelse))
    condition = answer.condition
    cuda = condition is not None and condition.kind == "cuda"
    if condition is not None and cuda and condition.negated:
        values.reverse()
    if condition is not None and condition.kind == "rank":
        by_rank = uneven_collectives.number_by_rank(condition, values[0], values[1])
        if by_rank is not None:
            return by_rank
    return join.join(values[0], values[1], f"{it.frame.site}:{node.start}", cuda)


def _subscript(it: Evaluator, node: ir.Subscript) -> Value:
    value = it.eval(node.object)
    if type(value) is v.LoaderValue:
        loader_arguments.report_sequence_use(it, value, "index", node)
    index = it.eval(node.index)
    if not isinstance(value, TensorFact):
        unsynchronized_timers.record_read(it, index)
    return subscripts.get_item(it, value, index, node)


def _slice(it: Evaluator, node: ir.Slice) -> Value:
    def part(inner: ir.Node | None) -> Value:
        return v.NONE if inner is None else it.eval(inner)

    return v.SliceValue(part(node.lower), part(node.upper), part(node.step))


def _display(it: Evaluator, node: ir.Display) -> Value:
    items: list[Value] = []
    known = True
    starred: list[Value] = []
    for part in node.items:
        if type(part) is ir.Starred:
            value = it.eval(part.value)
            starred.append(value)
            found = it.elements(value)
            if found is None:
                known = False
                items.append(value.element if isinstance(value, v.Repeated) else UNKNOWN_VALUE)
            else:
                items.extend(found)
        else:
            items.append(it.eval(part))
    if node.kind == "list" and len(starred) == len(node.items):
        parameters = parameter_iterators.unpacked(it, starred)
        if parameters is not None:
            return parameters
    given_functions.forget_changed_by_stored(it, items)
    if node.kind == "set":
        return UNKNOWN_VALUE
    if node.kind == "tuple":
        return v.TupleValue(tuple(items)) if known else v.Repeated(join.join_all(items, node))
    if known and len(items) <= MANY_ITEMS:
        return heap_values.new_list(it, node, tuple(items))
    return heap_values.new_list(it, node, v.Repeated(join.join_all(items, node)))


def _dict(it: Evaluator, node: ir.DictDisplay) -> Value:
    entries: dict[object, Value] = {}
    known = len(node.keys) <= 256
    for key, value in zip(node.keys, node.values):
        result = it.eval(value)
        given_functions.forget_changed_by_stored(it, (result,))
        if key is None:
            inner = it.state.heap.get((result.ref, "{}")) if isinstance(result, v.DictRef) else None
            if isinstance(inner, dict):
                entries.update(inner)
            else:
                known = False
            continue
        name = it.eval(key)
        if isinstance(name, v.Scalar) and isinstance(name.value, (str, int)):
            entries[name.value] = result
        else:
            known = False
    return heap_values.new_dict(it, node, entries if known else None)


def _lambda(it: Evaluator, node: ir.Lambda) -> Value:
    return calls.create_function(it, node.function)


def _comprehension(it: Evaluator, node: ir.Comprehension) -> Value:
    frame = it.frame
    outer, conditional, undecided = frame.scope, frame.conditional, frame.undecided
    scope = state.Scope("comprehension", outer, outer.module)
    frame.scope = scope
    try:
        if len(node.clauses) == 1 and not node.clauses[0][2] and node.kind != "set":
            target, iterable, _ = node.clauses[0]
            source = it.eval(iterable)
            unsharded_loaders.record_iteration(it, source, iterable)
            main_guards.record_worker_start(it, source, iterable)
            items = known_items(it, source)
            if items is not None and len(items) <= UNROLLED:
                results = []
                values = []
                for index, value in enumerate(items):
                    site, frame.site = frame.site, f"{frame.site}.{index}"
                    try:
                        binding.assign(it, target, value)
                        results.append(it.eval(node.element))
                        if node.value is not None:
                            values.append(it.eval(node.value))
                    finally:
                        frame.site = site
                if node.kind == "dict":
                    return heap_values.new_dict(it, node, heap_values.entries_of(results, values))
                return (
                    heap_values.new_list(it, node, tuple(results))
                    if node.kind == "list"
                    else v.TupleValue(tuple(results))
                )
            frame.undecided += 1  # there may be no item
            binding.assign(it, target, element_of(it, source, node))
            length = _length(source)
        else:
            length = None
            frame.undecided += 1
            for target, iterable, filters in node.clauses:
                source = it.eval(iterable)
                if node.kind == "list" and known_items(it, source) == ():
                    return heap_values.new_list(it, node, ())
                binding.assign(it, target, element_of(it, source, iterable))
                for condition in filters:
                    answer = conditions.evaluate_test(it, condition)
                    conditions.narrow(it, answer.when_true)
                    frame.conditional += answer.truth is not Tri.YES
        begin = it.graph.clock
        element = _of_any_item(it.eval(node.element), begin)
        value = _of_any_item(it.eval(node.value), begin) if node.value is not None else UNKNOWN_VALUE
    finally:
        frame.scope, frame.conditional, frame.undecided = outer, conditional, undecided
    parameters = parameter_iterators.generate_parameters(it, source, node)
    if parameters is not NotImplemented:
        return parameters
    if node.kind != "generator" and len(node.clauses) == 1:
        parameter_iterators.consume(it, source)
    if node.kind == "list":
        return heap_values.new_list(it, node, v.Repeated(element, length))
    if node.kind == "dict":
        return heap_values.new_dict(it, node, v.Repeated(value))
    return v.Repeated(element, length) if node.kind == "generator" else UNKNOWN_VALUE


def _of_any_item(result: Value, begin: int) -> Value:
    """Returns what stands for the results of all items: a backward through one leaves the graphs of others alone."""
    if not isinstance(result, TensorFact) or result.origin is None or abs(result.origin.at) <= begin:
        return result
    return result.but(origin=replace(result.origin, merged=True))


def _length(value: Value) -> Dim | None:
    return value.length if isinstance(value, v.Repeated) else None


def _joined_string(it: Evaluator, node: ir.JoinedString) -> Value:
    texts: list[str] = []
    known = node.is_plain
    for part in node.parts:
        value = it.eval(part)
        unsynchronized_timers.record_read(it, value)
        if type(value) is v.RankValue and texts == ["cuda:"]:
            rank_saves.report_global_rank_as_device(it, value, node)
        if isinstance(value, v.Scalar) and value.kind != "bool" and isinstance(value.value, (str, int)):
            texts.append(str(value.value))
        else:
            known = False
    if not known and texts == ["cuda:"] and type(node.parts[0]) is ir.Constant:
        return v.DeviceValue(SOME_CUDA)
    text = "".join(texts) if known else None
    return v.Scalar("str", text if text is not None and len(text) <= MAX_TEXT_LENGTH else None)


def _walrus(it: Evaluator, node: ir.Walrus) -> Value:
    value = it.eval(node.value)
    scope = it.scope_of(node.target.id)
    while scope.kind == "comprehension" and scope.parent is not None:
        scope = scope.parent
    it.state.set(scope.variables, node.target.id, value)
    return value


def _yield(it: Evaluator, node: ir.Yield) -> Value:
    frame = it.frame
    # The code that iterates over the generator may do anything meanwhile.
    it.recorder.add(
        Event(EventKind.UNKNOWN_CALL, node.start, node.end, path=frame.module.path, handed=frozenset({"*"}))
    )
    value: Value
    if node.value is None:
        value = UNKNOWN_VALUE if node.is_opaque else v.NONE
    else:
        value = it.eval(node.value)
        if node.delegates:
            items = known_items(it, value)
            value = element_of(it, value, node) if items is None else join.join_all(list(items), node)
    if not node.is_opaque:
        before = frame.yielded
        frame.yielded = value if before is None else join.join(before, value, f"{frame.site}:y")
    return UNKNOWN_VALUE


def _starred(it: Evaluator, node: ir.Starred) -> Value:
    it.eval(node.value)
    return UNKNOWN_VALUE


Expression = Callable[["Evaluator", Any], Value]  # Any: each takes its own kind of node
"""Evaluates an expression."""

EXPRESSIONS: dict[type[ir.Node], Expression] = {
    ir.Constant: _constant,
    ir.Name: _name,
    ir.Attribute: _attribute,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Logical: _logical,
    ir.Conditional: _conditional,
    ir.Subscript: _subscript,
    ir.Slice: _slice,
    ir.Display: _display,
    ir.DictDisplay: _dict,
    ir.Lambda: _lambda,
    ir.Comprehension: _comprehension,
    ir.Starred: _starred,
    ir.JoinedString: _joined_string,
    ir.Walrus: _walrus,
    ir.Await: lambda it, node: it.eval(node.value),
    ir.Yield: _yield,
}
"""The functions of all kinds of expressions but calls and comparisons; `dispatch` has all."""
