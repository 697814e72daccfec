"""Evaluates distributions of `torch.distributions`: the shape, dtype, device and gradient of samples and log-probabilities.

A distribution stays an unknown value (`facts.values.Distribution`): only what its methods give is known. What an
argument of theirs must be is not checked here.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import NotImplementedType
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import values as v
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, UNKNOWN_GRAD, UNKNOWN_TENSOR, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.objects.library import Library
from torchlsp.ops.call import Call
from torchlsp.ops.columns import grad_through
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


@dataclass(frozen=True, slots=True)
class Family:
    """What the constructor of a distribution takes, and what it gives.

    `parameters` broadcast to the shape of a sample; of `either` exactly one is given. `event`: the number of dims of an event.
    `is_index`: a sample is the index in the last dim of the parameter. `mean` and `mode` are parameters.
    """

    parameters: tuple[str, ...]
    either: bool = False
    event: int = 0
    is_index: bool = False
    mean: str = ""


_LOGITS = ("probs", "logits")
_FAMILIES = {
    "Normal": Family(("loc", "scale"), mean="loc"),
    "LogNormal": Family(("loc", "scale")),
    "Laplace": Family(("loc", "scale"), mean="loc"),
    "Gumbel": Family(("loc", "scale")),
    "Uniform": Family(("low", "high")),
    "Beta": Family(("concentration1", "concentration0")),
    "Gamma": Family(("concentration", "rate")),
    "Exponential": Family(("rate",)),
    "Poisson": Family(("rate",)),
    "Bernoulli": Family(_LOGITS, either=True, mean="probs"),
    "Categorical": Family(_LOGITS, either=True, is_index=True),
    "OneHotCategorical": Family(_LOGITS, either=True, event=1, mean="probs"),
    "Dirichlet": Family(("concentration",), event=1),
}
_DISCRETE = frozenset({"Bernoulli", "Categorical", "OneHotCategorical", "Poisson"})
"""Distributions without `rsample`."""
_ENTROPY_OF_ALL = frozenset(
    {"Bernoulli", "Categorical", "OneHotCategorical", "Dirichlet", "Beta", "Gamma", "Exponential"}
)
"""Distributions whose entropy depends on every parameter."""
_METHODS = frozenset({"sample", "rsample", "log_prob", "entropy"})


def _call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Evaluates the constructor of a distribution, and `kl_divergence` of two."""
    if not name.startswith("torch.distributions."):
        return NotImplemented
    last = name.rpartition(".")[2]
    given = dict(arguments.keywords)
    if arguments.is_open:
        return NotImplemented
    if last == "kl_divergence" and len(arguments.positional) == 2:
        return _divergence(it, *arguments.positional, node)
    if last == "Independent" and arguments.positional:
        return _independent(it, arguments.positional[0], arguments, node)
    family = _FAMILIES.get(last)
    if family is None:
        return NotImplemented
    named = dict(zip(family.parameters, arguments.positional, strict=False)) | given
    values = [(role, named[role]) for role in family.parameters if named.get(role, v.NONE) != v.NONE]
    if len(values) != (1 if family.either else len(family.parameters)):
        return NotImplemented
    return _made(it, last, family, values, node)


def _made(
    it: Evaluator, name: str, family: Family, values: list[tuple[str, Value]], node: ir.Node
) -> v.Distribution:
    call = Call(f"torch.distributions.{name}", dict(values), it.context(node))
    facts = {role: value if isinstance(value, TensorFact) else UNKNOWN_TENSOR for role, value in values}
    numbers = {
        role for role, value in values if isinstance(value, v.Scalar) and value.kind in ("int", "float")
    }
    tensors = [fact for role, fact in facts.items() if role not in numbers]
    sample = _broadcast(it, call, tensors)
    parts = {}
    for role, fact in facts.items():
        grad = NO_GRAD if role in numbers else grad_through(call, (fact,), fact.dtype)
        shape = fact.shape if family.either else sample.shape
        parts[role] = call.make(shape, sample.dtype, sample.device, grad=grad)
    if family.either:
        # the other one is computed from it
        of = next(iter(parts.values()))
        parts = dict.fromkeys(
            family.parameters, of.but(grad=grad_through(call, tuple(facts.values()), of.dtype))
        )
    if family.is_index and sample.shape is not None:
        sample = sample.but(shape=sample.shape[:-1]) if sample.shape else UNKNOWN_TENSOR
    return v.Distribution(family=name, sample=sample, event=family.event, parts=tuple(parts.items()))


def _broadcast(it: Evaluator, call: Call, tensors: list[TensorFact]) -> TensorFact:
    """Returns what several parameters broadcast to; of numbers alone a tensor without dims."""
    if not tensors:
        return call.make((), call.context.default_dtype, call.context.default_device, grad=NO_GRAD)
    found: TensorFact | None = tensors[0]
    for other in tensors[1:]:
        found = found and _elementwise(it, call, found, other)
    if found is None:
        return UNKNOWN_TENSOR
    dtype = found.dtype if found.dtype is not None and dtypes.can_require_grad(found.dtype) else None
    return call.make(found.shape, dtype, found.device, grad=grad_through(call, tuple(tensors), dtype))


def _elementwise(it: Evaluator, call: Call, left: Value, right: Value) -> TensorFact | None:
    row = ops.operator("torch.add")
    assert row is not None
    found, faults = row.apply(call.name, Arguments((left, right)), call.context)
    return found if isinstance(found, TensorFact) and not faults else None


def _independent(
    it: Evaluator, base: Value, arguments: Arguments, node: ir.Node
) -> Value | NotImplementedType:
    """Evaluates `Independent(base, n)`: the last n dims of the batch become dims of the event."""
    count = dict(arguments.keywords).get("reinterpreted_batch_ndims", UNKNOWN_VALUE)
    if len(arguments.positional) > 1:
        count = arguments.positional[1]
    dims = v.as_int(count)
    if not isinstance(base, v.Distribution):
        return NotImplemented
    event = None if dims is None or dims < 0 or base.event is None else base.event + dims
    return v.Distribution(family=base.family, sample=base.sample, event=event, parts=base.parts)


def _divergence(it: Evaluator, left: Value, right: Value, node: ir.Node) -> Value:
    if not isinstance(left, v.Distribution) or not isinstance(right, v.Distribution):
        return UNKNOWN_VALUE
    call = Call("torch.distributions.kl_divergence", {}, it.context(node))
    found = _elementwise(it, call, left.sample, right.sample)
    if found is None:
        return UNKNOWN_TENSOR
    one, other = (_parameters(one) for one in (left, right))
    grad = grad_through(call, (*one, *other), found.dtype)
    return call.make(
        _batch(found.shape, left.event), found.dtype, found.device, grad=grad, parents=(*one, *other)
    )


def _parameters(distribution: v.Distribution) -> tuple[TensorFact, ...]:
    return tuple(part for _, part in distribution.parts) or (distribution.sample,)


def _batch(shape: Shape, event: int | None) -> Shape:
    """Returns a shape without the dims of an event."""
    if shape is None or event is None or event > len(shape):
        return None
    return shape[: len(shape) - event]


def attribute_of_distribution(distribution: v.Distribution, name: str) -> Value:
    """Evaluates an attribute: a parameter, a moment, or a method that is not called yet."""
    family, parts = _FAMILIES[distribution.family], dict(distribution.parts)
    if name in parts and distribution.event == family.event:
        return parts[name]
    if name == "mean" and family.mean:
        return parts[family.mean]
    if name in ("mean", "stddev", "variance", "mode") and not family.is_index:
        return distribution.sample.but(grad=UNKNOWN_GRAD)
    return v.BoundExternal(distribution, name) if name in _METHODS else UNKNOWN_VALUE


def method_of_distribution(
    it: Evaluator, distribution: v.Distribution, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    """Evaluates a method; None where it is not known."""
    call = Call(f"torch.distributions.{distribution.family}.{name}", {}, it.context(node))
    base, parameters = distribution.sample, _parameters(distribution)
    match name:
        case "sample" | "rsample":
            shape = _sample_shape(it, arguments)
            whole = None if shape is None or base.shape is None else (*shape, *base.shape)
            if name == "sample":
                dtype = "i64" if distribution.family == "Categorical" else base.dtype
                made = call.make(
                    whole, dtype, base.device, grad=NO_GRAD, storage=call.fresh_storage(), parents=parameters
                )
                return made
            if distribution.family in _DISCRETE:
                return None
            grad = grad_through(call, parameters, base.dtype)
            return call.make(whole, base.dtype, base.device, grad=grad, parents=parameters)
        case "log_prob" if len(arguments.positional) == 1 and not arguments.keywords:
            given = arguments.positional[0]
            value = given if isinstance(given, TensorFact) else UNKNOWN_TENSOR
            found = _elementwise(it, call, value, base)
            if found is None:
                return UNKNOWN_TENSOR
            grad = grad_through(call, (*parameters, value), found.dtype)
            shape = _batch(found.shape, distribution.event)
            return call.make(shape, found.dtype, found.device, grad=grad, parents=(*parameters, value))
        case "entropy" if not arguments.positional:
            grad = UNKNOWN_GRAD
            if distribution.family in _ENTROPY_OF_ALL or all(
                one.grad.requires is Tri.NO for one in parameters
            ):
                grad = grad_through(call, parameters, base.dtype)
            return call.make(
                _batch(base.shape, distribution.event), base.dtype, base.device, grad=grad, parents=parameters
            )
    return None


def _sample_shape(it: Evaluator, arguments: Arguments) -> tuple | None:
    """Returns the sizes that `sample` is asked for in front; None where they are not known."""
    given = dict(arguments.keywords)
    if arguments.is_open:
        return None
    value = arguments.positional[0] if arguments.positional else given.get("sample_shape")
    if value is None:
        return ()
    items = it.elements(value)
    sizes = None if items is None else tuple(v.as_dim(one) for one in items)
    return None if sizes is None or None in sizes else sizes


LIBRARY = Library(package="torch", call=_call)
