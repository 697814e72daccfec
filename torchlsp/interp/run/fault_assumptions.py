"""Finds assumptions of a fault that depend on how the running function was entered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.model import classes
from torchlsp.interp.store.frame import Frame
from torchlsp.ops.call import assumed_of_operands
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter

_RECORDED = frozenset(
    {FaultKind.NUMPY_ON_GRAD, FaultKind.INPLACE_LEAF, FaultKind.INFERENCE_TENSOR, FaultKind.HOOK_KEEPS}
)
"""Kinds of faults that are faults only where gradients are recorded."""

NEED_GRAPH = frozenset(
    {
        FaultKind.DATA,
        FaultKind.DATA_WRITE,
        FaultKind.DEEPCOPY,
        FaultKind.DETACHED_WRITE,
        FaultKind.CUT_SCALAR,
        FaultKind.NON_LEAF_GRAD,
        FaultKind.NON_LEAF_PARAMETER,
    }
)
"""Kinds of faults of tensors in a graph: there are none in a function that is only called where gradients are off."""


_EVALUATIONS = frozenset(
    "eval evaluate evaluation test testing predict prediction val valid validation infer inference".split()
)
"""Texts by which programs ask for a run without gradients."""
_EVALUATION_STEPS = frozenset({"validation_step", "test_step", "predict_step"})
"""Methods that Lightning calls without gradients."""


def is_called_by_unseen_base(frame: Frame) -> bool:
    """Returns whether a method that is analysed by itself may be one that an unseen base class calls, in whatever mode."""
    function, owner = frame.function, frame.owner
    if function is None or owner is None or function.name == "__init__":
        return False
    bases = [base.name for base in classes.mro(owner) if isinstance(base, v.External)]
    if function.name in _EVALUATION_STEPS and any(name.endswith(".LightningModule") for name in bases):
        return True
    return classes.has_unknown_base(owner) and not any(name.startswith("torch.") for name in bases)


def is_for_evaluation(frame: Frame, fault: Fault) -> bool:
    """Returns whether a fault stands where the function has asked for evaluation: `elif mode == "predict":`."""
    function = frame.function
    if function is None or fault.path not in (None, frame.module.path):
        return False
    return any(
        type(node) is ir.Branch
        and any(one.start <= fault.start < one.end for one in node.body)
        and isinstance(node.test, ir.Compare)
        and node.test.ops == ("==",)
        and any(
            isinstance(side, ir.Constant) and side.value in _EVALUATIONS
            for side in (node.test.left, *node.test.rights)
        )
        for node in walk(function.body)
    )


def find_assumptions(it: Interpreter, fault: Fault) -> frozenset[str]:
    """Returns the names of assumptions that a fault rests on beside its own."""
    assumed = assumed_of_operands(fault)
    if fault.kind in _RECORDED and it.state.modes.get("grad_assumed"):
        return assumed | {"grad"}
    if fault.kind is FaultKind.DTYPE_MISMATCH and module_placement.assumes_no_cast(it, fault):
        return assumed | {"dtype"}
    return assumed
