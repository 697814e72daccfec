"""Detects conversions like `x.cuda()` whose result is discarded: the tensor itself stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact, first_operands
from torchlsp.facts.values import Value
from torchlsp.interp.checks.devices.module_placement import is_registered_buffer
from torchlsp.interp.model import classes
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.model.liveness import is_used_later, statements_after
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CONVERSIONS = frozenset(
    "to cuda cpu float double half bfloat16 int long short char byte bool cfloat cdouble type type_as".split()
)

_DATASETS = frozenset(
    {"torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset", "torch.utils.data.IterableDataset"}
)


def is_conversion(node: ir.Node) -> TypeGuard[ir.Call]:
    """Returns whether a node calls a conversion on something that can be assigned to again."""
    return (
        type(node) is ir.Call
        and type(node.function) is ir.Attribute
        and node.function.name in CONVERSIONS
        and is_name_or_part(node.function.object)
    )


def evaluate_conversion(it: Evaluator, node: ir.Call) -> Value:
    """Evaluates a conversion call that is a whole statement.

    Reports it when it returns another tensor than its receiver.
    """
    function = node.function
    if type(function) is not ir.Attribute:
        return it.eval(node)
    receiver = it.eval(function.object)
    result = it.eval(node)
    if isinstance(receiver, TensorFact) and isinstance(result, TensorFact) and not _is_same(receiver, result):
        if not is_shown_by_notebook(it) and not _was_moved_before(receiver, result):
            _report(it, node, function, receiver, result)
    return result


def _is_same(receiver: TensorFact, result: TensorFact) -> bool:
    """Returns whether a conversion returns its receiver; the parameter of a layer is another fact each time that it is read."""
    if receiver.device is None or receiver.dtype is None:
        return result is receiver
    return result == receiver


def _was_moved_before(receiver: TensorFact, result: TensorFact) -> bool:
    """Returns whether a tensor was moved to a device that is not known, so that it may be on this one already."""
    if receiver.device is not None or result.device is not None or receiver.dtype != result.dtype:
        return False
    return any(fact.origin is not None and fact.origin.op == "Tensor.to" for fact in first_operands(receiver))


def _report(
    it: Evaluator, node: ir.Call, function: ir.Attribute, receiver: TensorFact, result: TensorFact
) -> None:
    method, target = function.name, function.object
    name = f"Tensor.{method}"
    data = (
        ("input", receiver),
        ("result", result),
        ("method", method),
        # A parameter is replaced by a parameter only.
        (
            "again",
            can_be_assigned(it, target) and (type(target) is ir.Name or receiver.provenance != "parameter"),
        ),
        (
            "needed",
            not _may_be_so_already(receiver, result)
            and not _is_only_copied(it, node, target)
            and not _is_local_and_done(it, node, target)
            and not (result.dtype in (receiver.dtype, None) and _is_moved_where_used(it, node, target))
            and not (result.dtype == receiver.dtype and _is_alone_in_script(it, target))
            and not (
                result.dtype in (receiver.dtype, None)
                and (_is_held_by_dataset(it, target) or _moves_with_module(it, receiver, target))
            ),
        ),
    )
    fault = Fault(FaultKind.CONVERSION_DISCARDED, node.start, node.end, name, data, path=it.frame.module.path)
    values = [it.eval(arg) for arg in node.args if type(arg) is not ir.Starred]
    keywords = tuple((key, it.eval(value)) for key, value in node.keywords if key is not None)
    is_open = len(values) < len(node.args) or len(keywords) < len(node.keywords)
    it.report(with_call(it, [fault], name, Arguments((receiver, *values), keywords, is_open, is_open)))


_MOVES = frozenset({"to", "cuda"})


def _may_be_so_already(receiver: TensorFact, result: TensorFact) -> bool:
    """Returns whether nothing shows that a conversion changes the tensor: callers may have passed it converted, or it
    was put on a GPU before and is asked for on a device that is not known."""
    if result.device is None and result.dtype in (receiver.dtype, None):
        if receiver.device is not None and receiver.device.kind != "cpu":
            return True
    if result.dtype != receiver.dtype or result.device == receiver.device:
        return receiver.dtype is None
    return receiver.device is None


def _is_alone_in_script(it: Evaluator, target: ir.Node) -> bool:
    """Returns whether a script's own statements move nothing else to a device, so that all of it stays where it is made."""
    if it.frame.function is not None or type(target) is not ir.Name:
        return False
    moves = [
        one.function.object
        for one in walk(it.frame.module.ir.body)
        if type(one) is ir.Call and type(one.function) is ir.Attribute and one.function.name in _MOVES
    ]
    return all(type(one) is ir.Name and one.id == target.id for one in moves)


def _is_only_copied(it: Evaluator, node: ir.Node, target: ir.Node) -> bool:
    """Returns whether all that follows in the function copies the tensor's values, from whatever device and dtype."""
    function = it.frame.function
    if function is None or type(target) is not ir.Name:
        return False
    copied = read = 0
    for one in walk(tuple(statements_after(function.body, node.end))):
        read += type(one) is ir.Name and one.id == target.id
        if type(one) is ir.Call and getattr(one.function, "name", "") == "copy_":
            copied += any(type(arg) is ir.Name and arg.id == target.id for arg in one.args)
    return bool(copied) and copied == read


def _is_moved_where_used(it: Evaluator, node: ir.Node, target: ir.Node) -> bool:
    """Returns whether a name is moved again by what follows in the function, or by a function in sight that it is passed to."""
    body = it.frame.module.ir.body if it.frame.function is None else it.frame.function.body
    if type(target) is not ir.Name:
        return False
    for one in walk(tuple(statements_after(body, node.end))):
        match one:
            case ir.Assign(targets=(ir.Name(id=name),), value=value) if name == target.id and _moves(
                value, name
            ):
                return True
            case ir.Call(function=ir.Name(id=called), args=args):
                function = it.lookup(called)
                if type(function) is not v.FunctionValue:
                    continue
                for arg, param in zip(args, function.ir.params):
                    if type(arg) is ir.Name and arg.id == target.id:
                        if any(_moves(inner, param.name) for inner in walk(function.ir.body)):
                            return True
    return False


def _moves(node: ir.Node, name: str) -> bool:
    """Returns whether an expression moves what a name stands for: `x.to(device)`, `x.long().cuda()`."""
    moved = False
    while type(node) is ir.Call and type(node.function) is ir.Attribute:
        moved |= node.function.name in _MOVES
        node = node.function.object
    return moved and type(node) is ir.Name and node.id == name


def _is_local_and_done(it: Evaluator, node: ir.Node, target: ir.Node) -> bool:
    """Returns whether a function's own name, no parameter, is read no more before it is bound again."""
    function = it.frame.function
    if function is None or type(target) is not ir.Name or target.id not in it.frame.scope.variables:
        return False
    is_parameter = any(one.name == target.id for one in function.params)
    return not is_parameter and not is_used_later(it.frame, target.id, node)


def _owner_of(it: Evaluator, target: ir.Node) -> v.ClassValue | None:
    """Returns the class of the running method if an expression is an attribute of the method's own object."""
    function = it.frame.function
    if type(target) is not ir.Attribute or type(target.object) is not ir.Name or function is None:
        return None
    if not function.params or target.object.id != function.params[0].name:
        return None
    return it.frame.owner


def _is_held_by_dataset(it: Evaluator, target: ir.Node) -> bool:
    """Returns whether an expression is an attribute of a dataset, whose samples are moved when they have become batches."""
    owner = _owner_of(it, target)
    return owner is not None and any(
        isinstance(base, v.External) and base.name in _DATASETS for base in classes.mro(owner)
    )


def _moves_with_module(it: Evaluator, tensor: TensorFact, target: ir.Node) -> bool:
    """Returns whether a tensor is a parameter or buffer of the running method's module, which takes it along."""
    owner = _owner_of(it, target)
    if owner is None or not classes.is_module(owner) or type(target) is not ir.Attribute:
        return False
    if tensor.provenance == "parameter":
        return True
    module = it.eval(target.object)
    return isinstance(module, v.InstanceValue) and is_registered_buffer(it, module.ref, target.name)


def is_shown_by_notebook(it: Evaluator) -> bool:
    """Returns whether the running statement may be the last of a notebook's cell, which shows its value.

    Cells are not distinguished here, so that is any statement of a notebook's top level.
    """
    return it.frame.function is None and it.frame.module.path.endswith(".ipynb")


def can_be_assigned(it: Evaluator, target: ir.Node) -> bool:
    """Returns whether `target = target.to(...)` would be a fix. It is not for an enclosing function's name."""
    return type(target) is not ir.Name or target.id in it.scope_of(target.id).variables


def is_name_or_part(node: ir.Node) -> bool:
    """Returns whether an expression is a name, or an attribute or item at a constant index of one."""
    while type(node) is ir.Attribute or (type(node) is ir.Subscript and type(node.index) is ir.Constant):
        node = node.object
    return type(node) is ir.Name
