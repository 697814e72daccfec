"""Decides which values hold trainable parameters, and which attributes `__init__` creates itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.model import classes, module_tree
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, GRAD
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

INDIRECT_ACCESS = frozenset(
    """named_parameters named_modules named_children modules children get_submodule get_parameter _modules _parameters setattr
    __dict__ vars globals locals exec functional_call register_forward_hook register_forward_pre_hook register_hook
    register_full_backward_hook register_comm_hook no_sync join autograd detach find_unused_parameters static_graph
    _set_static_graph require_backward_grad_sync add_module register_module register_parameter __getattr__ __setattr__
    __getattribute__ attrgetter methodcaller parameters_to_vector import_module""".split()
)
"""Names that reach parameters without naming them, or that decide for which parameters a backward pass waits."""


def may_be_module(instance: v.InstanceValue) -> bool:
    """Returns whether an object of the workspace may be a module."""
    return classes.is_module(instance.cls) or classes.has_unknown_base(instance.cls)


def has_trainable_parameters(it: Evaluator, value: Value) -> bool:
    """Returns whether a value certainly holds parameters that require grad."""
    heap = it.state.heap
    if isinstance(value, TensorFact):
        grad = value.grad
        return value.provenance == "parameter" and grad.requires is Tri.YES and grad.leaf is Tri.YES
    for part in module_tree.submodules(it, value):
        if heap.get((part.ref, GRAD), Tri.YES) is not Tri.YES or (part.ref, BASE) in heap:
            continue
        if isinstance(part, v.LayerValue) and part.qualname.startswith("torch.nn."):
            row = ops.layer(part.qualname)
            if row is not None and row.owns_parameters:
                if all(part[name] != v.FALSE for name in ("affine", "elementwise_affine")):
                    return True
        elif isinstance(part, v.InstanceValue):
            names = heap.get((part.ref, ATTRIBUTES), ())
            tensors = (heap.get((part.ref, name)) for name in names)
            if any(isinstance(one, TensorFact) and has_trainable_parameters(it, one) for one in tensors):
                return True
    return False


def is_disjoint(it: Evaluator, value: Value, reached: set[str]) -> bool:
    """Returns whether neither a module nor any of its submodules is in `reached`, a set of refs."""
    return all(part.ref not in reached for part in module_tree.submodules(it, value))


def created_in_init(init: ir.Function) -> dict[str, ir.Call]:
    """Returns the attributes that the body of `__init__` sets to new objects, and the calls that create them."""
    own = init.params[0].name
    found: dict[str, ir.Call] = {}
    for statement in init.body:
        if type(statement) is not ir.Assign or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        pairs = [(target, value)]
        if type(target) is ir.Display and type(value) is ir.Display and len(target.items) == len(value.items):
            pairs = list(zip(target.items, value.items))
        for one, made in pairs:
            if type(one) is ir.Attribute and type(one.object) is ir.Name and one.object.id == own:
                if type(made) is ir.Call and not _is_handed_on(made):
                    found[one.name] = made
    return found


def _is_handed_on(made: ir.Call) -> bool:
    """Returns whether a new object may hold one that was created elsewhere.

    It may in `Tied(self.encoder)`, `Stack(*layers)` and `Stack([a, b])`. A bare name, as in `Head(size)`, is taken for something else than a module.
    """
    for part in (*made.args, *(value for _, value in made.keywords)):
        if type(part) in (ir.Starred, ir.Display) or any(key is None for key, _ in made.keywords):
            return True
        if type(part) is ir.Attribute and type(part.object) is ir.Name and part.object.id == "self":
            return True
    return False


def is_string_or_path_receiver(node: ir.Node) -> bool:
    """Returns whether `join` is that of a string or `os.path`, and not that of a distributed wrapper."""
    return type(node) is ir.Constant or last_name(node) == "path"


def last_name(node: ir.Node) -> str:
    """Returns `b` for `a.b`, `a` for `a`, "" for any other expression."""
    return node.name if type(node) is ir.Attribute else node.id if type(node) is ir.Name else ""
