"""Detects misuse of `.grad`, `.data`, `requires_grad`, `deepcopy` and grad modes in single statements.

That is `.grad` of non-leaf tensors, `.data` of tensors in a graph, misspelled `requires_grad`, `deepcopy` of tensors in a graph,
grad modes that are not entered, and parameters that are not leaves. Each function is called where its statement or expression
runs, and returns at once where its pattern does not occur.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.autograd.run_without_grad import is_run_without_grad
from torchlsp.interp.checks.autograd.wanted_gradients import is_gradient_wanted
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, context_managers, decorator_names
from torchlsp.interp.model.reporting import fault, is_in_graph
from torchlsp.interp.store import state
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BACKWARD, RETAINED
from torchlsp.program import ir
from torchlsp.program.walking import dotted, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments

_ALIKE = 0.85
"""The least similarity of a name that is meant for `requires_grad`; `require_grad` has 0.96, `requires_norm` 0.69."""


_NEGLIGIBLE = -1e4
"""The exponential of this is 0 in float32, beside numbers that networks compute."""


# ---- .grad and .data ----------------------------------------------------------------------------------------------------


def report_read(it: Evaluator, tensor: TensorFact, name: str, node: ir.Node) -> None:
    """Reports a read of `.data` of a tensor in a graph, or of `.grad` that such a tensor does not retain."""
    if not is_in_graph(tensor):
        return
    if name == "data":
        fault(it, FaultKind.DATA, node, "Tensor.data", input=tensor)
    elif not _is_retained(it, tensor):
        backward = it.state.heap.get(("*", BACKWARD))
        fault(it, FaultKind.NON_LEAF_GRAD, node, "Tensor.grad", input=tensor, backward=backward)


def report_data_write(it: Evaluator, tensor: Value, node: ir.Node) -> None:
    """Reports a write like `x.data += …`; to a leaf only after a backward, since before that it is initialised.

    Such a write to a leaf is most often an optimizer's step by hand. It is harmless unless the graph is used again.
    """
    if type(tensor) is not TensorFact or tensor.grad.requires is not Tri.YES:
        return
    is_leaf = tensor.grad.leaf is Tri.YES
    if not is_leaf or it.state.heap.get(("*", BACKWARD)) is not None:
        fault(it, FaultKind.DATA_WRITE, node, "Tensor.data", input=tensor, written=None, harmless=is_leaf)


def report_write_through_data(it: Evaluator, read: TensorFact, node: ir.Node) -> None:
    """Reports an in-place write to what `.data` of a tensor in a graph has given: `x.data.clamp_(…)`, `spoil(x.data)`."""
    origin = read.origin
    if origin is None or not origin.parents or not is_in_graph(origin.parents[0]):
        return
    if is_straight_through(node):
        return
    if _is_part_of_leaf(origin.parents[0]):
        return  # as a write to `.data` of the leaf itself, an initialization
    written = Origin(node.start, node.end, "", (), it.frame.module.path)
    data = (("input", origin.parents[0]), ("written", written), ("harmless", _masks_out(it, node)))
    it.report([Fault(FaultKind.DATA_WRITE, origin.start, origin.end, "Tensor.data", data, path=origin.path)])


def is_straight_through(node: ir.Node) -> bool:
    """Returns whether a statement is `x.data += y - x.data`: it gives a tensor other values, and leaves its gradient on purpose."""
    match node:
        case ir.Augmented(op="+", value=ir.Binary(op="-", right=ir.Attribute(name="data") as read)):
            return bool(dotted(read)) and dotted(read) == dotted(node.target)
    return False


def _masks_out(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a call writes numbers so small that softmax makes 0 of them: their gradients are 0 either way."""
    match node:
        case ir.Call(function=ir.Attribute(name="masked_fill_"), args=(_, filled), keywords=()):
            return _is_negligible(it, filled)
        case ir.Call(function=ir.Attribute(name="masked_fill_"), args=(_,), keywords=(("value", filled),)):
            return _is_negligible(it, filled)
        case ir.Subscript():  # `scores.data[padding] = -10000.0`
            function = it.frame.function
            body = it.frame.module.ir.body if function is None else function.body
            written = [
                one
                for one in walk(body)
                if type(one) is ir.Assign and (one.start, one.end) == it.frame.statement
            ]
            return bool(written) and _is_negligible(it, written[0].value)
    return False


def _is_negligible(it: Evaluator, node: ir.Node) -> bool:
    match node:
        case ir.Unary(
            op="-", operand=ir.Call(function=ir.Name(id="float"), args=(ir.Constant(value="inf"),))
        ):
            return True
        case ir.Call(function=ir.Name(id="float"), args=(ir.Constant(value="-inf"),)):
            return True
        case ir.Attribute(name=name, object=ir.Name()) if isinstance(it.frame.owner, v.ClassValue):
            cls = it.frame.owner.ir
            init = None if cls is None else cls.methods.get("__init__")
            assigned = [
                one.value
                for one in walk(init.body if init is not None else ())
                if type(one) is ir.Assign and any(getattr(to, "name", "") == name for to in one.targets)
            ]
            if len(assigned) == 1 and type(assigned[0]) is not ir.Attribute:
                return _is_negligible(it, assigned[0])
    number = v.known(it.eval(node), (int, float))
    return isinstance(number, (int, float)) and number <= _NEGLIGIBLE


def _is_part_of_leaf(tensor: TensorFact) -> bool:
    """Returns whether a tensor is a view of a leaf, or of a view of one."""
    while tensor.origin is not None and tensor.origin.parents and tensor.storage.ids is not None:
        base = tensor.origin.parents[0]
        if base.storage.ids != tensor.storage.ids:
            return False
        if base.grad.leaf is Tri.YES:
            return True
        tensor = base
    return False


def record_backward(it: Evaluator) -> None:
    """Records the statement of the last backward."""
    function = it.frame.function
    place = Origin(
        *it.frame.statement, "" if function is None else function.qualname, (), it.frame.module.path
    )
    it.state.set(it.state.heap, ("*", BACKWARD), place)


def record_retained(it: Evaluator, value: Value) -> None:
    """Records that `.grad` of a tensor, or of what may be any, is retained from here on, or that a program has assigned it."""
    ids = value.storage.ids if type(value) is TensorFact else None
    for storage in sorted(ids or ("*",)):
        it.state.set(it.state.heap, (storage, RETAINED), True)


def _is_retained(it: Evaluator, tensor: TensorFact) -> bool:
    heap = it.state.heap
    ids = tensor.storage.ids
    return ids is None or ("*", RETAINED) in heap or any((storage_id, RETAINED) in heap for storage_id in ids)


# ---- attributes that autograd does not know ------------------------------------------------------------------------------


def report_assignment(it: Evaluator, target: Value, node: ir.Attribute, value: Value) -> None:
    """Reports an assignment to an attribute that is, or is meant for, `requires_grad`.

    On a tensor only a misspelling is reported, on a module the name itself too.
    """
    name = node.name
    if type(target) is TensorFact:
        if name == "grad":
            record_retained(it, target)
        elif name != "requires_grad" and _is_meant_for_requires_grad(name):
            differs = target.grad.requires is not Tri.of(value == v.TRUE) or not isinstance(value, v.Scalar)
            is_name = type(node.object) is ir.Name
            if value == v.TRUE:
                wanted = not is_name or differs and is_gradient_wanted(it, node.object)
            else:
                wanted = differs
            fault(
                it,
                FaultKind.GRAD_ATTRIBUTE,
                node,
                name,
                input=target,
                module=False,
                value=value,
                wanted=wanted,
            )
    elif _is_plain_module(it, target, node) and _is_meant_for_requires_grad(name):
        wanted = value != v.FALSE or not is_run_without_grad(it, node.object)
        fault(it, FaultKind.GRAD_ATTRIBUTE, node, name, input=None, module=True, value=value, wanted=wanted)


def _is_meant_for_requires_grad(name: str) -> bool:
    """Returns whether a name is `requires_grad` or a misspelling of it."""
    if name == "requires_grad" or not name.startswith("re") or "g" not in name:
        return name == "requires_grad"
    from difflib import SequenceMatcher

    return SequenceMatcher(None, name, "requires_grad").ratio() >= _ALIKE


def _is_plain_module(it: Evaluator, target: Value, node: ir.Attribute) -> bool:
    """Returns whether a target is a module whose class defines neither the attribute nor `__setattr__`.

    An assignment to `self` in a method may be what defines the attribute.
    """
    match target:
        case v.LayerValue():
            return True
        case v.Wrapped(module=module):
            return _is_plain_module(it, module, node)
        case v.InstanceValue(cls=cls):
            if not classes.is_module(cls) or classes.has_unknown_base(cls):
                return False
            function = next(
                (frame.function for frame in reversed(it.frames) if frame.owner is not None), None
            )
            if function is not None and type(node.object) is ir.Name:
                if function.params and function.params[0].name == node.object.id:
                    return False
            defined = classes.class_default(cls, node.name) is not state.MISSING
            return not defined and classes.find_method(cls, "__setattr__") is None
    return False


# ---- copies -------------------------------------------------------------------------------------------------------------


def report_deepcopy(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Reports `copy.deepcopy` of a tensor in a graph.

    Also of a list, tuple or dict of them, and of an object that has one as an attribute.
    """
    if is_in_graph(value):
        fault(it, FaultKind.DEEPCOPY, node, "copy.deepcopy", input=value, name=None)
    elif (found := _in_graph_inside(it, value)) is not None:
        fault(it, FaultKind.DEEPCOPY, node, "copy.deepcopy", input=found[1], name=found[0])
    elif isinstance(value, v.InstanceValue) and classes.find_method(value.cls, "__deepcopy__") is None:
        heap = it.state.heap
        for name in heap.get((value.ref, ATTRIBUTES), ()):
            held = heap.get((value.ref, name))
            if is_in_graph(held):
                fault(it, FaultKind.DEEPCOPY, node, "copy.deepcopy", input=held, name=name)
                return


def _in_graph_inside(it: Evaluator, value: Value) -> tuple[str, TensorFact] | None:
    """Returns a tensor in a graph that is certainly in a list, tuple or dict, after its index or key."""
    content = it.state.heap.get((value.ref, "{}")) if isinstance(value, v.DictRef) else None
    if not isinstance(content, dict):
        content = {f"[{index}]": item for index, item in enumerate(it.elements(value) or ())}
    return next(((str(key), item) for key, item in content.items() if is_in_graph(item)), None)


# ---- modes that are not entered -----------------------------------------------------------------------------------------


def report_not_entered(it: Evaluator, node: ir.Call, manager: v.ContextValue) -> None:
    """Reports a context manager that is a whole statement, as `torch.no_grad()`, and so has no effect."""
    if manager.modes and manager.name in context_managers.MANAGERS:
        modes = dict(manager.modes)
        if modes.get("autocast") is Tri.NO:
            return  # a disabled autocast would have no effect either
        fault(
            it, FaultKind.MODE_NOT_ENTERED, node, manager.name, manager=manager.name, called_for=True, **modes
        )


def report_entered_class(it: Evaluator, node: ir.Node, name: str) -> None:
    """Reports `with torch.no_grad:`, which enters the class instead of an instance."""
    if name in context_managers.MANAGERS:
        fault(it, FaultKind.MODE_NOT_ENTERED, node, name, manager=name, called_for=False)


# ---- parameters that are not leaves -------------------------------------------------------------------------------------

_CONVERSIONS = frozenset("to cuda cpu float double half bfloat16 type".split())


def report_non_leaf_parameter(it: Evaluator, value: TensorFact, node: ir.Assign) -> None:
    """Reports an assignment that keeps only the conversion of a leaf which its expression creates."""
    if all(type(target) is ir.Attribute and target.name == "data" for target in node.targets):
        return  # the parameter whose values these become stays one
    origin, source = value.origin, node.value
    first = _first_call(source)
    if origin is None or not origin.parents or first is None:
        return
    leaf = origin.parents[0]
    made = leaf.origin
    if leaf.grad.requires is not Tri.YES or leaf.grad.leaf is not Tri.YES or made is None:
        return
    if not first.start <= made.start < made.end <= first.end or made.path != origin.path:
        return  # also where it is another operand than the one that the expression begins with
    name = origin.op.rpartition(".")[2]
    is_parameter = leaf.provenance == "parameter"
    if name not in _CONVERSIONS and not is_parameter or origin.start != source.start:
        return
    if not is_parameter and made.op.rpartition(".")[2] in _FROM_LEAVES:
        return
    assumptions: frozenset[str] = frozenset()
    if not is_in_graph(value):
        if (
            value.device is None
            or not value.device.relative
            or leaf.device is None
            or leaf.device.kind != "cpu"
        ):
            return
        if value.dtype is None or value.dtype != leaf.dtype:
            return
        assumptions = frozenset({"cuda"})  # where there is none, `to` gives the leaf itself
    if _is_retained_by_name(it, node) or not is_parameter and _is_differentiated_for(it, node):
        return
    called = Called(f"Tensor.{name}", (leaf,))
    fault(
        it, FaultKind.NON_LEAF_PARAMETER, source, origin.op, assumptions, called,
        input=leaf, result=value, parameter=is_parameter, wanted=any(is_gradient_wanted(it, one) for one in node.targets),
    )  # fmt: skip


def _first_call(source: ir.Node) -> ir.Call | None:
    """Returns the call of whose result an expression is a method or arithmetic, as `made(…)` in `made(…).to(…) * 2`."""
    inner = source
    while True:
        match inner:
            case ir.Call(function=ir.Attribute(object=ir.Call() as receiver)):
                inner = receiver
            case ir.Binary(left=ir.Call() as receiver):
                inner = receiver
            case _:
                return inner if inner is not source and type(inner) is ir.Call else None


_FROM_LEAVES = frozenset({"requires_grad_"})


def _assigned(it: Evaluator, value: TensorFact, node: ir.Assign) -> None:
    report_non_leaf_parameter(it, value, node)


_RETURNING_GRADIENTS = frozenset({
    "torch.autograd.grad", "torch.autograd.gradcheck", "torch.autograd.gradgradcheck",
    "torch.autograd.gradcheck.gradcheck", "torch.autograd.gradcheck.gradgradcheck",
})  # fmt: skip
"""Functions that differentiate by tensors which they are given, leaves or not, and leave `.grad` alone."""


def _is_differentiated_for(it: Evaluator, node: ir.Assign) -> bool:
    """Returns whether the running code passes an assigned name to a function that returns gradients, and needs no `.grad`."""
    names = {target.id for target in node.targets if isinstance(target, ir.Name)}
    body = it.frame.module.ir.body if it.frame.function is None else it.frame.function.body
    is_passed = False
    for one in walk(body):
        if isinstance(one, ir.Attribute):
            if one.name == "backward" or one.name == "grad" and getattr(one.object, "id", "") in names:
                return False
        elif isinstance(one, ir.Call) and not is_passed:
            given = (*one.args, *(value for _, value in one.keywords))
            is_passed = (
                any(isinstance(inner, ir.Name) and inner.id in names for inner in walk(given))
                and decorator_names.dotted(it, one.function, None) in _RETURNING_GRADIENTS
            )
    return is_passed


def _is_retained_by_name(it: Evaluator, node: ir.Assign) -> bool:
    """Returns whether the running code calls `retain_grad()` on a name that is assigned, before or after the assignment."""
    names = {target.id for target in node.targets if isinstance(target, ir.Name)}
    body = it.frame.module.ir.body if it.frame.function is None else it.frame.function.body
    return any(
        isinstance(one, ir.Attribute)
        and one.name == "retain_grad"
        and isinstance(one.object, ir.Name)
        and one.object.id in names
        for one in walk(body)
    )


def _statement(it: Evaluator, node: ir.Call, result: Value) -> None:
    if type(result) is v.ContextValue:
        report_not_entered(it, node, result)


def _backward(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    record_backward(it)


HOOKS = Hooks(assigned=_assigned, statement=_statement, backward=_backward)
