"""Detects `a > 0 & b < 2`, which is `a > (0 & b) < 2`: `&`, `|`, `^` bind tighter than comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dtype import FLOATING
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.dtypes import tensor_truth_value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

BITWISE = {"&": "__and__", "|": "__or__", "^": "__xor__"}


def check_comparison(it: Evaluator, node: ir.Compare, first: Value) -> bool:
    """Reports a comparison that has lost an operand to `&`; True when it did.  `first` is as in `report_taken_operand`."""
    part = taken_operand(node)
    return part is not None and report_taken_operand(it, node, part, first)


def taken_operand(node: ir.Compare) -> ir.Binary | None:
    """Returns the first operand of a comparison that is itself an `&`, `|` or `^`."""
    for part in (node.left, *node.rights):
        if type(part) is ir.Binary and part.op in BITWISE:
            return part
    return None


def report_taken_operand(it: Evaluator, node: ir.Compare, part: ir.Binary, first: Value) -> bool:
    """Reports the comparison where it raises.  Floats have no bits, and a chain asks for a truth value.

    `first` is the result of the chain's first comparison.  Where that may have one element, and for a bool tensor beside a
    number, the comparison is reported, too, on the assumption that it was meant to be evaluated before `&`.
    """
    it.silent += 1
    operands = [it.eval(part.left), it.eval(part.right)]
    it.silent -= 1
    tensors = [value for value in operands if type(value) is TensorFact]
    if not tensors:
        return False
    rests_on: frozenset[str] = frozenset()
    name = f"Tensor.{BITWISE[part.op]}"
    args: tuple[Value, ...] = (tensors[0], operands[operands[0] is tensors[0]])
    floating = next((tensor for tensor in tensors if tensor.dtype in FLOATING), None)
    if floating is None and any(
        type(operand) is v.Scalar and operand.kind == "float" for operand in operands
    ):
        floating = tensors[0]
    chained = first if len(node.ops) > 1 and type(first) is TensorFact else None
    if floating is None and chained is not None and tensor_truth_value.has_several(chained):
        name, args = "Tensor.__bool__", (chained,)
    elif floating is None:
        if chained is None and not _are_mask_and_number(operands):
            return False
        rests_on = frozenset({"precedence"})
    path = it.frame.module.path
    place = Origin(part.start, part.end, part.op, (), path)
    data = (("input", floating or tensors[0]), ("part", place), ("raises", not rests_on))
    fault = Fault(FaultKind.BITWISE_PRECEDENCE, node.start, node.end, name, data, rests_on, path=path)
    it.report([fault] if rests_on else with_call(it, [fault], name, Arguments(args)))
    return True


def _are_mask_and_number(operands: list[Value]) -> bool:
    """Returns whether the operands are a mask and a number: `x == 1 & mask`."""
    masks = [value for value in operands if type(value) is TensorFact and value.dtype == "bool"]
    numbers = [value for value in operands if type(value) is v.Scalar and value.kind == "int"]
    return bool(masks and numbers)


def _compared(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    check_comparison(it, node, UNKNOWN_VALUE)


HOOKS = Hooks(compared=_compared)
