"""Evaluates calls of the builtins, itertools and tqdm that make, read or pass through iterables."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.data import loader_arguments, main_guards, sampler_epochs
from torchlsp.interp.checks.distributed import uneven_collectives
from torchlsp.interp.model import heap_values
from torchlsp.interp.objects import batch_sizes, parameter_iterators
from torchlsp.interp.objects.iteration import UNROLLED, element_of, elements_at_once, known_items
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def _len(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    items = it.elements(value)
    if items is not None:
        return v.integer(len(items))
    if isinstance(value, (TensorFact, v.ArrayValue)) and value.shape:
        return v.integer(value.shape[0])
    if isinstance(value, (v.Repeated, v.DatasetValue)) and value.length is not None:
        return v.integer(value.length)
    if isinstance(value, (v.LayerValue, v.InstanceValue)):
        content = it.state.heap.get((value.ref, "[]"))
        if isinstance(content, tuple):
            return v.integer(len(content))
    if isinstance(value, v.DictRef):
        entries = it.state.heap.get((value.ref, "{}"))
        if isinstance(entries, dict):
            return v.integer(len(entries))
    if isinstance(value, v.Parameter):
        return v.Unknown(dims.symbol(f"?len({value.label})@{value.name.rpartition('@')[2]}"))
    return v.Scalar("int")


def _range(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    bounds = [v.as_int(value) for value in arguments.positional]
    if None in bounds and (by_rank := uneven_collectives.range_length(arguments.positional)) is not None:
        return v.Repeated(v.Scalar("int"), by_rank)
    known = [bound for bound in bounds if bound is not None]
    if len(known) == len(bounds) and 1 <= len(known) <= 3 and not arguments.open_positional:
        try:
            numbers = range(*known)
            count = len(numbers)
        except (ValueError, OverflowError):
            return v.Repeated(v.Scalar("int"))
        if count <= 12:
            return v.TupleValue(tuple(v.integer(number) for number in numbers))
        return v.Repeated(v.Scalar("int"), count)
    length = v.as_dim(arguments.positional[0]) if len(arguments.positional) == 1 else None
    return v.Repeated(v.Scalar("int"), length)


def _enumerate(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    sampler_epochs.record_iteration(it, value, node)
    start = v.as_int(arguments.positional[1]) if len(arguments.positional) > 1 else 0
    items = known_items(it, value)
    if items is not None and start is not None and not arguments.keywords:
        return v.TupleValue(tuple(v.TupleValue((v.integer(i + start), item)) for i, item in enumerate(items)))
    return v.Repeated(v.TupleValue((v.Scalar("int"), element_of(it, value, node))))


def _zip(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if arguments.open_positional:
        return v.Repeated(UNKNOWN_VALUE)
    for value in arguments.positional:
        sampler_epochs.record_iteration(it, value, node)
    columns = [known_items(it, value) for value in arguments.positional]
    if any(column is not None for column in columns):
        columns = [
            _rows_of(it, value, node) if column is None else column
            for column, value in zip(columns, arguments.positional)
        ]
    if columns and all(column is not None for column in columns):
        return v.TupleValue(tuple(v.TupleValue(tuple(row)) for row in zip(*columns)))
    return v.Repeated(v.TupleValue(elements_at_once(it, arguments.positional, node)))


def _rows_of(it: Evaluator, value: Value, node: ir.Node) -> tuple[Value, ...] | None:
    """Returns what iterating over a tensor of a few rows yields."""
    count = value.shape[0] if isinstance(value, TensorFact) and value.shape else None
    if not isinstance(count, int) or not 0 < count <= UNROLLED:
        return None
    return (element_of(it, value, node),) * count


def _reversed(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    items = known_items(it, arguments.first)
    if items is not None:
        return v.TupleValue(items[::-1])
    return v.Repeated(element_of(it, arguments.first, node))


def _tqdm(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `tqdm(x)` to an iterable of the same elements."""
    value = arguments.first
    if isinstance(value, TensorFact):  # with methods of its own, such as `set_description`
        return v.Repeated(element_of(it, value, node))
    return value if not isinstance(value, v.Scalar) else UNKNOWN_VALUE


def _iter(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    if type(value) is v.LoaderValue:
        main_guards.record_worker_start(it, value, node)
        return loader_arguments.iterator(value)
    if isinstance(value, v.Repeated):
        return value
    return v.Repeated(element_of(it, value, node))


def _next(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    if type(value) is v.LoaderValue:
        loader_arguments.report_sequence_use(it, value, "next", node)
        if type(node) is ir.Call and node.args and type(node.args[0]) is ir.Call:  # `next(iter(loader))`
            return batch_sizes.first_batch(it, value, node, lambda: element_of(it, value, node))
    return element_of(it, value, node) if isinstance(value, (v.LoaderValue, v.Repeated)) else UNKNOWN_VALUE


def _list(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    if not arguments.positional:
        return heap_values.new_list(it, node, ())
    value = arguments.first
    sampler_epochs.record_iteration(it, value, node)
    items = known_items(it, value)
    if items is not None:
        return heap_values.new_list(it, node, items)
    if isinstance(value, v.ParametersOf):
        as_list = parameter_iterators.as_list(it, value, node)
        parameter_iterators.consume(it, value)
        return as_list
    length = value.length if isinstance(value, v.Repeated) else None
    return heap_values.new_list(it, node, v.Repeated(element_of(it, value, node), length))


def _tuple(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    value = arguments.first
    parameter_iterators.consume(it, value)
    items = known_items(it, value) if arguments.positional else ()
    if items is not None:
        return v.TupleValue(items)
    if isinstance(value, v.ShapeOf):
        return replace(value, is_size=False)
    return v.Repeated(element_of(it, value, node))


def _chain(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `itertools.chain` of several modules' parameters."""
    chained = arguments.positional
    parameters = [value for value in chained if isinstance(value, v.ParametersOf)]
    if not chained or arguments.open_positional or len(parameters) < len(chained):
        return UNKNOWN_VALUE
    return reduce(parameter_iterators.concatenate, parameters, v.ParametersOf(frozenset()))


HANDLERS: dict[str, Callable[[Evaluator, Arguments, ir.Node], Value]] = {
    "builtins.len": _len, "builtins.range": _range, "builtins.enumerate": _enumerate, "builtins.zip": _zip,
    "builtins.reversed": _reversed, "builtins.iter": _iter, "builtins.next": _next, "builtins.list": _list,
    "builtins.tuple": _tuple, "itertools.chain": _chain, "tqdm.trange": _range,
    **dict.fromkeys(("tqdm", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"), _tqdm),
}  # fmt: skip
