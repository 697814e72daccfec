"""Detects losses without a graph that `training_step` returns to Lightning's Trainer, which runs backward on them.

Source: `loops/optimization/automatic.py` of pytorch_lightning 2.6: a returned tensor, or the entry "loss" of a returned dict,
is the loss in automatic optimization.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, heap_access
from torchlsp.interp.model.reporting import fault
from torchlsp.ops.tensor import undifferentiable
from torchlsp.program import ir
from torchlsp.program.walking import walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_STEP = "training_step"
_OTHERWISE = frozenset({"automatic_optimization", "backward", "training_step_end", "manual_backward"})
"""Methods and attributes by which something else becomes of what the step returns."""


def report_returned(it: Evaluator, value: Value) -> None:
    """Reports a loss that certainly requires no grad where a `training_step` returns it."""
    function, owner = it.frame.function, it.frame.owner
    if function is None or function.name != _STEP or owner is None or it.silent:
        return
    if not it.frame.is_root:
        return  # the program calls it, perhaps without gradients
    if type(value) is v.DictRef:
        entries = heap_access.entries_at(it, value.ref)
        value = entries.get("loss", UNKNOWN_VALUE) if isinstance(entries, dict) else UNKNOWN_VALUE
    if type(value) is not TensorFact or value.grad.requires is not Tri.NO:
        return
    if undifferentiable.cut_by(value) is None and _is_optimized_by_trainer(owner):
        node = ir.Node(*it.frame.statement)
        fault(it, FaultKind.BACKWARD_NO_GRAD, node, _STEP, value.assumed & {"tensor"}, input=value)


def _is_optimized_by_trainer(cls: v.ClassValue) -> bool:
    """Returns whether the Trainer certainly runs backward on what the `training_step` of a class returns."""
    bases = classes.mro(cls)
    if classes.has_unknown_base(cls) or not any(
        isinstance(base, v.External) and base.name.endswith(".LightningModule") for base in bases
    ):
        return False
    for base in bases:
        if isinstance(base, v.ClassValue):
            if not _OTHERWISE.isdisjoint((*base.ir.methods, *base.scope.variables)):
                return False
            for method in base.ir.methods.values():
                if any(word(node) in _OTHERWISE for node in walk(method.body) if type(node) is ir.Attribute):
                    return False
    return True


HOOKS = Hooks(returned=report_returned)
