"""Optimizers, gradient scalers, schedulers and wrappers: which classes are what.

The classes of torch are those of torch 2.13's torch.optim.  A class is an optimizer here when its `step` consumes `.grad` and
does not clear it.
"""

from __future__ import annotations

_TORCH = """ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam RAdam RMSprop Rprop SGD SparseAdam""".split()

OPTIMIZERS: frozenset[str] = frozenset({
    *(f"torch.optim.{name}" for name in _TORCH),
    *(f"torch.optim._multi_tensor.{name}" for name in _TORCH),
    *(f"timm.optim.{name}" for name in ("AdamP", "AdaBelief", "Lamb", "Lion", "NAdam", "RAdam", "SGDP", "Adafactor", "Adan",
                                        "MADGRAD", "RMSpropTF", "Lookahead")),
    *(f"apex.optimizers.{name}" for name in ("FusedAdam", "FusedLAMB", "FusedSGD", "FusedNovoGrad")),
    *(f"bitsandbytes.optim.{name}" for name in ("Adam", "Adam8bit", "AdamW", "AdamW8bit", "Lion", "Lion8bit", "SGD8bit",
                                                "PagedAdamW", "PagedAdamW8bit")),
    *(f"torch_optimizer.{name}" for name in ("RAdam", "AdaBound", "Ranger", "Lamb", "Yogi", "AdaBelief")),
    "transformers.AdamW", "transformers.optimization.AdamW", "transformers.Adafactor", "transformers.optimization.Adafactor",
    "lion_pytorch.Lion", "torch.distributed.optim.ZeroRedundancyOptimizer",
})  # fmt: skip
"""Constructors of optimizers; the parameters are the first argument or `params=`."""

GRAD_SCALERS: frozenset[str] = frozenset({
    "torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.cpu.amp.GradScaler", "torch.amp.grad_scaler.GradScaler",
    "torch.cuda.amp.grad_scaler.GradScaler",
})  # fmt: skip

SCHEDULER_PREFIX = "torch.optim.lr_scheduler."
"""Everything here has a `step` that moves a learning rate and touches no gradient."""

AVERAGERS: frozenset[str] = frozenset({"torch.optim.swa_utils.SWALR", "torch.optim.swa_utils.AveragedModel"})

ACCELERATORS: frozenset[str] = frozenset({"accelerate.Accelerator", "accelerate.accelerator.Accelerator"})
FABRICS: frozenset[str] = frozenset({
    "lightning.Fabric", "lightning.fabric.Fabric", "lightning_fabric.Fabric", "pytorch_lightning.Fabric",
    "lightning.fabric.fabric.Fabric",
})  # fmt: skip

WRAPPERS: dict[str, str] = {
    "torch.nn.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "apex.parallel.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.distributed.fsdp.FullyShardedDataParallel": "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel":
        "torch.distributed.fsdp.FullyShardedDataParallel",
}  # fmt: skip
"""Constructors that put a module into another one, to the wrapper's canonical name."""

SAME_MODULE: frozenset[str] = frozenset({
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm", "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm", "torch.nn.utils.parametrizations.spectral_norm",
    "torch.nn.utils.parametrizations.orthogonal", "torch.nn.utils.fusion.fuse_conv_bn_eval",
})  # fmt: skip
"""Functions that give back the module they are given, changed inside."""
