"""Lists collectives: which calls all ranks of a group must make together, and where a rank comes from.

Names and signatures only; what follows from them on a path is the interpreter's.  Signatures are those of torch 2.13.
"""

from __future__ import annotations

from torchlsp.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Collective:
    """Describes a call that every rank of a group must make.

    `group_parameter` names the argument that says which group (None: always all ranks).  `local_if` names a flag that,
    when true, lets the ranks named in the call do without the others.
    """

    name: str
    signature: str
    group_parameter: str | None = "group"
    local_if: str | None = None


_TORCH_DISTRIBUTED = {
    "all_reduce": "tensor, op=None, group=None, async_op=False",
    "all_reduce_coalesced": "tensors, op=None, group=None, async_op=False",
    "reduce": "tensor, dst=None, op=None, group=None, async_op=False, group_dst=None",
    "broadcast": "tensor, src=None, group=None, async_op=False, group_src=None",
    "broadcast_object_list": "object_list, src=None, group=None, device=None, group_src=None",
    "all_gather": "tensor_list, tensor, group=None, async_op=False",
    "all_gather_coalesced": "output_tensor_lists, input_tensor_list, group=None, async_op=False",
    "all_gather_into_tensor": "output_tensor, input_tensor, group=None, async_op=False",
    "all_gather_single": "output_tensor, input_tensor, group=None, async_op=False",
    "_all_gather_base": "output_tensor, input_tensor, group=None, async_op=False",
    "all_gather_object": "object_list, obj, group=None",
    "gather": "tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None",
    "gather_object": "obj, object_gather_list=None, dst=None, group=None, group_dst=None",
    "scatter": "tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None",
    "scatter_object_list": (
        "scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None"
    ),
    "reduce_scatter": "output, input_list, op=None, group=None, async_op=False",
    "reduce_scatter_tensor": "output, input, op=None, group=None, async_op=False",
    "reduce_scatter_single": "output, input, op=None, group=None, async_op=False",
    "_reduce_scatter_base": "output, input, op=None, group=None, async_op=False",
    "all_to_all": "output_tensor_list, input_tensor_list, group=None, async_op=False",
    "all_to_all_single": (
        "output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False"
    ),
    "barrier": "group=None, async_op=False, device_ids=None, timeout=None",
    "monitored_barrier": "group=None, timeout=None, wait_all_ranks=False",
    "destroy_process_group": "group=None",
}  # fmt: skip

_GROUPS = {
    "new_group": (
        "ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None, "
        "device_id=None, sort_ranks=True"
    ),
    "new_subgroups": "group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None",
    "new_subgroups_by_enumeration": (
        "ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None"
    ),
    "split_group": (
        "parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None"
    ),
    "init_process_group": (
        "backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name='', pg_options=None, "
        "device_id=None, _ranks=None"
    ),
    "init_device_mesh": "device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None",
}  # fmt: skip
"""Functions that create groups, collective over all ranks, members of the group or not."""

_DIFFERENTIABLE = {
    "all_gather": "tensor, group=None",
    "_all_gather_base": "output_tensor, input_tensor, group=None",
    "all_reduce": "tensor, op=None, group=None",
    "all_to_all": "output_tensor_list, input_tensor_list, group=None",
    "all_to_all_single": "output, input, output_split_sizes=None, input_split_sizes=None, group=None",
    "broadcast": "tensor, src, group=None",
    "gather": "tensor, dst=0, group=None",
    "reduce": "tensor, dst, op=None, group=None",
    "reduce_scatter": "output, input_list, op=None, group=None",
    "scatter": "tensors, src=0, group=None",
}
"""`torch.distributed.nn.functional`: they communicate in backward too."""

_FUNCTIONAL = {
    "all_gather_inplace": "tensor_list, tensor, group=None, async_op=False, tag=''",
    "all_gather_into_tensor_coalesced": "self, group, tag=''",
    "all_gather_single": "self, gather_dim, group, tag=''",
    "all_gather_single_autograd": "self, gather_dim, group, tag=''",
    "all_gather_single_coalesced": "self, group, tag=''",
    "all_gather_tensor": "self, gather_dim, group, tag=''",
    "all_gather_tensor_autograd": "self, gather_dim, group, tag=''",
    "all_gather_tensor_inplace": (
        "output_tensor, input_tensor, group=None, async_op=False, tag='', gather_dim=0"
    ),
    "all_reduce": "self, reduceOp, group, tag=''",
    "all_reduce_coalesced": "self, reduceOp, group, tag=''",
    "all_reduce_inplace": "tensor, op='sum', group=None, async_op=False, tag=''",
    "all_to_all_inplace": (
        "output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False, tag=''"
    ),
    "all_to_all_single": "self, output_split_sizes, input_split_sizes, group, tag=''",
    "all_to_all_single_autograd": "self, output_split_sizes, input_split_sizes, group, tag=''",
    "broadcast": "self, src, group, tag=''",
    "permute_tensor": "self, src_dst, group, tag=''",
    "reduce_scatter_single": "self, reduceOp, scatter_dim, group, tag=''",
    "reduce_scatter_single_autograd": "self, reduceOp, scatter_dim, group, tag=''",
    "reduce_scatter_single_coalesced": "inputs, reduceOp, scatter_dim, group, tag=''",
    "reduce_scatter_tensor": "self, reduceOp, scatter_dim, group, tag=''",
    "reduce_scatter_tensor_autograd": "self, reduceOp, scatter_dim, group, tag=''",
    "reduce_scatter_tensor_coalesced": "inputs, reduceOp, scatter_dim, group, tag=''",
    "reduce_scatter_tensor_inplace": (
        "output, input, op='sum', group=None, async_op=False, scatter_dim=0, tag=''"
    ),
}  # fmt: skip
"""`torch.distributed._functional_collectives`."""

_ELSEWHERE = {
    "torch.distributed.tensor.distribute_tensor": "tensor, device_mesh=None, placements=None, *, src_data_rank=0",
    "horovod.torch.allreduce": (
        "tensor, average=None, name=None, compression=None, op=None, prescale_factor=1.0, postscale_factor=1.0, process_set=None"
    ),
    "horovod.torch.allreduce_": (
        "tensor, average=None, name=None, op=None, prescale_factor=1.0, postscale_factor=1.0, process_set=None"
    ),
    "horovod.torch.allgather": "tensor, name=None, process_set=None",
    "horovod.torch.broadcast": "tensor, root_rank, name=None, process_set=None",
    "horovod.torch.broadcast_": "tensor, root_rank, name=None, process_set=None",
    "horovod.torch.alltoall": "tensor, splits=None, name=None, process_set=None",
    "horovod.torch.barrier": "process_set=None",
    "horovod.torch.broadcast_parameters": "params, root_rank, process_set=None",
    "horovod.torch.broadcast_optimizer_state": "optimizer, root_rank, model=None, process_set=None",
    "horovod.torch.broadcast_object": "obj, root_rank=0, name=None, process_set=None",
    "horovod.torch.allgather_object": "obj, name=None, process_set=None",
    "torch_xla.core.xla_model.rendezvous": "tag, payload=None, replicas=None",
    "torch_xla.core.xla_model.mesh_reduce": "tag, data, reduce_fn",
    "torch_xla.core.xla_model.all_reduce": "reduce_type, inputs, scale=1.0, groups=None, pin_layout=True",
    "torch_xla.core.xla_model.all_gather": "value, dim=0, groups=None, output=None, pin_layout=True",
    "detectron2.utils.comm.synchronize": "",
    "detectron2.utils.comm.all_gather": "data, group=None",
    "detectron2.utils.comm.gather": "data, dst=0, group=None",
    "detectron2.utils.comm.reduce_dict": "input_dict, average=True",
    "detectron2.utils.comm.shared_random_seed": "",
    "mmengine.dist.barrier": "group=None",
    "mmengine.dist.all_reduce": "data, op='sum', group=None",
    "mmengine.dist.all_gather": "data, group=None",
    "mmengine.dist.broadcast": "data, src=0, group=None",
    "mmengine.dist.all_gather_object": "data, group=None",
    "mmengine.dist.collect_results": "results, size, device='cpu', tmpdir=None",
    "timm.utils.distribute_bn": "model, world_size, reduce=False",
    "accelerate.utils.gather": "tensor",
    "accelerate.utils.gather_object": "object",
    "accelerate.utils.broadcast": "tensor, from_process=0",
    "accelerate.utils.broadcast_object_list": "object_list, from_process=0",
    "accelerate.utils.reduce": "tensor, reduction='mean', scale=1.0",
    "accelerate.utils.pad_across_processes": "tensor, dim=0, pad_index=0, pad_first=False",
    "accelerate.utils.wait_for_everyone": "",
}  # fmt: skip
"""The same in other packages."""


def _collectives() -> dict[str, Collective]:
    found: dict[str, Collective] = {}
    for name, signature in _TORCH_DISTRIBUTED.items():
        for module in ("torch.distributed", "torch.distributed.distributed_c10d"):
            found[f"{module}.{name}"] = Collective(name, signature)
        found[f"deepspeed.comm.{name}"] = Collective(
            name, f"{signature}, prof=False, log_name=None, debug=None"
        )
    for name, signature in _GROUPS.items():
        flag = "use_local_synchronization" if name == "new_group" else None
        made = Collective(name, signature, "group" if name == "new_subgroups" else None, flag)
        found[f"torch.distributed.{name}"] = found[f"torch.distributed.distributed_c10d.{name}"] = made
    found["torch.distributed.device_mesh.init_device_mesh"] = found["torch.distributed.init_device_mesh"]
    del found["torch.distributed.distributed_c10d.init_device_mesh"]
    for name, signature in _DIFFERENTIABLE.items():
        for module in ("torch.distributed.nn.functional", "torch.distributed.nn"):
            found[f"{module}.{name}"] = Collective(name, signature)
    del found["torch.distributed.nn._all_gather_base"]
    for name, signature in _FUNCTIONAL.items():
        found[f"torch.distributed._functional_collectives.{name}"] = Collective(name, signature)
    for full, signature in _ELSEWHERE.items():
        parameters = signature.replace("=", " ").replace(",", " ").split()
        group = next((p for p in ("group", "groups", "process_set") if p in parameters), None)
        found[full] = Collective(full.rpartition(".")[2], signature, group)
    return found


COLLECTIVES: dict[str, Collective] = _collectives()

NOT_COLLECTIVE = frozenset(
    f"torch.distributed.{name}"
    for name in (
        "send recv isend irecv batch_isend_irecv send_object_list recv_object_list get_rank get_world_size get_backend "
        "is_initialized is_available is_nccl_available is_gloo_available is_torchelastic_launched get_global_rank get_group_rank "
        "get_process_group_ranks get_node_local_rank"
    ).split()
)
"""Point-to-point calls and queries: one rank, or two, may make them alone."""

# ---- collectives in disguise --------------------------------------------------------------------------------------------

_DDP = "torch.nn.parallel.DistributedDataParallel"
_FSDP = "torch.distributed.fsdp.FullyShardedDataParallel"
_ACCELERATOR = "accelerate.Accelerator"
_ZERO = "torch.distributed.optim.ZeroRedundancyOptimizer"
_FABRICS = (
    "lightning.Fabric",
    "lightning.fabric.Fabric",
    "lightning_fabric.Fabric",
    "pytorch_lightning.Fabric",
)
_STRATEGY = ("lightning.pytorch.strategies.Strategy", "pytorch_lightning.strategies.Strategy")

HIDDEN: dict[str | tuple[str, str], str] = {
    # constructing one exchanges parameters and buffers
    _DDP: "construction",
    _FSDP: "construction",
    _ZERO: "construction",
    "torch.distributed.fsdp.fully_shard": "construction",
    "torch.distributed.tensor.distribute_module": "construction",
    "torch.distributed.tensor.parallel.parallelize_module": "construction",
    "apex.parallel.DistributedDataParallel": "construction",
    "deepspeed.initialize": "construction",
    # forward gathers parameters (FSDP) or broadcasts buffers (DDP); backward reduces gradients
    (_DDP, "forward"): "forward",
    (_DDP, "backward"): "backward",
    (_FSDP, "forward"): "forward",
    (_FSDP, "backward"): "backward",
    ("torch.nn.SyncBatchNorm", "forward"): "training",
    # state that lies on all ranks
    (_FSDP, "state_dict"): "state",
    (_FSDP, "load_state_dict"): "state",
    (_FSDP, "clip_grad_norm_"): "state",
    (_FSDP, "optim_state_dict"): "state",
    (_FSDP, "full_optim_state_dict"): "state",
    (_FSDP, "summon_full_params"): "state",
    f"{_FSDP}.optim_state_dict": "state",
    f"{_FSDP}.full_optim_state_dict": "state",
    f"{_FSDP}.summon_full_params": "state",
    (_ZERO, "consolidate_state_dict"): "state",
    (_ZERO, "step"): "state",
    ("torch.distributed.tensor.DTensor", "full_tensor"): "state",
    "torch.distributed.checkpoint.save": "checkpoint",
    "torch.distributed.checkpoint.load": "checkpoint",
    "torch.distributed.checkpoint.async_save": "checkpoint",
    "torch.distributed.checkpoint.save_state_dict": "checkpoint",
    "torch.distributed.checkpoint.load_state_dict": "checkpoint",
    # frameworks
    **{
        (_ACCELERATOR, method): "framework"
        for method in "gather gather_for_metrics reduce wait_for_everyone pad_across_processes check_trigger".split()
    },
    ("accelerate.PartialState", "wait_for_everyone"): "framework",
    ("accelerate.PartialState", "destroy_process_group"): "framework",
    **{
        (fabric, method): "framework"
        for fabric in _FABRICS
        for method in "barrier all_reduce all_gather broadcast save load".split()
    },
    **{
        (strategy, method): "framework"
        for strategy in _STRATEGY
        for method in "barrier reduce all_gather broadcast".split()
    },
    **{
        (trainer, "save_checkpoint"): "framework"
        for trainer in ("lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer")
    },
    **{
        ("deepspeed.DeepSpeedEngine", method): "framework"
        for method in "forward backward step save_checkpoint load_checkpoint save_16bit_model".split()
    },
    ("torch_xla.core.xla_model", "optimizer_step"): "framework",
    "torch_xla.core.xla_model.optimizer_step": "framework",
    "torch_xla.core.xla_model.save": "framework",
}
"""Functions, classes and (class, method) pairs that run collectives inside, to the reason.

`construction`: calling the class; `forward` and `backward`: of a wrapped module; `training`: only in train mode; `state`:
reading or changing state that is spread over the ranks; `checkpoint`: unless `no_dist=True`; `framework`: methods of a
framework's object that communicate whatever strategy it has been given: `save_state` of Accelerate communicates only for
FSDP, DeepSpeed and the like, which a command chooses, and `backward` only for a loss of a wrapped module.
"""

HIDDEN_UNLESS: dict[str, str] = {
    "torch.distributed.checkpoint.save": "no_dist",
    "torch.distributed.checkpoint.load": "no_dist",
    "torch.distributed.checkpoint.save_state_dict": "no_dist",
    "torch.distributed.checkpoint.load_state_dict": "no_dist",
}
"""The flag that, when true, keeps a hidden collective local."""

# ---- where a rank comes from --------------------------------------------------------------------------------------------

RANK_VARIABLES: dict[str, str] = {
    "RANK": "global",
    "LOCAL_RANK": "local",
    "NODE_RANK": "node",
    "GROUP_RANK": "node",
    "SLURM_PROCID": "global",
    "SLURM_LOCALID": "local",
    "SLURM_NODEID": "node",
    "OMPI_COMM_WORLD_RANK": "global",
    "OMPI_COMM_WORLD_LOCAL_RANK": "local",
    "PMI_RANK": "global",
    "MPI_LOCALRANKID": "local",
    "JSM_NAMESPACE_RANK": "global",
}
"""Environment variables that hold this process's rank, to its scope."""

_TRAINERS = (
    "lightning.Trainer",
    "lightning.pytorch.Trainer",
    "lightning.pytorch.LightningModule",
    "lightning.LightningModule",
    "pytorch_lightning.Trainer",
    "pytorch_lightning.LightningModule",
    *_FABRICS,
)
_STATES = (
    _ACCELERATOR,
    "accelerate.PartialState",
    "accelerate.state.PartialState",
    "accelerate.state.AcceleratorState",
)

RANK_SOURCES: dict[str | tuple[str, str], str] = {
    "torch.distributed.get_rank": "global",
    "torch.distributed.distributed_c10d.get_rank": "global",
    "torch.distributed.get_node_local_rank": "local",
    "torch.distributed.distributed_c10d.get_node_local_rank": "local",
    "deepspeed.comm.get_rank": "global",
    "deepspeed.comm.get_local_rank": "local",
    "horovod.torch.rank": "global",
    "horovod.torch.local_rank": "local",
    "torch_xla.core.xla_model.get_ordinal": "global",
    "torch_xla.core.xla_model.get_local_ordinal": "local",
    "torch_xla.runtime.global_ordinal": "global",
    "torch_xla.runtime.local_ordinal": "local",
    "detectron2.utils.comm.get_rank": "global",
    "detectron2.utils.comm.get_local_rank": "local",
    "mmengine.dist.get_rank": "global",
    "mmengine.dist.get_local_rank": "local",
    "fastai.torch_core.rank_distrib": "global",
    "fastai.distributed.rank_distrib": "global",
    **{(state, "process_index"): "global" for state in _STATES},
    **{(state, "local_process_index"): "local" for state in _STATES},
    **{(trainer, "global_rank"): "global" for trainer in _TRAINERS},
    **{(trainer, "local_rank"): "local" for trainer in _TRAINERS},
    **{(trainer, "node_rank"): "node" for trainer in _TRAINERS},
}
"""Functions that return this process's rank and (class, attribute) pairs that hold it, to its scope.

`torch.cuda.current_device` is no rank.
"""

MAIN_PROCESS: dict[str | tuple[str, str], str] = {
    "detectron2.utils.comm.is_main_process": "global",
    "mmengine.dist.is_main_process": "global",
    "torch_xla.core.xla_model.is_master_ordinal": "local",
    "timm.utils.is_primary": "global",
    "timm.utils.is_global_primary": "global",
    "timm.utils.is_local_primary": "local",
    **{(state, "is_main_process"): "global" for state in _STATES},
    **{(state, "is_local_main_process"): "local" for state in _STATES},
    **{(trainer, "is_global_zero"): "global" for trainer in _TRAINERS},
}
"""Tests of whether this process is rank 0 of its scope."""

RANK_ZERO_DECORATORS: frozenset[str] = frozenset(
    f"{module}.{name}"
    for name in ("rank_zero_only",)
    for module in (
        "lightning.pytorch.utilities",
        "lightning.pytorch.utilities.rank_zero",
        "lightning.fabric.utilities",
        "lightning.fabric.utilities.rank_zero",
        "lightning_utilities.core.rank_zero",
        "pytorch_lightning.utilities",
        "pytorch_lightning.utilities.rank_zero",
        "pytorch_lightning.utilities.distributed",
    )
) | {"mmengine.dist.master_only", "mmcv.runner.master_only"}
"""A function so decorated runs on rank 0 only; elsewhere it returns None at once."""
