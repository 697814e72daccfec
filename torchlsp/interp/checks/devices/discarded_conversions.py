"""Conversions of tensors as statements of their own: the tensor stays what it was, and the converted copy is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CONVERSIONS = frozenset(
    "to cuda cpu float double half bfloat16 int long short char byte bool cfloat cdouble type type_as".split()
)


def converted(node: ir.Node) -> bool:
    """Is this a call of a conversion on something that can be named again?"""
    return (
        type(node) is ir.Call
        and type(node.function) is ir.Attribute
        and node.function.name in CONVERSIONS
        and is_plain(node.function.object)
    )


def statement(it: Evaluator, node: ir.Call) -> Value:
    """Evaluates the call, which is a whole statement, and reports it when its receiver is a tensor that it changes."""
    receiver = it.eval(node.function.object)
    result = it.eval(node)
    if isinstance(receiver, TensorFact) and isinstance(result, TensorFact) and result is not receiver:
        if not is_shown(it):
            _report(it, node, receiver, result)
    return result


def _report(it: Evaluator, node: ir.Call, receiver: TensorFact, result: TensorFact) -> None:
    method, target = node.function.name, node.function.object
    name = f"Tensor.{method}"
    data = (("input", receiver), ("result", result), ("method", method), ("again", may_be_bound(it, target)))
    fault = Fault(FaultKind.CONVERSION_DISCARDED, node.start, node.end, name, data, path=it.frame.module.path)
    values = [it.eval(arg) for arg in node.args if type(arg) is not ir.Starred]
    keywords = tuple((key, it.eval(value)) for key, value in node.keywords if key is not None)
    is_open = len(values) < len(node.args) or len(keywords) < len(node.keywords)
    it.report(with_call(it, [fault], name, Arguments((receiver, *values), keywords, is_open, is_open)))


def is_shown(it: Evaluator) -> bool:
    """The last line of a notebook's cell is there to be shown, and cells are not told apart here."""
    return it.frame.function is None and it.frame.module.path.endswith(".ipynb")


def may_be_bound(it: Evaluator, target: ir.Node) -> bool:
    """Would `target = target.to(...)` do what was meant?  Not for the names of an outer function."""
    return type(target) is not ir.Name or target.id in it.scope_of(target.id).variables


def is_plain(node: ir.Node) -> bool:
    while type(node) is ir.Attribute or (type(node) is ir.Subscript and type(node.index) is ir.Constant):
        node = node.object
    return type(node) is ir.Name
