"""Detects BatchNorm in training mode on one value per channel, which has no variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.checks.modules.training_mode import NORMS
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LayerState
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def report_single_value(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    """Reports a call in training mode on one value per channel, of a layer that the same root created.

    Of any other layer the mode is not known.
    """
    given = arguments.positional[0] if len(arguments.positional) == 1 else None
    if state.training is not Tri.YES or not isinstance(given, TensorFact) or given.assumed:
        return
    root = it.frames[0].site.partition(".")[0]  # what follows the dot says which iteration it is
    if (
        not layer.ref.startswith((f"layer@{root}:", f"layer@{root}."))
        or not given.shape
        or len(given.shape) < 2
    ):
        return
    if any(size != 1 for size in (given.shape[0], *given.shape[2:])):
        return
    data = (("input", given), ("layer", layer))
    fault = Fault(
        FaultKind.BATCH_OF_ONE, node.start, node.end, layer.qualname, data, path=it.frame.module.path
    )
    it.report(with_call(it, [fault], layer.qualname, arguments, (layer, state)))


HOOKS = Hooks(layer_call=for_names(NORMS, report_single_value))
