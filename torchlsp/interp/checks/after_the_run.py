"""Faults that are seen only when a whole run is known: read off the traces after the analysis, and only when a rule asks.

A mechanism is one function from the analysis to faults.  A fault that can be told while its statement runs belongs there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.store.analysis import Analysis

Mechanism = Callable[[Analysis], Iterable[Fault]]


def _mechanism(module: str, function: str) -> Mechanism:
    """A mechanism whose module is loaded when it is first asked."""
    return lambda analysis: getattr(importlib.import_module(f"torchlsp.interp.checks.{module}"), function)(
        analysis
    )


FOUND_AFTERWARDS: dict[FaultKind, Mechanism] = {
    FaultKind.EVALUATED_IN_TRAINING: _mechanism("training.mode_protocol", "predictions_in_training_mode"),
    FaultKind.TRAINED_IN_EVALUATION: _mechanism("training.mode_protocol", "training_in_evaluation_mode"),
    FaultKind.SAMPLER_EPOCH: _mechanism("data.sampler_epochs", "untold"),
    FaultKind.STATE_DICT_ALIAS: _mechanism("modules.state_dict_aliases", "changed_state_dicts"),
    FaultKind.UNFED_PARAMETERS: _mechanism("distributed.unused_parameters", "waited_for"),
    FaultKind.RANK_OPTION: _mechanism("distributed.rank_command_line", "never_given"),
    FaultKind.UNSHARDED: _mechanism("distributed.unsharded_loaders", "unsharded"),
    FaultKind.NO_GROUP: _mechanism("distributed.process_group_order", "without_group"),
    FaultKind.NO_DEVICE_CHOSEN: _mechanism("distributed.missing_set_device", "unchosen"),
    FaultKind.UNEVEN: _mechanism("distributed.uneven_collectives", "uneven"),
    FaultKind.SAVED_EVERYWHERE: _mechanism("distributed.rank_saves", "on_every_rank"),
    FaultKind.SAVED_ON_NODES: _mechanism("distributed.rank_saves", "on_every_node"),
    FaultKind.BUFFERS: _mechanism("distributed.collective_buffers", "everywhere"),
    FaultKind.RANK_WRITE: _mechanism("distributed.rank_local_writes", "changed_alone"),
    FaultKind.SCHEDULED_FIRST: _mechanism("training.scheduler_order", "scheduled_first"),
    FaultKind.CLIPS_NOTHING: _mechanism("training.clip_position", "ineffective_clips"),
    FaultKind.NEVER_STEPPED: _mechanism("training.missing_step", "loops_without_step"),
    FaultKind.STALE_PARAMETERS: _mechanism("training.stale_parameters", "stale_parameters"),
    FaultKind.UNREAD_PART: _mechanism("modules.unused_submodules", "unread_submodules"),
    FaultKind.BARE_NAME: _mechanism("modules.parameter_names", "bare_name_comparisons"),
    FaultKind.RECREATED: _mechanism("training.recreated_optimizers", "recreated_optimizers"),
    FaultKind.CLIP_SCALED: _mechanism("training.scaler_protocol", "clips_of_scaled_gradients"),
    FaultKind.STEP_SCALED: _mechanism("training.scaler_protocol", "steps_on_scaled_gradients"),
    FaultKind.SCALER_UNSCALED: _mechanism("training.scaler_protocol", "calls_without_scaling"),
    FaultKind.SCALER_STAGE: _mechanism("training.scaler_protocol", "calls_at_wrong_stage"),
    FaultKind.EXPORTED_IN_TRAINING: _mechanism("training.mode_protocol", "exports_in_training_mode"),
    FaultKind.WHOLE_MODEL: _mechanism("api.saved_models", "find_whole_models"),
    FaultKind.GRAPH_BREAK: _mechanism("api.compile_graph_breaks", "find_graph_breaks"),
    FaultKind.HOST_SYNC: _mechanism("api.host_device_syncs", "find_host_syncs"),
    FaultKind.FIXED_CUDA: _mechanism("devices.hard_coded_cuda", "find_hard_coded_cuda"),
    FaultKind.LIST_IN_WORKERS: _mechanism("data.worker_memory", "found"),
    FaultKind.UNSEEDED: _mechanism("api.seeds", "find_unseeded"),
    FaultKind.NO_MAIN_GUARD: _mechanism("data.main_guards", "unguarded"),
    FaultKind.SCALER_HALF: _mechanism("training.scaler_protocol", "half_precision_gradients"),
}
