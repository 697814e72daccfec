"""Detects a backward of an autograd Function that returns another number of gradients than forward takes inputs.

torch takes a tuple as that many gradients and anything else, a list included, as one. What is beyond the number of inputs may be None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, decorator_names
from torchlsp.interp.model.reporting import fault
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_BACKWARD = frozenset({"backward", "vjp"})
_BASES = frozenset({
    "torch.autograd.Function", "torch.autograd.function.Function", "torch.autograd.function.InplaceFunction", "builtins.object",
})  # fmt: skip
_KEEPING = frozenset({
    "builtins.staticmethod", "torch.autograd.function.once_differentiable", "torch.amp.custom_fwd", "torch.amp.custom_bwd",
    "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "torch.no_grad", "torch.enable_grad",
})  # fmt: skip
"""Decorators that change neither the parameters nor what is returned."""


def _returned(it: Evaluator, value: Value) -> None:
    function, cls = it.frame.function, it.frame.owner
    if function is None or cls is None or function.name not in _BACKWARD or cls.ir is None:
        return
    if cls.ir.methods.get(function.name) is not function or not classes.is_function_of_autograd(cls):
        return
    start = it.frame.statement[0]
    node = next(
        (one for one in scope_nodes(function.body) if type(one) is ir.Return and one.start == start), None
    )
    inputs = _inputs(it, cls, function) if node is not None and node.value is not None else None
    if node is None or node.value is None or inputs is None:
        return
    returned = 1 if _is_no_tuple(node.value) else _gradients(value, inputs)
    if returned is not None and returned != inputs:
        gives = not (type(value) is v.TupleValue and all(item == v.NONE for item in value.items))
        fault(
            it, FaultKind.FUNCTION_GRADIENTS, node.value, function.name, returned=returned, inputs=inputs, gives=gives
        )  # fmt: skip


def _inputs(it: Evaluator, cls: v.ClassValue, backward: ir.Function) -> int | None:
    """Returns the number of inputs that each `apply` of a class gives to `forward`; None if it is not known.

    `apply` gives no defaults, and a class that others derive from may be there for a `forward` of theirs only.
    """
    bases = classes.mro(cls)
    if any(not isinstance(base, v.ClassValue | v.External) for base in bases) or cls.ir.decorators:
        return None
    if any(isinstance(base, v.External) and base.name not in _BASES for base in bases):
        return None
    forward = classes.find_method(cls, "forward")
    if forward is None or _is_base_or_called(it, cls, backward.name):
        return None
    for owner, method in (forward, (cls, backward)):
        names = decorator_names.decorator_names(it, method, owner.scope)
        if "builtins.staticmethod" not in names or not names <= _KEEPING:
            return None
    params = forward[1].params
    if any(param.kind != "positional" or param.default is not None for param in params):
        return None
    count = len(params) if _has(cls, "setup_context") else len(params) - 1
    return count if count > 0 else None


def _has(cls: v.ClassValue, name: str) -> bool:
    return any(isinstance(base, v.ClassValue) and name in base.ir.methods for base in classes.mro(cls))


def _is_base_or_called(it: Evaluator, cls: v.ClassValue, name: str) -> bool:
    """Returns whether a class of the file derives from a class, or code of the file calls its backward itself."""
    own = cls.ir.name
    module = it.frame.module.ir
    for other in module.classes:
        if any(type(base) is ir.Name and base.id == own for base in other.bases):
            return True
    bodies = [module.body, *(function.body for function in module.functions)]
    return any(
        type(node) is ir.Attribute
        and node.name == name
        and type(node.object) is ir.Name
        and node.object.id == own
        for body in bodies
        for node in scope_nodes(body)
    )


def _is_no_tuple(node: ir.Node) -> bool:
    """Returns whether an expression has an operator that no tuple has, as `-grad` or `grad / 2`."""
    return (
        type(node) is ir.Binary
        and node.op in ("-", "/", "//", "@", "**")
        or type(node) is ir.Unary
        and node.op in ("-", "~")
    )


def _gradients(value: Value, inputs: int) -> int | None:
    """Returns how many gradients torch takes a returned value for; None if it is not known.

    A parameter of backward itself is a tensor or None.
    """
    if isinstance(value, TensorFact | v.ListRef | v.Parameter):
        return 1
    if type(value) is not v.TupleValue:
        return None
    count = len(value.items)
    beyond = value.items[inputs:]
    if all(item == v.NONE for item in beyond):
        return min(count, inputs)
    return (
        count if any(isinstance(item, TensorFact | v.Scalar) and item != v.NONE for item in beyond) else None
    )


HOOKS = Hooks(returned=_returned)
