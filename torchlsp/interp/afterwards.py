"""Faults that are seen only when a whole run is known: read off the traces after the analysis, and only when a rule asks.

A mechanism is one function from the analysis to faults.  A fault that can be told while its statement runs belongs there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.analysis import Analysis

Mechanism = Callable[[Analysis], Iterable[Fault]]


def _mechanism(module: str, function: str) -> Mechanism:
    """A mechanism whose module is loaded when it is first asked."""
    return lambda analysis: getattr(importlib.import_module(f"torchlsp.interp.{module}"), function)(analysis)


FOUND_AFTERWARDS: dict[FaultKind, Mechanism] = {
    FaultKind.EVALUATED_IN_TRAINING: _mechanism("mode_protocol", "trains_in_evaluation"),
    FaultKind.TRAINED_IN_EVALUATION: _mechanism("mode_protocol", "trains_in_eval"),
    FaultKind.SAMPLER_EPOCH: _mechanism("epochs", "untold"),
    FaultKind.STATE_DICT_ALIAS: _mechanism("snapshots", "aliases"),
    FaultKind.UNFED_PARAMETERS: _mechanism("unfed", "waited_for"),
    FaultKind.RANK_OPTION: _mechanism("rank_options", "never_given"),
    FaultKind.UNSHARDED: _mechanism("unsharded", "unsharded"),
    FaultKind.NO_GROUP: _mechanism("group_order", "without_group"),
    FaultKind.NO_DEVICE_CHOSEN: _mechanism("device_choice", "unchosen"),
    FaultKind.UNEVEN: _mechanism("uneven", "uneven"),
    FaultKind.SAVED_EVERYWHERE: _mechanism("saves", "on_every_rank"),
    FaultKind.SAVED_ON_NODES: _mechanism("saves", "on_every_node"),
    FaultKind.BUFFERS: _mechanism("buffers", "everywhere"),
    FaultKind.RANK_WRITE: _mechanism("rank_writes", "changed_alone"),
    FaultKind.SCHEDULED_FIRST: _mechanism("scheduling", "scheduled_first"),
    FaultKind.CLIPS_NOTHING: _mechanism("clipping", "clips_nothing"),
    FaultKind.NEVER_STEPPED: _mechanism("never_stepped", "never_stepped"),
    FaultKind.STALE_PARAMETERS: _mechanism("stale", "stale"),
    FaultKind.UNREAD_PART: _mechanism("dead_parts", "unread"),
    FaultKind.BARE_NAME: _mechanism("dotted_names", "bare"),
    FaultKind.RECREATED: _mechanism("recreated", "recreated"),
    FaultKind.CLIP_SCALED: _mechanism("scaler_protocol", "clips_scaled"),
    FaultKind.STEP_SCALED: _mechanism("scaler_protocol", "steps_scaled"),
    FaultKind.SCALER_UNSCALED: _mechanism("scaler_protocol", "unscaled"),
    FaultKind.SCALER_STAGE: _mechanism("scaler_protocol", "stages"),
    FaultKind.EXPORTED_IN_TRAINING: _mechanism("mode_protocol", "exports_training"),
    FaultKind.WHOLE_MODEL: _mechanism("whole_models", "pickled"),
    FaultKind.GRAPH_BREAK: _mechanism("graph_breaks", "found"),
    FaultKind.HOST_SYNC: _mechanism("host_syncs", "found"),
    FaultKind.FIXED_CUDA: _mechanism("fixed_devices", "found"),
    FaultKind.LIST_IN_WORKERS: _mechanism("worker_memory", "found"),
    FaultKind.UNSEEDED: _mechanism("seeding", "unseeded"),
    FaultKind.NO_MAIN_GUARD: _mechanism("main_guards", "unguarded"),
    FaultKind.SCALER_HALF: _mechanism("scaler_protocol", "halves"),
}
