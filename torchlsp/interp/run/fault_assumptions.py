"""What a fault rests on that only the run knows: how the function was entered whose statement it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks.devices import module_placement

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter

_RECORDED = frozenset(
    {FaultKind.NUMPY_ON_GRAD, FaultKind.INPLACE_LEAF, FaultKind.INFERENCE_TENSOR, FaultKind.HOOK_KEEPS}
)
"""Faults only where gradients are recorded."""


def in_this_run(it: Interpreter, fault: Fault) -> frozenset[str]:
    """The names of further assumptions."""
    if fault.kind in _RECORDED and it.state.modes.get("grad_assumed"):
        return frozenset({"grad"})
    if fault.kind is FaultKind.DTYPE_MISMATCH and module_placement.assumes_no_cast(it, fault):
        return frozenset({"dtype"})
    return frozenset()
