"""Applies a row of the operator table to a call's arguments, reports its faults and records the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import OF_ANY_CLASS, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.autograd import autograd_graph, global_grad_mode
from torchlsp.interp.checks.autograd.global_grad_mode import SWITCHED_OFF
from torchlsp.interp.checks.layout import size_names
from torchlsp.interp.checks.modules import state_dict_aliases
from torchlsp.interp.checks.training import manual_updates
from torchlsp.interp.model import heap_access, heap_values, module_tree, moved_unknowns, store_entries
from torchlsp.interp.model.call_records import with_argument, with_call
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.table import Row


RESHAPING = frozenset(
    f"Tensor.{name}"
    for name in "resize_ resize_as_ set_ squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_".split()
)
"""Methods that change the sizes or strides of the tensor itself."""


def apply_row(it: Evaluator, row: Row, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Applies a row to a call's arguments; a tensor that it changes is replaced wherever it is held."""
    arguments = with_repeated_lists(it, arguments)
    if v.Moved in map(type, arguments.positional) and _takes_tensors(name, row):
        arguments = replace(arguments, positional=moved_unknowns.as_tensors(arguments.positional))
    result = _applied(it, row, name, arguments, node)
    if name == "Tensor.numpy" and arguments.positional:
        tensor = arguments.positional[0]
        if isinstance(tensor, TensorFact):
            heap_values.forget_values(it, tensor)  # it shares its memory with the array
    if row.mutates is not None and arguments.positional and isinstance(result, TensorFact):
        target = arguments.positional[0]
        if isinstance(target, TensorFact):
            if it.states[state_dict_aliases.StateDicts].snapshots or it.analysis.replicated:
                state_dict_aliases.record_parameter_write(it, target, name, node)
            it.rewrite(target, result)
            autograd_graph.record_write(it, target, name, node)
            manual_updates.record_in_place_update(it, target, node)
            store_entries.forget_grad_of_aliases(it, target, result)
            if name == "Tensor.requires_grad_" and target.provenance == "parameter":
                module_tree.freeze_some(it, target.storage.ids, result.grad.requires)
            if target.shape is None and name in RESHAPING and len(target.storage.ids or ()) > 1:
                store_entries.forget_tensors(it, one_of(target), written=False)
    if row.mutates is not None and arguments.positional:
        store_entries.forget_tensors(it, arguments.positional[0])
    for keyword, given in arguments.keywords:
        if keyword == "out":
            store_entries.forget_tensors(it, given, written=False)
    if type(result) is TensorFact and result.provenance is None and _is_unknown_operand(row, name, arguments):
        return result.but(provenance=OF_ANY_CLASS)  # it may be of a class that defines the function itself
    return result


def _applied(
    it: Evaluator, row: Row, name: str, arguments: Arguments, node: ir.Node, is_attribute: bool = False
) -> Value:
    """Evaluates a row between the hooks of the checks, reports its faults and records the call."""
    for before in running.BEFORE_OPERATOR:
        before(it, row, name, arguments, node)
    result, faults = row.apply(name, arguments, it.context(node))
    if faults:
        faults = size_names.without_intended_permutations(it, with_argument(faults, arguments), node)
        if it.state.modes[SWITCHED_OFF] is not None:
            faults = global_grad_mode.blame_switch(it, faults)
        it.report(with_call(it, faults, name, arguments, is_attribute=is_attribute))
    it.record_call(node, name, arguments, is_attribute=is_attribute)
    for after in running.OPERATOR_RESULT:
        after(it, arguments, result, node)
    return result


_OPERANDS = frozenset("input other tensors mat1 mat2 vec vec1 vec2 tensor1 tensor2 batch1 batch2".split())
"""Parameters of torch's functions that take tensors, whose class may define what the function does."""


def _is_unknown_operand(row: Row, name: str, arguments: Arguments) -> bool:
    """Returns whether an argument of a function of torch may have `__torch_function__`: nothing is known of it, or
    it is an object of the program."""
    if not name.startswith("torch."):
        return False
    parameters = (one.partition("=")[0].strip() for one in row.signature.split(","))
    return any(
        type(given) in (v.Unknown, v.InstanceValue) and parameter in _OPERANDS
        for given, parameter in zip(arguments.positional, parameters)
    )


def _takes_tensors(name: str, row: Row) -> bool:
    """Returns whether an operator takes tensors; some functions of torch take modules."""
    return name.startswith(("torch.nn.functional.", "numpy.")) or (
        name.startswith("torch.") and row.signature.startswith("input")
    )


def with_repeated_lists(it: Evaluator, arguments: Arguments) -> Arguments:
    """Replaces arguments that are lists with unknown length by the `Repeated` that they hold."""
    for value in arguments.positional:
        if type(value) is v.ListRef:
            break
    else:
        return arguments
    positional: list[Value] = []
    for value in arguments.positional:
        content = heap_access.items_at(it, value.ref) if type(value) is v.ListRef else None
        positional.append(content if isinstance(content, v.Repeated) else value)
    return replace(arguments, positional=tuple(positional))


def apply_to_operands(
    it: Evaluator, row: Row | None, name: str, args: tuple[Value, ...], node: ir.Node
) -> Value:
    """Applies the row of Python's operator to its operands."""
    return UNKNOWN_VALUE if row is None else _applied(it, row, name, Arguments(args), node)


def apply_to_attribute(it: Evaluator, name: str, value: Value, node: ir.Node) -> Value:
    """Applies the row of an attribute: `x.T`, `x.real`."""
    row = ops.operator(name)
    return UNKNOWN_VALUE if row is None else _applied(it, row, name, Arguments((value,)), node, True)


def apply_to_item(it: Evaluator, name: str, value: Value, index: Value, node: ir.Node) -> Value:
    """Applies the row of `value[index]`."""
    row = ops.operator(name)
    return UNKNOWN_VALUE if row is None else _applied(it, row, name, Arguments((value, index)), node)
