"""Detects device comparisons with a constant result.

A device never equals a string. A tensor's device never equals `torch.device("cuda")`, which has no index: a CUDA tensor's has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import Value
from torchlsp.interp.checks.devices import comparisons_without_effect
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MOVES = frozenset("to cuda cpu numpy detach tolist".split())
_EQUALITY = frozenset({"==", "!="})
_DEVICE_TYPES = frozenset("cpu cuda gpu mps xpu hpu tpu xla npu hip meta mkldnn vulkan mtia ipu fpga".split())


def report_comparison(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    """Reports a comparison of a device with something that it never equals."""
    op = node.ops[0]
    for device, other, device_operand in ((left, right, 0), (right, left, 1)):
        if type(device) is not v.DeviceValue or not device.of:
            continue
        if _is_comparison_with_string(it, op, other, device_operand):
            if not _may_be_either(it, node.rights[0] if device_operand == 0 else node.left):
                _report(it, node, device_operand, other, "text")
            return
        if op in _EQUALITY and type(other) is v.DeviceValue and (device.of, other.of) == ("tensor", "device"):
            # A relative device says nothing about the index: it also stands for
            # `torch.device("cuda:0" if torch.cuda.is_available() else "cpu")`.
            named = other.device
            if named is not None and named.kind == "cuda" and named.index is None and not named.relative:
                _report(it, node, device_operand, other, "index")
                return


def _may_be_either(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether the running function asks of a name whether it is a string, so that it may get a device as well."""
    function = it.frame.function
    return (
        function is not None
        and type(node) is ir.Name
        and any(
            isinstance(one, ir.Call)
            and isinstance(one.function, ir.Name)
            and one.function.id == "isinstance"
            and one.args
            and isinstance(one.args[0], ir.Name)
            and one.args[0].id == node.id
            for one in walk(function.body)
        )
    )


def _is_comparison_with_string(it: Evaluator, op: str, other: Value, device_operand: int) -> bool:
    """Returns whether a device is compared with a string, or looked up among strings only."""
    if op in _EQUALITY:
        # no device is called "auto": where a program tests for that, the variable may hold a string as well
        return type(other) is v.Scalar and other.kind == "str" and _may_name_a_device(other)
    if op not in ("in", "not in") or device_operand:
        return False
    items = it.elements(other)
    if not items:
        return False
    return all(type(item) is v.Scalar and item.kind == "str" and _may_name_a_device(item) for item in items)


def _may_name_a_device(text: v.Scalar) -> bool:
    return not isinstance(text.value, str) or text.value.partition(":")[0] in _DEVICE_TYPES


def _only_moves(it: Evaluator, node: ir.Compare) -> bool:
    """Returns whether the comparison only guards moves to a device, or to NumPy.

    Such a move does nothing where the tensor is there already, and `x.cpu().numpy()` is right on the CPU as well.
    """
    function = it.frame.function
    body = it.frame.module.ir.body if function is None else function.body
    branch = next((inner for inner in walk(body) if type(inner) is ir.Branch and inner.test is node), None)
    return branch is not None and not branch.orelse and all(map(_moves, branch.body))


def _moves(statement: ir.Node) -> bool:
    if not isinstance(statement, ir.Assign | ir.Expression) or type(statement.value) is not ir.Call:
        return False
    function = statement.value.function
    return type(function) is ir.Attribute and function.name in _MOVES


def _report(it: Evaluator, node: ir.Compare, device_operand: int, other: Value, kind: str) -> None:
    if node.ops[0] == "!=" and _only_moves(it, node):
        return
    text = v.known(other, str)
    data = (
        ("device_operand", device_operand),
        ("other", kind),
        ("text", text),
        ("answer", node.ops[0] in ("!=", "not in")),
        ("matters", comparisons_without_effect.has_effect(it, node)),
    )
    path = it.frame.module.path
    it.report([Fault(FaultKind.DEVICE_COMPARED, node.start, node.end, "device.__eq__", data, path=path)])


def _compared(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    if type(left) is v.DeviceValue or type(right) is v.DeviceValue:
        report_comparison(it, node, left, right)
    if (
        _is_text(right)
        and _may_be_text(it, node.left, left)
        or _is_text(left)
        and _may_be_text(it, node.rights[0], right)
    ):
        it.refuted.add((FaultKind.DEVICE_COMPARED, it.frame.module.path, node.start, node.end))


def _is_text(value: Value) -> bool:
    return type(value) is v.Scalar and value.kind == "str" or type(value) in (v.TupleValue, v.ListRef)


def _may_be_text(it: Evaluator, node: ir.Node, value: Value) -> bool:
    """Returns whether an operand may be text: a call passes something unknown, which is not the `device` of a tensor."""
    if isinstance(value, v.Unknown | v.Parameter):
        of_other = (
            type(node) is ir.Attribute and node.name == "device" and getattr(node.object, "id", "") != "self"
        )
        return not it.frame.is_root and not of_other
    if type(value) is v.DeviceValue:
        return not value.of
    return type(value) is v.Scalar and value.kind == "str"


HOOKS = Hooks(compared=_compared)
