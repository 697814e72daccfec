"""Calls that every rank of a group must make, and calls that tell which rank this is.

Signatures are those of torch 2.13.  Point-to-point calls (send, recv, isend, irecv, batch_isend_irecv) are not here: they are
between two ranks.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Collective:
    """`signature` binds a call; `group_parameter` names the process group's parameter, None where the call has none."""

    signature: str
    group_parameter: str | None = "group"


_FUNCTIONS = {
    "all_reduce": "tensor, op=None, group=None, async_op=False",
    "all_reduce_coalesced": "tensors, op=None, group=None, async_op=False",
    "reduce": "tensor, dst=None, op=None, group=None, async_op=False, group_dst=None",
    "broadcast": "tensor, src=None, group=None, async_op=False, group_src=None",
    "broadcast_object_list": "object_list, src=None, group=None, device=None, group_src=None",
    "all_gather": "tensor_list, tensor, group=None, async_op=False",
    "all_gather_coalesced": "output_tensor_lists, input_tensor_list, group=None, async_op=False",
    "all_gather_into_tensor": "output_tensor, input_tensor, group=None, async_op=False",
    "_all_gather_base": "output_tensor, input_tensor, group=None, async_op=False",
    "all_gather_object": "object_list, obj, group=None",
    "gather": "tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None",
    "gather_object": "obj, object_gather_list=None, dst=None, group=None, group_dst=None",
    "scatter": "tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None",
    "scatter_object_list": "scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None",
    "reduce_scatter": "output, input_list, op=None, group=None, async_op=False",
    "reduce_scatter_tensor": "output, input, op=None, group=None, async_op=False",
    "_reduce_scatter_base": "output, input, op=None, group=None, async_op=False",
    "all_to_all": "output_tensor_list, input_tensor_list, group=None, async_op=False",
    "all_to_all_single": "output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False",
    "barrier": "group=None, async_op=False, device_ids=None",
    "monitored_barrier": "group=None, timeout=None, wait_all_ranks=False",
}  # fmt: skip

_NEW_GROUPS = {
    "new_group": "ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None, device_id=None",
    "new_subgroups": "group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None",
    "new_subgroups_by_enumeration": "ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None",
    "init_process_group": "backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name='', pg_options=None, device_id=None",
}  # fmt: skip

_DIFFERENTIABLE = {
    "all_reduce": "tensor, op=None, group=None", "broadcast": "tensor, src, group=None", "gather": "tensor, dst=0, group=None",
    "scatter": "tensors, src=0, group=None", "reduce": "tensor, dst, op=None, group=None",
    "reduce_scatter": "output, input_list, op=None, group=None", "all_gather": "tensor, group=None",
    "all_to_all": "output_tensor_list, input_tensor_list, group=None",
}  # fmt: skip

_FUNCTIONAL = {
    "all_reduce": "self, reduceOp, group, tag=''", "broadcast": "self, src, group, tag=''",
    "all_gather_tensor": "self, gather_dim, group, tag=''", "reduce_scatter_tensor": "self, reduceOp, scatter_dim, group, tag=''",
    "all_to_all_single": "self, output_split_sizes, input_split_sizes, group, tag=''",
}  # fmt: skip

COLLECTIVES: dict[str, Collective] = {
    **{f"torch.distributed.{name}": Collective(signature) for name, signature in _FUNCTIONS.items()},
    **{f"torch.distributed.{name}": Collective(signature, None) for name, signature in _NEW_GROUPS.items()},
    "torch.distributed.destroy_process_group": Collective("group=None"),
    **{f"torch.distributed.nn.functional.{name}": Collective(text) for name, text in _DIFFERENTIABLE.items()},
    **{f"torch.distributed.nn.{name}": Collective(text) for name, text in _DIFFERENTIABLE.items()},
    **{
        f"torch.distributed._functional_collectives.{name}": Collective(text)
        for name, text in _FUNCTIONAL.items()
    },
    **{f"deepspeed.comm.{name}": Collective(signature) for name, signature in _FUNCTIONS.items()},
}

HIDDEN: dict[str, str] = {
    "torch.distributed.checkpoint.save": "all ranks write their shards",
    "torch.distributed.checkpoint.load": "all ranks read their shards",
    "torch.distributed.checkpoint.async_save": "all ranks write their shards",
    "torch.distributed.checkpoint.save_state_dict": "all ranks write their shards",
    "torch.distributed.checkpoint.load_state_dict": "all ranks read their shards",
    "torch.distributed.checkpoint.state_dict.get_state_dict": "sharded parameters are gathered",
    "torch.distributed.checkpoint.state_dict.get_model_state_dict": "sharded parameters are gathered",
    "torch.distributed.checkpoint.state_dict.get_optimizer_state_dict": "sharded state is gathered",
    "accelerate.utils.gather": "gathers from all ranks",
    "accelerate.utils.gather_object": "gathers from all ranks",
    "accelerate.utils.broadcast": "broadcasts to all ranks",
    "accelerate.utils.broadcast_object_list": "broadcasts to all ranks",
    "accelerate.utils.reduce": "reduces over all ranks",
    "accelerate.utils.wait_for_everyone": "a barrier",
}
"""Functions that run collectives inside, with what they do."""

HIDDEN_METHODS: dict[str, frozenset[str]] = {
    "torch.distributed.fsdp.FullyShardedDataParallel": frozenset({
        "forward", "state_dict", "clip_grad_norm_", "summon_full_params", "optim_state_dict", "full_optim_state_dict",
        "load_state_dict",
    }),
    "torch.distributed.optim.ZeroRedundancyOptimizer": frozenset({"consolidate_state_dict"}),
    "accelerate.Accelerator": frozenset({
        "gather", "gather_for_metrics", "reduce", "wait_for_everyone", "save_state", "load_state", "pad_across_processes",
        "get_state_dict",
    }),
    "lightning.Fabric": frozenset({"barrier", "all_reduce", "all_gather", "broadcast", "save", "load"}),
}  # fmt: skip
"""Methods of wrappers and framework objects that run collectives inside, by class."""

RANK_SOURCES: dict[str, str] = {
    "torch.distributed.get_rank": "global",
    "torch.distributed.get_node_local_rank": "local",
    "torch.distributed.get_group_rank": "global",
    "deepspeed.comm.get_rank": "global",
    "deepspeed.comm.get_local_rank": "local",
    "horovod.torch.rank": "global",
    "horovod.torch.local_rank": "local",
    "torch_xla.core.xla_model.get_ordinal": "global",
    "torch_xla.core.xla_model.get_local_ordinal": "local",
    "torch_xla.runtime.global_ordinal": "global",
}
"""Functions that give a rank: `global` in the job, `local` on the node."""

MAIN_PROCESS_TESTS: frozenset[str] = frozenset({"torch_xla.core.xla_model.is_master_ordinal"})
"""Functions that say whether this is rank 0."""

RANK_ATTRIBUTES: dict[str, str] = {
    "process_index": "global", "local_process_index": "local", "global_rank": "global", "local_rank": "local",
    "node_rank": "node",
}  # fmt: skip
MAIN_PROCESS_ATTRIBUTES: frozenset[str] = frozenset(
    {"is_main_process", "is_local_main_process", "is_global_zero"}
)
"""Attributes of Accelerator, PartialState, Trainer and Fabric objects."""
