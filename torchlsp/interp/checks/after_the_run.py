"""Lists the checks that need the result of a whole run; each is run after the analysis, and only when a rule asks for it.

Such a check is a function from the analysis to faults.  A fault that can be found while its statement runs is reported there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.store.analysis import Analysis

Check = Callable[[Analysis], Iterable[Fault]]


@cache
def _loaded(module: str, function: str) -> Check:
    return getattr(importlib.import_module(f"torchlsp.interp.checks.{module}"), function)


def _check(module: str, function: str) -> Check:
    """Returns a check whose module is loaded when it is first called."""
    return lambda analysis: _loaded(module, function)(analysis)


FOUND_AFTERWARDS: dict[FaultKind, Check] = {
    FaultKind.EVALUATED_IN_TRAINING: _check("training.mode_protocol", "predictions_in_training_mode"),
    FaultKind.TRAINED_IN_EVALUATION: _check("training.mode_protocol", "training_in_evaluation_mode"),
    FaultKind.SAMPLER_EPOCH: _check("data.sampler_epochs", "find_loops_without_set_epoch"),
    FaultKind.STATE_DICT_ALIAS: _check("modules.state_dict_aliases", "changed_state_dicts"),
    FaultKind.UNFED_PARAMETERS: _check("distributed.unused_parameters", "find_unused_parameters"),
    FaultKind.RANK_OPTION: _check("distributed.rank_command_line", "find_unset_rank_options"),
    FaultKind.UNSHARDED: _check("distributed.unsharded_loaders", "find_unsharded_loaders"),
    FaultKind.NO_GROUP: _check("distributed.process_group_order", "find_calls_without_group"),
    FaultKind.NO_DEVICE_CHOSEN: _check("distributed.missing_set_device", "find_missing_set_device"),
    FaultKind.UNEVEN: _check("distributed.uneven_collectives", "find_uneven_collectives"),
    FaultKind.SAVED_EVERYWHERE: _check("distributed.rank_saves", "find_saves_on_every_rank"),
    FaultKind.SAVED_ON_NODES: _check("distributed.rank_saves", "find_saves_on_every_node"),
    FaultKind.BUFFERS: _check("distributed.collective_buffers", "find_wrong_lists"),
    FaultKind.RANK_WRITE: _check("distributed.rank_local_writes", "find_rank_local_writes"),
    FaultKind.SCHEDULED_FIRST: _check("training.scheduler_order", "scheduled_first"),
    FaultKind.CLIPS_NOTHING: _check("training.clip_position", "ineffective_clips"),
    FaultKind.LEAKED_GRADIENTS: _check("training.generator_keeps_critic_gradients", "leaked_gradients"),
    FaultKind.NEVER_STEPPED: _check("training.missing_step", "loops_without_step"),
    FaultKind.STALE_PARAMETERS: _check("training.stale_parameters", "stale_parameters"),
    FaultKind.UNREAD_PART: _check("modules.unused_submodules", "unread_submodules"),
    FaultKind.BARE_NAME: _check("modules.parameter_names", "bare_name_comparisons"),
    FaultKind.RECREATED: _check("training.recreated_optimizers", "recreated_optimizers"),
    FaultKind.CLIP_SCALED: _check("training.scaler_protocol", "clips_of_scaled_gradients"),
    FaultKind.STEP_SCALED: _check("training.scaler_protocol", "steps_on_scaled_gradients"),
    FaultKind.SCALER_UNSCALED: _check("training.scaler_protocol", "calls_without_scaling"),
    FaultKind.SCALER_STAGE: _check("training.scaler_protocol", "calls_at_wrong_stage"),
    FaultKind.EXPORTED_IN_TRAINING: _check("training.mode_protocol", "exports_in_training_mode"),
    FaultKind.WHOLE_MODEL: _check("api.saved_models", "find_whole_models"),
    FaultKind.GRAPH_BREAK: _check("api.compile_graph_breaks", "find_graph_breaks"),
    FaultKind.HOST_SYNC: _check("api.host_device_syncs", "find_host_syncs"),
    FaultKind.FIXED_CUDA: _check("devices.hard_coded_cuda", "find_hard_coded_cuda"),
    FaultKind.LIST_IN_WORKERS: _check("data.worker_memory", "find_lists_in_workers"),
    FaultKind.UNSEEDED: _check("api.seeds", "find_unseeded"),
    FaultKind.NO_MAIN_GUARD: _check("data.main_guards", "find_unguarded_starts"),
    FaultKind.SCALER_HALF: _check("training.scaler_protocol", "half_precision_gradients"),
}

AFTERWARDS_BY_NAME = {kind.name: (kind, check) for kind, check in FOUND_AFTERWARDS.items()}

NOWHERE_IN_THE_FILE = frozenset({
    FaultKind.SAMPLER_EPOCH, FaultKind.RANK_OPTION, FaultKind.UNSHARDED, FaultKind.NO_GROUP, FaultKind.NO_DEVICE_CHOSEN,
    FaultKind.UNEVEN, FaultKind.SAVED_EVERYWHERE, FaultKind.SAVED_ON_NODES, FaultKind.UNREAD_PART, FaultKind.FIXED_CUDA,
    FaultKind.UNSEEDED, FaultKind.NEVER_STEPPED,
})  # fmt: skip
"""Faults which claim that nothing in the file does something, so that they need a file of which every part parses."""
