"""Detects Python numbers read from a trainable tensor and computed with: the gradient ends there.

`self.scale.item()` is a Python number; the result of a module or a loss that is multiplied with it does not train `scale`.
Reported only where the tensor is computed from parameters or layers that nothing else in the file reads, since many numbers
are taken out of the graph on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes
from torchlsp.interp.model.reporting import fault, is_in_graph
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments

_MAX_NODES = 2_000


@running_state
class PythonScalarCuts:
    """Numbers read from tensors that an operator then computed with, by the operator's moment."""

    cuts: dict[int, Origin] = per_root(dict)


def read_number(it: Evaluator, tensor: Value, result: Value, node: ir.Node) -> Value:
    """Returns the number that `item()` or `float()` gives; it keeps its origin if nothing else trains the tensor."""
    if type(tensor) is not TensorFact or tensor.grad.requires is not Tri.YES or it.silent:
        return result
    if it.state.modes["grad"] is not Tri.YES or type(node) is not ir.Call:
        return result
    if type(result) is not v.Scalar:
        result = v.Scalar("float")
    if result.kind != "float" or not _is_asked_for_once(it, tensor, _operand(node)):
        return result
    place = Origin(node.start, node.end, "item", (tensor,), it.frame.module.path, at=it.graph.clock)
    return replace(result, cut=place)


def carry_cut(result: Value, *operands: Value) -> Value:
    """Returns the result of arithmetic on numbers with the origin of one read from a tensor."""
    if type(result) is not v.Scalar or result.kind != "float":
        return result
    cut = next(
        (operand.cut for operand in operands if type(operand) is v.Scalar and operand.cut is not None), None
    )
    return result if cut is None else replace(result, cut=cut)


def record_use(it: Evaluator, operands: tuple[Value, ...], result: Value) -> None:
    """Records an operator in the graph that computes with a number read from a tensor."""
    for operand in operands:
        if (
            type(operand) is v.Scalar
            and operand.cut is not None
            and is_in_graph(result)
            and result.origin is not None
        ):
            it.states[PythonScalarCuts].cuts[result.origin.at] = operand.cut


def report_returned(it: Evaluator, value: Value) -> None:
    """Reports numbers read from tensors that the result of a module's `forward` was computed with."""
    frame = it.frame
    if frame.function is None or frame.function.name != "forward" or frame.owner is None:
        return
    if classes.is_module(frame.owner):
        for one in value.items if type(value) is v.TupleValue else (value,):
            report_cuts(it, one)


def report_cuts(it: Evaluator, value: Value) -> None:
    """Reports the numbers read from tensors that the graph of a tensor was computed with."""
    seen: set[int] = set()
    to_visit: list[Value] = [value]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        if type(fact) is not TensorFact or id(fact) in seen or fact.origin is None or fact.origin.merged:
            continue
        seen.add(id(fact))
        cut = it.states[PythonScalarCuts].cuts.get(fact.origin.at) if fact.origin.at else None
        if cut is not None and cut.path == it.frame.module.path:
            place = replace(fact.origin, parents=())
            fault(
                it,
                FaultKind.CUT_SCALAR,
                ir.Node(cut.start, cut.end),
                "item",
                input=cut.parents[0],
                used=place,
            )
        to_visit.extend(parent for parent in fact.origin.parents if parent.grad.requires is Tri.YES)


def _operand(node: ir.Call) -> ir.Node | None:
    """Returns the tensor that is converted: `x` of `x.item()` and of `float(x)`."""
    if type(node.function) is ir.Attribute and node.function.name == "item":
        return node.function.object
    return node.args[0] if type(node.function) is ir.Name and len(node.args) == 1 else None


def _is_asked_for_once(it: Evaluator, tensor: TensorFact, source: ir.Node | None) -> bool:
    """Returns whether a tensor is computed from one parameter or layer alone, which is read only here."""
    name = _attribute(it, source)
    if name is None or tensor.grad.leaf is Tri.NO and not _is_own(tensor):
        return False
    body = it.frame.module.ir.body
    reads_of_grad = sum(1 for one in _reads(body, "grad") if getattr(one.object, "name", "") == name)
    return sum(1 for _ in _reads(body, name)) - reads_of_grad == 1


def _is_own(tensor: TensorFact) -> bool:
    """Returns whether everything that requires grad in the tensor's graph comes from one leaf or one layer."""
    sources: set[object] = set()
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit and len(sources) < 2:
        fact = to_visit.pop()
        if id(fact) in seen:
            continue
        seen.add(id(fact))
        if len(seen) > _MAX_NODES:
            return False
        origin = fact.origin
        if fact.grad.requires is Tri.NO:
            continue
        if fact.grad.requires is Tri.UNKNOWN:
            if origin is None or origin.op != "parameter":
                return False
        elif fact.grad.leaf is Tri.YES:
            sources.add(fact.storage)
        elif origin is None or origin.merged:
            return False
        else:
            if origin.layer is not None:
                sources.add(origin.layer[0])
            to_visit.extend(origin.parents)
    return len(sources) == 1


def _attribute(it: Evaluator, source: ir.Node | None) -> str | None:
    """Returns the attribute of a module that an expression begins with: `scale` of `self.scale.exp()`."""
    while source is not None:
        match source:
            case (
                ir.Call(function=ir.Attribute(object=ir.Name(id=holder), name=name))
                | ir.Attribute(object=ir.Name(id=holder), name=name)
            ):
                return name if isinstance(it.lookup(holder), v.InstanceValue | v.LayerValue) else None
            case ir.Call(function=ir.Attribute(object=inner)) | ir.Attribute(object=inner):
                source = inner
            case _:
                return None
    return None


def _reads(node: object, name: str) -> Iterator[ir.Attribute]:
    """Yields the nodes that read an attribute of this name, functions and classes included."""
    to_visit = [node]
    while to_visit:
        value = to_visit.pop()
        if isinstance(value, tuple):
            to_visit.extend(value)
        elif isinstance(value, ir.Assign):
            to_visit.append(value.value)
            to_visit.extend(
                target.object if type(target) is ir.Attribute else target for target in value.targets
            )
        elif is_dataclass(value):
            if type(value) is ir.Attribute and value.name == name:
                yield value
            to_visit.extend(getattr(value, field.name) for field in fields(value) if field.name != "methods")


def _result_given(it: Evaluator, arguments: Arguments, result: Value, node: ir.Node) -> None:
    operands = arguments.positional
    if operands and (type(operands[-1]) is v.Scalar or type(operands[0]) is v.Scalar):
        record_use(it, operands, result)


def _returned(it: Evaluator, value: Value) -> None:
    if it.states[PythonScalarCuts].cuts:
        report_returned(it, value)


HOOKS = Hooks(operator_result=_result_given, returned=_returned)
