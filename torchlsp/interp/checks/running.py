"""Lists the checks that run along with the program, and gives the evaluator their hooks by event and name.

The order of the list is the order in which hooks are called. It decides which of two faults at one place comes first, so it is
explicit and not that of a folder. A new check is one file and one entry here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import TypeVar

from torchlsp.interp.checks.api import (
    float_arguments,
    host_device_syncs,
    layer_arguments,
    legacy_constructors,
    loaded_files,
    not_a_tensor,
    not_callable,
    reduction_pairs,
    wrong_argument_count,
)
from torchlsp.interp.checks.autograd import (
    autograd_graph,
    backward_of_leaf,
    forward_hooks,
    global_grad_mode,
    grad_mode_in_threads,
    gradient_access,
    gradients_of_function,
    loss_term_without_gradient,
    out_arguments,
    python_scalar_cuts,
    retained_graphs,
    returned_losses,
)
from torchlsp.interp.checks.data import (
    joined_batches,
    loader_arguments,
    loader_samples,
    main_guards,
    worker_arguments,
)
from torchlsp.interp.checks.devices import (
    argument_mutation,
    device_comparisons,
    numpy_functions_on_tensors,
    numpy_shared_memory,
    pack_lengths,
    pinned_memory,
    tensor_from_array_list,
    uninitialised_memory,
    unsynchronized_timers,
)
from torchlsp.interp.checks.distributed import (
    async_collectives,
    bypassed_wrapper,
    collective_results,
    handed_functions,
    unsharded_loaders,
    varying_values,
)
from torchlsp.interp.checks.dtypes import (
    loss_constructor_arguments,
    operator_precedence,
    patched_functions,
    tensor_truth_value,
)
from torchlsp.interp.checks.hooks import ANY, Hooks
from torchlsp.interp.checks.layout import indexed_copy_writes, rnn_batch_dim
from torchlsp.interp.checks.modules import (
    layers_made_in_forward,
    parameter_names,
    partial_layer_edits,
    training_mode,
    unregistered_modules,
    unused_submodules,
)
from torchlsp.interp.checks.training import (
    batch_norm_single_value,
    best_weights_never_used,
    generator_keeps_critic_gradients,
    manual_updates,
    method_not_called,
)

RUNNING: tuple[ModuleType, ...] = (
    bypassed_wrapper,
    gradient_access,
    uninitialised_memory,
    retained_graphs,
    async_collectives,
    collective_results,
    handed_functions,
    out_arguments,
    float_arguments,
    tensor_from_array_list,
    unsynchronized_timers,
    legacy_constructors,
    numpy_functions_on_tensors,
    loss_constructor_arguments,
    layer_arguments,
    training_mode,
    layers_made_in_forward,
    partial_layer_edits,
    batch_norm_single_value,
    rnn_batch_dim,
    host_device_syncs,
    manual_updates,
    autograd_graph,
    python_scalar_cuts,
    argument_mutation,
    indexed_copy_writes,
    reduction_pairs,
    operator_precedence,
    patched_functions,
    parameter_names,
    device_comparisons,
    tensor_truth_value,
    loader_arguments,
    unsharded_loaders,
    varying_values,
    loader_samples,
    worker_arguments,
    joined_batches,
    pinned_memory,
    unregistered_modules,
    unused_submodules,
    global_grad_mode,
    grad_mode_in_threads,
    numpy_shared_memory,
    pack_lengths,
    loaded_files,
    main_guards,
    forward_hooks,
    wrong_argument_count,
    not_a_tensor,
    not_callable,
    method_not_called,
    gradients_of_function,
    loss_term_without_gradient,
    returned_losses,
    backward_of_leaf,
    best_weights_never_used,
    generator_keeps_critic_gradients,
)

_DECLARED: tuple[Hooks, ...] = tuple(module.HOOKS for module in RUNNING)


Hook = TypeVar("Hook")


class ByName(dict[str, tuple[Hook, ...]]):
    """The hooks of an event by name: `table.get(name, table.any)`, where `any` has those that are called whatever the name."""

    def __init__(self, declared: list[Mapping[str, Hook]]) -> None:
        self.any: tuple[Hook, ...] = tuple(one[ANY] for one in declared if ANY in one)
        for name in dict.fromkeys(name for one in declared for name in one if name != ANY):
            self[name] = tuple(
                one[name] if name in one else one[ANY] for one in declared if name in one or ANY in one
            )


def _handlers(declared: Iterable[Mapping[str, Hook]]) -> dict[str, Hook]:
    """The handlers of an event by name. Raises ValueError where two checks give the value of one name."""
    handlers: dict[str, Hook] = {}
    for one in declared:
        twice = handlers.keys() & one.keys()
        if twice:
            raise ValueError(f"two checks give the value of {', '.join(sorted(twice))}")
        handlers.update(one)
    return handlers


def _in_order(declared: Iterable[Hook | None]) -> tuple[Hook, ...]:
    return tuple(hook for hook in declared if hook is not None)


EXTERNAL_CALL = ByName([hooks.external_call for hooks in _DECLARED])
EXTERNAL_RESULTS = _handlers([hooks.external_result for hooks in _DECLARED])
OBJECT_METHODS = _handlers([hooks.object_method for hooks in _DECLARED])
LAYER_CREATED = ByName([hooks.layer_created for hooks in _DECLARED])
LAYER_CALL = ByName([hooks.layer_call for hooks in _DECLARED])
APPLIED = ByName([hooks.applied for hooks in _DECLARED])
BEFORE_OPERATOR = _in_order([hooks.before_operator for hooks in _DECLARED])
OPERATOR_RESULT = _in_order([hooks.operator_result for hooks in _DECLARED])
ASSIGNED = _in_order([hooks.assigned for hooks in _DECLARED])
STATEMENT = _in_order([hooks.statement for hooks in _DECLARED])
COMPARED = _in_order([hooks.compared for hooks in _DECLARED])
RETURNED = _in_order([hooks.returned for hooks in _DECLARED])
UNKNOWN_CALL = _in_order([hooks.unknown_call for hooks in _DECLARED])
BACKWARD = _in_order([hooks.backward for hooks in _DECLARED])
LOADER_CREATED = _in_order([hooks.loader_created for hooks in _DECLARED])
CLASS_INITIALISED = _in_order([hooks.class_initialised for hooks in _DECLARED])
