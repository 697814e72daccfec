"""Evaluates `x.to(device)` of an unknown value, which may be a tensor, a module or a batch, and its later uses.

The result stays unknown. But where it is used as only tensors are (arithmetic with tensors, operators of torch, NumPy,
`argmax`) it is a tensor on that device. Where it is called with tensors of that device it is a module, and its result is
assumed to be on the device, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import UNKNOWN_TENSOR, Origin, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.store.heap_keys import PLACED
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MOVES = frozenset({"to", "cuda"})
_SHARED_METHODS = frozenset("apply requires_grad_ share_memory type get_device register_hook".split())
"""Methods of tensors that modules or batches have as well, and that prove no device."""
_MODES = frozenset({"eval", "train"})
"""Methods that only modules have, and that return the module."""
_CASTS = frozenset("float half double bfloat16 requires_grad_".split())
_ASSUMED = frozenset({"module"})


def evaluate_method(
    it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    """Evaluates a method of an unknown value; None unless the result is known to be on a device other than the CPU."""
    if type(receiver) is v.PlacedModule or type(receiver) is v.Moved and name in _MODES:
        return _of_module(it, receiver, name, arguments, node)
    if type(receiver) is v.Moved:
        if name in _SHARED_METHODS or ops.operator(f"Tensor.{name}") is None:
            return None
        result = _called(it, receiver.tensor, name, arguments, node)
        return _still_moved(result) if type(result) is TensorFact else result
    if name in _MOVES and (arguments.positional or arguments.keywords or name == "cuda"):
        there = _moved(it, name, arguments, node)
        if type(receiver) is v.Parameter:
            it.state.set(it.state.heap, (receiver.name, PLACED), there and there.tensor.device)
        return there
    if name == "cpu" and type(receiver) is v.Parameter:
        it.state.set(it.state.heap, (receiver.name, PLACED), None)
    return None


def _moved(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> v.Moved | None:
    it.silent += 1
    try:
        return _still_moved(_called(it, UNKNOWN_TENSOR, name, arguments, node))
    finally:
        it.silent -= 1


def _of_module(
    it: Evaluator, receiver: v.Moved | v.PlacedModule, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    device = receiver.device if isinstance(receiver, v.PlacedModule) else receiver.tensor.device
    if name in _MOVES:
        there = _moved(it, name, arguments, node)
        device = there.tensor.device if there is not None else device if _is_cast(arguments) else None
    elif name not in _MODES | _CASTS:
        return None
    return None if device is None else v.PlacedModule(device=device)


def _is_cast(arguments: Arguments) -> bool:
    """Returns whether the arguments of `to` are a dtype alone: `model.to(torch.float16)`."""
    return (
        len(arguments.positional) == 1
        and isinstance(arguments.positional[0], v.DTypeValue)
        and not arguments.keywords
    )


def evaluate_call(it: Evaluator, callee: Value, arguments: Arguments, node: ir.Node) -> Value | None:
    """Evaluates a call of an unknown value that was moved to a device, with tensors of that device; else None."""
    match callee:
        case v.Parameter(name=name):
            device = it.state.heap.get((name, PLACED))
        case v.PlacedModule(device=device):
            pass
        case v.Moved(tensor=TensorFact(device=device)):
            pass
        case _:
            return None
    if device is None or not arguments.positional:
        return None
    given = as_tensors(arguments.positional)
    if not all(type(one) is TensorFact and one.device == device for one in given):
        return None
    origin = Origin(node.start, node.end, "module", (), it.frame.module.path)
    return v.Moved(tensor=TensorFact(device=device, assumed=_ASSUMED, origin=origin))


def _called(it: Evaluator, tensor: TensorFact, name: str, arguments: Arguments, node: ir.Node) -> Value:
    # It may be of any class, so the keywords that its methods take are not known.
    api, it.api = it.api, None
    try:
        return it.call_method(tensor, name, arguments, node)
    finally:
        it.api = api


def _still_moved(result: Value) -> v.Moved | None:
    if type(result) is not TensorFact or result.device is None or result.device.kind == "cpu":
        return None
    return v.Moved(tensor=result)


def evaluate_item(it: Evaluator, value: v.Moved, index: Value, node: ir.Node) -> Value | None:
    """Evaluates `x[0]`; None for `x["name"]`, which may be something that has stayed on another device."""
    if isinstance(index, v.Scalar) and index.kind == "int" or isinstance(index, (v.SliceValue, v.TupleValue)):
        return _still_moved(it.item(value.tensor, index, node))
    return None


def as_tensors(values: Iterable[Value]) -> tuple[Value, ...]:
    """Replaces moved unknown values among the operands of an operator by tensors."""
    return tuple(value.tensor if type(value) is v.Moved else value for value in values)
