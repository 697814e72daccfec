"""Evaluates calls of einops: `rearrange(x, "b c h w -> b (c h w)")` and the layers that do the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import assumed_tensors
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.objects.library import Library
from torchlsp.ops.call import Broken, Call
from torchlsp.ops.libraries import patterns
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_FUNCTIONS = {"einops.rearrange": "rearrange", "einops.reduce": "reduce", "einops.repeat": "repeat"}
_LAYERS = {"einops.layers.torch.Rearrange": "rearrange", "einops.layers.torch.Reduce": "reduce"}
_APPLIED = {f"{name}.forward": kind for name, kind in _LAYERS.items()}


def evaluate_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a call of einops."""
    if name in _LAYERS:
        # called later, with the tensor after the constructor's arguments
        forward = v.External(f"{name}.forward")
        if arguments.is_open:
            return UNKNOWN_VALUE
        return v.PartialValue(forward, arguments.positional, arguments.keywords)
    if name == "einops.einsum":
        return _einsum(it, arguments, node)
    kind = _FUNCTIONS.get(name) or _APPLIED.get(name)
    if kind is None or arguments.open_positional:
        return UNKNOWN_VALUE
    operands, axes = list(arguments.positional), dict(arguments.keywords)
    count = 3 if kind == "reduce" else 2
    if name in _APPLIED and len(operands) > 1:
        operands = [operands[-1], *operands[:-1]]
    for role in ("tensor", "pattern", "reduction")[:count]:
        if role in axes:
            operands.insert(("tensor", "pattern", "reduction").index(role), axes.pop(role))
    if len(operands) != count:
        return UNKNOWN_VALUE
    text = v.known(operands[1], str)
    pattern = None if text is None else patterns.parsed(text)
    tensor = _as_tensor(it, operands[0])
    if tensor is None:
        return UNKNOWN_VALUE
    if pattern is None:
        return TensorFact()
    call = Call(name, {"input": tensor}, it.context(node))
    sizes = {axis: v.as_dim(size) for axis, size in axes.items()}
    try:
        return patterns.applied(call, kind, pattern, sizes, arguments.open_keywords)
    except Broken as broken:
        it.report(with_call(it, [broken.fault], name, arguments))
        return broken.result


def _einsum(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `einops.einsum(*tensors, pattern)`."""
    *operands, last = arguments.positional or (UNKNOWN_VALUE,)
    tensors = [one for one in operands if isinstance(one, TensorFact)]
    text = v.known(last, str)
    if text is None or not tensors or len(tensors) < len(operands) or arguments.open_positional:
        return UNKNOWN_VALUE
    call = Call("einops.einsum", {f"operand{i}": one for i, one in enumerate(tensors)}, it.context(node))
    try:
        return patterns.summed(call, text, tensors) or UNKNOWN_VALUE
    except Broken as broken:
        it.report(with_call(it, [broken.fault], "einops.einsum", arguments))
        return broken.result


def _as_tensor(it: Evaluator, value: Value) -> TensorFact | None:
    """Returns the tensor to rearrange.

    That a parameter is a tensor is an assumption: it may be an array or a list.
    """
    if isinstance(value, v.Parameter) and not value.is_other:
        fact = assumed_tensors.assumed_tensor(value)
        return fact.but(assumed=fact.assumed | {"tensor"})
    return value if isinstance(value, TensorFact) else None


LIBRARY = Library(package="einops", call=evaluate_call)
