"""Resolves attributes and methods on classes of the workspace, in the order of their bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import decorator_names
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.interp.store.state import MISSING
from torchlsp.program import ir
from torchlsp.program.walking import walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def mro(cls: v.ClassValue) -> list[Value]:
    """Returns the class and its bases in Python's method resolution order.

    Of a base outside the workspace only the base itself is known.
    """
    if not cls.order:
        cls.order.extend(_mro(cls))
    return cls.order


def _mro(cls: v.ClassValue) -> list[Value]:
    found: list[Value] = [cls]
    bases: tuple[Value, ...] = cls.bases
    while len(bases) == 1:
        found.append(bases[0])
        bases = bases[0].bases if isinstance(bases[0], v.ClassValue) else ()
    if not bases:
        return found
    orders: list[list[Value]] = [mro(base) if isinstance(base, v.ClassValue) else [base] for base in bases]
    return found + _linearised([*orders, list(bases)])


def _linearised(orders: list[list[Value]]) -> list[Value]:
    """Merges orders as Python does (C3); if none is consistent (Python refuses the class), the first base is next."""
    merged: list[Value] = []
    orders = [order for order in orders if order]
    while orders:
        heads = [order[0] for order in orders]
        head = next((one for one in heads if not any(one in order[1:] for order in orders)), heads[0])
        merged.append(head)
        orders = [rest for order in orders if (rest := [one for one in order if one != head])]
    return merged


def is_module(cls: v.ClassValue) -> bool:
    """Returns whether the class certainly derives from torch.nn.Module."""
    return any(isinstance(base, v.External) and is_module_base(base.name) for base in mro(cls))


def is_module_base(name: str) -> bool:
    """Returns whether a dotted name is torch.nn.Module or a class that certainly derives from it."""
    return (
        name.startswith("torch.nn.") and ops.layer(name) is not None
        or name in ("torch.nn.Module", "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict")
        or name == "torch.jit.ScriptModule"
        or name.rpartition(".")[2] in ("LightningModule", "PreTrainedModel")
    )  # fmt: skip


def has_unknown_base(cls: v.ClassValue) -> bool:
    """Returns whether the class has a base whose attributes are not known."""
    return any(not isinstance(base, v.ClassValue) and not (
        isinstance(base, v.External) and (is_module_base(base.name) or base.name in _PLAIN_BASES)
    ) for base in mro(cls))  # fmt: skip


_PLAIN_BASES = frozenset({
    "builtins.object", "abc.ABC", "torch.utils.data.Dataset", "typing.Protocol", "torch.utils.data.IterableDataset",
    "typing.Generic", "enum.Enum",
})  # fmt: skip


def is_subclass(it: Evaluator, cls: v.ClassValue, other: Value) -> Tri:
    """Returns whether a class derives from another."""
    bases = mro(cls)
    if other in bases:
        return Tri.YES
    if isinstance(other, v.External) and other.name == "torch.nn.Module" and is_module(cls):
        return Tri.YES
    return Tri.NO if not has_unknown_base(cls) and isinstance(other, v.ClassValue) else Tri.UNKNOWN


def is_function_of_autograd(cls: v.ClassValue | None) -> bool:
    """Returns whether a class derives from torch.autograd.Function, whose methods torch calls."""
    names = [base.name for base in mro(cls) if isinstance(base, v.External)] if cls is not None else ()
    return any(name.startswith("torch.autograd.") and name.endswith("Function") for name in names)


def calls_own_forward(value: v.LayerValue | v.InstanceValue) -> bool:
    """Returns whether calling a module runs its attribute `forward`, which goes before the method of its class."""
    if isinstance(value, v.LayerValue):
        return True
    return is_module(value.cls) and find_method(value.cls, "__call__") is None


def find_method(cls: v.ClassValue, name: str) -> tuple[v.ClassValue, ir.Function] | None:
    """Returns the class and definition that a method call reaches; None if that is in a layer of torch, or may be in an unknown base."""
    for base in mro(cls):
        if isinstance(base, v.ClassValue):
            held = base.scope.variables.get(name, MISSING)
            if isinstance(held, v.FunctionValue) and held.scope is base.scope:
                return base, held.ir
            if held is not MISSING:
                return None
            function = base.ir.methods.get(name)
            if function is not None:
                return base, function
        elif not isinstance(base, v.External) or name in _OF_LAYERS and _is_layer(base.name):
            return None
    return None


_OF_LAYERS = frozenset({"__init__", "forward"})
"""Methods that each layer of torch has itself."""


def _is_layer(name: str) -> bool:
    return name.startswith("torch.nn.") and name != "torch.nn.Module"


def class_attribute(it: Evaluator, cls: v.ClassValue, name: str) -> Value:
    """Evaluates an attribute of a class: `Model.hidden`."""
    for base in mro(cls):
        if isinstance(base, v.ClassValue):
            value = base.scope.variables.get(name, MISSING)
            if value is not MISSING:
                if isinstance(value, v.Imported):
                    return UNKNOWN_VALUE
                if isinstance(value, v.FunctionValue):
                    receiver = None
                    if value.ir.decorators:
                        names = decorator_names.decorator_names(it, value.ir, base.scope)
                        if names & PROPERTIES:
                            return UNKNOWN_VALUE
                        receiver = cls if "builtins.classmethod" in names else None
                    return v.FunctionValue(value.ref, value.ir, value.scope, receiver, base)
                return value
        elif not isinstance(base, v.External):
            return UNKNOWN_VALUE
    return v.BoundExternal(cls, name)


PROPERTIES = frozenset({"builtins.property", "functools.cached_property"})


_FREE_NAMES, _NAMES_PER_STEP = 500, 100
"""How many attributes are looked up for nothing, and how many others take as long as a step."""


def forget(it: Evaluator, instance: v.InstanceValue, names: frozenset[str]) -> None:
    """Forgets the values of attributes that may have been assigned since the object was set up."""
    heap = it.state.heap
    it.steps += max(len(names) - _FREE_NAMES, 0) // _NAMES_PER_STEP
    for name in sorted([one for one in names if (instance.ref, one) in heap]):
        held = heap[(instance.ref, name)]
        it.state.set(heap, (instance.ref, name), _still_parameter(instance.cls, name, held) or one_of(held))


def _still_parameter(cls: v.ClassValue, name: str, held: Value) -> TensorFact | None:
    """Returns the fact of an attribute that is still a parameter: a module refuses to assign computed tensors to one."""
    if not isinstance(held, TensorFact) or held.provenance != "parameter" or held.grad.leaf is not Tri.YES:
        return None
    if not is_module(cls) or has_unknown_base(cls) or may_lose(cls, name):
        return None
    for base in mro(cls):
        for method in base.ir.methods.values() if isinstance(base, v.ClassValue) else ():
            for node in walk(method.body):
                if type(node) is ir.Assign and type(node.value) not in (ir.Binary, ir.Call):
                    if any(type(one) is ir.Attribute and one.name == name for one in node.targets):
                        return None
    grad = type(held.grad)(Tri.UNKNOWN, Tri.YES)
    return TensorFact(grad=grad, storage=held.storage, origin=held.origin, provenance="parameter")


_TAKING_AWAY = frozenset({"delattr", "__delattr__", "_parameters", "__dict__", "__setattr__", "setattr"})


def may_lose(cls: v.ClassValue, name: str) -> bool:
    """Returns whether a method may delete a parameter, so that anything can be assigned to its name."""
    for base in mro(cls):
        for method in base.ir.methods.values() if isinstance(base, v.ClassValue) else ():
            for node in walk(method.body):
                if type(node) is ir.Delete and any(getattr(one, "name", "") == name for one in node.targets):
                    return True
                if type(node) in (ir.Name, ir.Attribute) and word(node) in _TAKING_AWAY:
                    return True
    return False


def class_default(cls: v.ClassValue, name: str) -> Value:
    """Returns the value of an attribute that the object itself does not have; MISSING if its class has none."""
    for base in mro(cls):
        if isinstance(base, v.ClassValue):
            if base.scope is not None and name in base.scope.variables:
                return base.scope.variables[name]
        elif not isinstance(base, v.External):
            return UNKNOWN_VALUE
    return MISSING
