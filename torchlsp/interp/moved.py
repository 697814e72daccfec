"""What `x.to(device)` of something unseen gives: a tensor, a module or a batch, and all of it on that device.

It stays unseen. But what only tensors do (arithmetic with tensors, operators of torch, NumPy, `argmax`) is done by the tensor
that it then is, whose device is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import UNKNOWN_TENSOR, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp import objects
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

_MOVES = frozenset({"to", "cuda"})
_OF_MODULES_TOO = frozenset("apply requires_grad_ share_memory type get_device register_hook".split())
"""Methods of tensors that modules or batches have as well, and that tell nothing of a device."""


def method(it, receiver: Value, name: str, arguments: Arguments, node: ir.Node) -> Value | None:
    """What a method of something unseen gives, if that is known to be on a device other than the CPU."""
    if type(receiver) is v.Moved:
        if name in _OF_MODULES_TOO or ops.operator(f"Tensor.{name}") is None:
            return None
        result = _called(it, receiver.tensor, name, arguments, node)
        return _still_moved(result) if type(result) is TensorFact else result
    if name in _MOVES and (arguments.positional or arguments.keywords or name == "cuda"):
        it.silent += 1
        try:
            return _still_moved(_called(it, UNKNOWN_TENSOR, name, arguments, node))
        finally:
            it.silent -= 1
    return None


def _called(it, tensor: TensorFact, name: str, arguments: Arguments, node: ir.Node) -> Value:
    # It may be of any class: which keywords its methods take is not known.
    api, it.api = it.api, None
    try:
        return objects.call_method(it, tensor, name, arguments, node)
    finally:
        it.api = api


def _still_moved(result: Value) -> Value | None:
    if type(result) is not TensorFact or result.device is None or result.device.kind == "cpu":
        return None
    return v.Moved(tensor=result)


def item(it, value: v.Moved, index: Value, node: ir.Node) -> Value | None:
    """`x[0]`; under a name anything may be kept, also what has stayed where it was."""
    if isinstance(index, v.Scalar) and index.kind == "int" or isinstance(index, (v.SliceValue, v.TupleValue)):
        return _still_moved(objects.item(it, value.tensor, index, node))
    return None


def tensors(values: Iterable[Value]) -> tuple[Value, ...]:
    """The operands of something that takes tensors."""
    return tuple(value.tensor if type(value) is v.Moved else value for value in values)
