"""Detects losses that were computed, cut off and made to require grad: backward reaches nothing but the loss itself.

`torch.tensor(loss, requires_grad=True)`, `Variable(loss, requires_grad=True)` and `loss.requires_grad = True` silence the error
that backward raises for a loss without a graph. A constant that stands for a loss of zero is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact, ancestors
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import decorator_names
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import bound_to

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_COPYING = frozenset({"torch.tensor", "torch.autograd.Variable"})


@running_state
class CopiedValues:
    """The tensors that were created from values which the program has computed, by the moment of the call."""

    moments: set[int] = per_root(set)


def record_copy(it: Evaluator, arguments: Arguments, result: Value, node: ir.Node) -> None:
    """Records a tensor that requires grad and is created from a computed value."""
    if type(result) is not TensorFact or result.origin is None or result.origin.op not in _COPYING:
        return
    if result.grad.requires is Tri.YES and arguments.positional and not _is_constant(it, arguments.first):
        it.states[CopiedValues].moments.add(result.origin.at)


def _is_constant(it: Evaluator, value: Value) -> bool:
    """Returns whether a value is a number that is written out, or a list of such."""
    items = it.elements(value)
    if items is not None:
        return all(_is_constant(it, item) for item in items)
    return type(value) is v.Scalar and value.value is not None


def report_backward(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    """Reports `loss.backward()` of a loss that is a leaf and was computed."""
    if arguments.positional and type(loss) is TensorFact or not _is_plain(arguments) or it.silent:
        return
    if type(loss) is TensorFact:
        origin = loss.origin
        if (
            loss.grad.requires is not Tri.YES
            or loss.grad.leaf is not Tri.YES
            or origin is None
            or origin.merged
        ):
            return
        if loss.provenance == "parameter" or not _was_computed(it, loss):
            return
        fault(it, FaultKind.LEAF_LOSS, node, "Tensor.backward", input=loss, made=replace(origin, parents=()))
        return
    made = _made_leaf(it, node)
    if made is not None:
        place = Origin(made.start, made.end, "requires_grad_", (), it.frame.module.path)
        fault(it, FaultKind.LEAF_LOSS, node, "Tensor.backward", input=None, made=place)


def _is_plain(arguments: Arguments) -> bool:
    """Returns whether backward gets no gradient that the leaf could pass on."""
    return not arguments.positional and all(
        name in ("retain_graph", "create_graph") for name, _ in arguments.keywords
    )


def _was_computed(it: Evaluator, leaf: TensorFact) -> bool:
    """Returns whether a leaf's values come from a layer, from a tensor in a graph, or from elsewhere in the program."""
    for fact, origin in ancestors(leaf):
        if origin.layer is not None or origin.at and origin.at in it.states[CopiedValues].moments:
            return True
        if fact is not leaf and fact.grad.requires is Tri.YES and fact.grad.leaf is Tri.NO:
            return True
    return False


def _made_leaf(it: Evaluator, node: ir.Node) -> ir.Node | None:
    """Returns the expression that makes a leaf of an unknown loss: `value.detach().requires_grad_()`."""
    if type(node) is not ir.Call or type(node.function) is not ir.Attribute:
        return None
    source: ir.Node | None = node.function.object
    if type(source) is ir.Name:
        function = it.frame.function
        body = it.frame.module.ir.body if function is None else function.body
        source = _bound_before(body, node, source.id)
    match source:
        case ir.Call(
            function=ir.Attribute(
                object=ir.Call(function=ir.Attribute(name="detach"), args=()) | ir.Attribute(name="data"),
                name="requires_grad_",
            ),
            args=() | (ir.Constant(value=True),),
        ):
            return source
        case ir.Call(
            function=function_node, args=(_,), keywords=(("requires_grad", ir.Constant(value=True)),)
        ):
            if decorator_names.dotted(it, function_node, None) == "torch.autograd.Variable":
                return source
    return None


def _bound_before(body: tuple[ir.Node, ...], node: ir.Node, name: str) -> ir.Node | None:
    """Returns what a name was bound to last, in the block of the statement that holds a node."""
    block, to_visit = body, [body]
    while to_visit:
        inner = to_visit.pop()
        if any(one.start <= node.start < one.end for one in inner):
            block = inner
            around = next(one for one in inner if one.start <= node.start < one.end)
            for part in ("body", "orelse", "final"):
                to_visit.append(getattr(around, part, ()) or ())
    for statement in reversed([one for one in block if one.end <= node.start]):
        match statement:
            case ir.Assign(targets=(ir.Name(id=bound),), value=value) if bound == name:
                return value
        if any(True for _ in bound_to((statement,), name)):
            return None
    return None


HOOKS = Hooks(operator_result=record_copy, backward=report_backward)
