"""Detects losses of an unknown model that an operator without a gradient computes.

They are found from the statements alone: `(model(x) > 0.5).float().mean()` is in no graph whatever the model is. A loss
compares such values with labels, which are in no graph either; a plain name there is taken for labels.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.interp.model.reporting import fault
from torchlsp.ops.tensor import undifferentiable
from torchlsp.program import ir
from torchlsp.program.reading import bound_to, unpacked_from

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_NON_DIFFERENTIABLE = frozenset(
    "argmax argmin argsort long int short bool eq ne lt le gt ge greater less greater_equal less_equal not_equal isclose".split()
)
_PASS_THROUGH = frozenset(
    "float double half bfloat16 to type mean sum view reshape squeeze unsqueeze flatten clamp abs neg item_ cpu cuda pow sqrt".split()
)
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits cross_entropy nll_loss "
    "MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss CrossEntropyLoss NLLLoss".split()
)
_MAX_DEPTH = 12


class _Cut:
    """The first operator that cuts the graph, and whether a name was assumed to be labels."""

    def __init__(self) -> None:
        self.operator: ir.Node | Origin | None = None
        self.name = ""
        self.assumes_labels = False


def report_backward(it: Evaluator, node: ir.Node) -> None:
    """Reports `loss.backward()` where the statements that compute the loss show that it is in no graph.

    Called for a loss of which it is not known whether it requires grad.
    """
    if it.silent or type(node) is not ir.Call or type(node.function) is not ir.Attribute:
        return
    function, cut = it.frame.function, _Cut()
    body = it.frame.module.ir.body if function is None else function.body
    if not _cuts_graph(it, node.function.object, body, node.start, cut, 0) or cut.operator is None:
        return
    origin = Origin(cut.operator.start, cut.operator.end, cut.name, (), it.frame.module.path)
    assumptions: frozenset[str] = frozenset({"labels"}) if cut.assumes_labels else frozenset()
    fault(
        it, FaultKind.NO_DERIVATIVE, node, "Tensor.backward", assumptions, input=None, cut=origin, flat=False
    )


def _cuts_graph(
    it: Evaluator, node: ir.Node, body: tuple[ir.Node, ...], before: int, cut: _Cut, depth: int
) -> bool:
    """Returns whether an expression is certainly a tensor in no graph, or a number.

    The operator that cuts the graph is recorded in `cut`. `body` holds the statements that bind its names, all of them before the offset `before`.
    """
    if depth > _MAX_DEPTH:
        return False

    def is_cut(inner: ir.Node) -> bool:
        return _cuts_graph(it, inner, body, before, cut, depth + 1)

    match node:
        case ir.Constant(value=int() | float()):
            return True
        case ir.Name(id=name):
            sources = list(islice(unpacked_from(body, name), 2))
            if len(sources) != 1 or sources[0].end > before:
                return False
            source = sources[0]
            if not any(bound is source for bound in bound_to(body, name)):
                return _is_index(source, body, name) and _record(cut, source, "max")
            value = it.lookup(name)
            origin = undifferentiable.cut_by(value) if type(value) is TensorFact else None
            return is_cut(source) if origin is None else _record(cut, origin, origin.op)
        case ir.Compare(ops=(op,)) if op in _COMPARISONS:
            return _record(cut, node, "gt")
        case ir.Binary(left=left, right=right, op=op) if op in ("+", "-", "*", "/"):
            return is_cut(left) and is_cut(right)
        case ir.Unary(op="-", operand=inner):
            return is_cut(inner)
        case ir.Call(function=ir.Attribute(object=receiver, name=name), args=args):
            library = _name(it, node.function)
            if library is None:
                if name in _NON_DIFFERENTIABLE:
                    return _record(cut, node, name)
                return (
                    name in _PASS_THROUGH
                    and all(type(arg) is not ir.Starred for arg in args)
                    and is_cut(receiver)
                )
            if library.startswith("torch.") and name in _NON_DIFFERENTIABLE:
                return _record(cut, node, name)
            return _is_loss(library) and bool(args) and is_cut(args[0]) and _are_labels(args[1:], is_cut, cut)
        case ir.Call(args=args) if args:
            library = _name(it, node.function)
            return (
                library is not None
                and _is_loss(library)
                and is_cut(args[0])
                and _are_labels(args[1:], is_cut, cut)
            )
    return False


def _is_index(source: ir.Node, body: tuple[ir.Node, ...], name: str) -> bool:
    """Returns whether a name is the second of `values, indices = scores.max(1)`."""
    match source:
        case ir.Call(function=ir.Attribute(name="max" | "min" | "topk" | "sort" | "median" | "kthvalue")):
            to_visit: list[ir.Node] = list(body)
            while to_visit:
                node = to_visit.pop()
                if type(node) is ir.Assign and node.value is source:
                    (target,) = node.targets[:1]
                    items = target.items if type(target) is ir.Display else ()
                    return len(items) == 2 and type(items[1]) is ir.Name and items[1].id == name
                for block in ("body", "orelse", "final"):
                    to_visit.extend(getattr(node, block, ()) or ())
    return False


def _record(cut: _Cut, operator: ir.Node | Origin, name: str) -> bool:
    """Records an operator that cuts the graph if it is the first one; returns True."""
    if cut.operator is None:
        cut.operator, cut.name = operator, name
    return True


def _is_loss(name: str) -> bool:
    return name.startswith("torch.nn.") and name.rpartition(".")[2] in _LOSSES


def _are_labels(args: tuple[ir.Node, ...], is_cut: Callable[[ir.Node], bool], cut: _Cut) -> bool:
    """Returns whether a loss's other arguments are in no graph.

    A plain name is taken for labels, which is recorded in `cut`.
    """
    for arg in args:
        while (
            type(arg) is ir.Call and type(arg.function) is ir.Attribute and arg.function.name in _PASS_THROUGH
        ):
            arg = arg.function.object
        if type(arg) in (ir.Name, ir.Subscript):
            cut.assumes_labels = True
        elif not is_cut(arg):
            return False
    return True


def _name(it: Evaluator, node: ir.Node) -> str | None:
    """Returns the qualified name of a callable of a library, or of the class of a layer."""
    value: v.Value | None
    match node:
        case ir.Name(id=name):
            value = it.lookup(name)
        case ir.Attribute(object=ir.Name() | ir.Attribute() as inner, name=name):
            qualifier = _name(it, inner)
            if qualifier is not None:
                return f"{qualifier}.{name}"
            value = _attribute(it, inner, name)
        case _:
            return None
    if type(value) is v.External:
        return value.name
    return value.qualname if type(value) is v.LayerValue else None


def _attribute(it: Evaluator, holder: ir.Node, name: str) -> v.Value | None:
    """Returns the value of an attribute of an object of the workspace."""
    value = it.lookup(holder.id) if type(holder) is ir.Name else None
    return it.state.heap.get((value.ref, name)) if isinstance(value, v.InstanceValue) else None
