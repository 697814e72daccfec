"""Evaluates the methods that Lightning's modules have beside those of torch.nn.Module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.training import manual_optimization
from torchlsp.interp.model import classes
from torchlsp.interp.objects import optimizers_and_engines
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_READING = frozenset("log log_dict print lr_schedulers clip_gradients".split())
"""Methods that change neither the module, nor which gradients there are, nor what they are given."""


def call_method(
    it: Evaluator, module: v.InstanceValue, name: str, arguments: Arguments, node: ir.Node
) -> Value | None:
    """Calls a method of a module while it optimizes by hand; None for all other methods and modules."""
    known = name in _READING or name in ("optimizers", "manual_backward")
    if not known or not _derives_from_lightning(module.cls):
        return None
    if name == "optimizers" and not arguments.positional and not arguments.keywords:
        return manual_optimization.optimizer_of(it, module, node)
    if not manual_optimization.is_manual_step(it, module):
        return None
    if name == "manual_backward":
        optimizers_and_engines.call_backward(it, arguments, node)
        return v.NONE
    return UNKNOWN_VALUE if name in _READING else None


def _derives_from_lightning(cls: v.ClassValue) -> bool:
    """Returns whether a class derives from LightningModule, and from nothing else that is not seen."""
    return not classes.has_unknown_base(cls) and any(
        isinstance(base, v.External) and base.name.endswith(".LightningModule") for base in classes.mro(cls)
    )
