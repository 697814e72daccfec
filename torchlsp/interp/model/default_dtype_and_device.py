"""Evaluates the calls that set torch's default dtype and device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import Value
from torchlsp.interp.model import module_tree
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def set_default_dtype(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.set_default_dtype(d)`, and reports a dtype that is not floating, which torch refuses."""
    value = arguments.first
    if isinstance(value, v.DTypeValue) and not value.numpy and value.dtype not in (None, *dtypes.FLOATING):
        name, data = "torch.set_default_dtype", (("dtype", value.dtype),)
        fault = Fault(FaultKind.DEFAULT_DTYPE, node.start, node.end, name, data, path=it.frame.module.path)
        it.report(with_call(it, [fault], name, arguments))
        return v.NONE
    it.state.set(it.state.modes, "dtype", value.dtype if isinstance(value, v.DTypeValue) else None)
    return v.NONE


def set_default_device(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.set_default_device(d)`."""
    it.state.set(it.state.modes, "device", module_tree.device_of(it, arguments.first))
    return v.NONE


def set_default_tensor_type(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.set_default_tensor_type(t)`, which sets both."""
    it.state.set(it.state.modes, "dtype", None)
    it.state.set(it.state.modes, "device", None)
    return v.NONE
