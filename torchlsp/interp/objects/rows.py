"""Applies a row of the operator table to a call's arguments, reports its faults and records the call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.autograd import autograd_graph, global_grad_mode, python_scalar_cuts
from torchlsp.interp.checks.autograd.global_grad_mode import SWITCHED_OFF
from torchlsp.interp.checks.distributed import async_collectives
from torchlsp.interp.checks.distributed.async_collectives import PENDING
from torchlsp.interp.checks.layout import size_names
from torchlsp.interp.checks.modules import state_dict_aliases
from torchlsp.interp.checks.training import manual_updates
from torchlsp.interp.model import heap_values, moved_unknowns, store_entries
from torchlsp.interp.model.call_records import located, with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def apply_row(it: Evaluator, row, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """The result of a table row; what it writes to is replaced wherever it is named."""
    arguments = with_sums_of_lists(it, arguments)
    if v.Moved in map(type, arguments.positional) and _takes_tensors(name, row):
        arguments = replace(arguments, positional=moved_unknowns.tensors(arguments.positional))
    for before in running.BEFORE_OPERATOR:
        before(it, row, name, arguments, node)
    result, faults = row.apply(name, arguments, it.context(node))
    if faults:
        faults = size_names.meant(it, located(faults, arguments), node)
        if it.state.modes[SWITCHED_OFF] is not None:
            faults = global_grad_mode.blamed(it, faults)
        it.report(with_call(it, faults, name, arguments))
    it.record_call(node, name, arguments)
    if name == "Tensor.numpy":
        heap_values.forget_values(it, arguments.positional[0])  # it shares its memory with the array
    for after in running.OPERATOR_RESULT:
        after(it, arguments, result, node)
    if row.mutates is not None and arguments.positional and isinstance(result, TensorFact):
        target = arguments.positional[0]
        if isinstance(target, TensorFact):
            if it.states[state_dict_aliases.StateDicts].snapshots or it.analysis.replicated:
                state_dict_aliases.written(it, target, name, node)
            it.rewrite(target, result)
            autograd_graph.wrote(it, target, name, node)
            manual_updates.written(it, target, node)
            store_entries.forget_grad_of_aliases(it, target, result)
    return result


def _takes_tensors(name: str, row) -> bool:
    """Some functions of torch take modules."""
    return name.startswith(("torch.nn.functional.", "numpy.")) or (
        name.startswith("torch.") and row.signature.startswith("input")
    )


def with_sums_of_lists(it: Evaluator, arguments: Arguments) -> Arguments:
    """A list that is known by what all its items are is handed to a row as just that."""
    for value in arguments.positional:
        if type(value) is v.ListRef:
            break
    else:
        return arguments
    heap = it.state.heap
    positional = []
    for value in arguments.positional:
        content = heap.get((value.ref, "[]")) if type(value) is v.ListRef else None
        positional.append(content if isinstance(content, v.Repeated) else value)
    return replace(arguments, positional=tuple(positional))


def apply_to_operands(it: Evaluator, row, name: str, args: tuple[Value, ...], node: ir.Node) -> Value:
    if row is None:
        return UNKNOWN_VALUE
    if it.state.modes[PENDING]:
        async_collectives.used(it, name, Arguments(args), node)
    result, faults = row.apply(name, Arguments(args), it.context(node))
    if faults:
        it.report(with_call(it, faults, name, Arguments(args)))
    it.record_call(node, name, Arguments(args))
    if it.graph.inference:
        autograd_graph.keeps_inference(it, result, node)
    if type(args[-1]) is v.Scalar or type(args[0]) is v.Scalar:
        python_scalar_cuts.used(it, args, result)
    return result


def apply_to_attribute(it: Evaluator, name: str, value: Value, node: ir.Node) -> Value:
    row = ops.operator(name)
    if row is None:
        return UNKNOWN_VALUE
    arguments = Arguments((value,))
    result, faults = row.apply(name, arguments, it.context(node))
    if faults:
        it.report(with_call(it, faults, name, arguments, is_attribute=True))
    it.record_call(node, name, arguments, is_attribute=True)
    return result


def apply_to_item(it: Evaluator, name: str, value: Value, index: Value, node: ir.Node) -> Value:
    row = ops.operator(name)
    if row is None:
        return UNKNOWN_VALUE
    arguments = Arguments((value, index))
    result, faults = row.apply(name, arguments, it.context(node))
    if faults:
        it.report(with_call(it, faults, name, arguments))
    it.record_call(node, name, arguments)
    return result
