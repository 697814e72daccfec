"""Lists optimizers, schedulers, gradient scalers and wrappers that keep a module: names and signatures, torch
2.13."""

from __future__ import annotations

_TORCH_OPTIM = {
    "ASGD": (
        "params, lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, maximize=False, "
        "differentiable=False, capturable=False"
    ),
    "Adadelta": (
        "params, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, maximize=False, "
        "differentiable=False"
    ),
    "Adafactor": (
        "params, lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, weight_decay=0.0, *, foreach=None, maximize=False"
    ),
    "Adagrad": (
        "params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, "
        "maximize=False, differentiable=False, fused=None"
    ),
    "Adam": (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, foreach=None, maximize=False, "
        "capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False"
    ),
    "AdamW": (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, foreach=None, "
        "capturable=False, differentiable=False, fused=None"
    ),
    "Adamax": (
        "params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, foreach=None, *, maximize=False, "
        "differentiable=False, capturable=False"
    ),
    "LBFGS": (
        "params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, "
        "line_search_fn=None"
    ),
    "Muon": (
        "params, lr=0.001, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.775, 2.0315), "
        "eps=1e-07, ns_steps=5, adjust_lr_fn=None"
    ),
    "NAdam": (
        "params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, momentum_decay=0.004, "
        "decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False"
    ),
    "RAdam": (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, decoupled_weight_decay=False, *, foreach=None, "
        "maximize=False, capturable=False, differentiable=False"
    ),
    "RMSprop": (
        "params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, foreach=None, "
        "maximize=False, differentiable=False"
    ),
    "Rprop": (
        "params, lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, capturable=False, foreach=None, maximize=False, "
        "differentiable=False"
    ),
    "SGD": (
        "params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, "
        "differentiable=False, fused=None"
    ),
    "SparseAdam": "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, maximize=False",
}  # fmt: skip

_ELSEWHERE = {
    "transformers": "AdamW Adafactor",
    "transformers.optimization": "AdamW Adafactor",
    "timm.optim": """AdaBelief Adafactor AdafactorBigVision Adahessian AdamP AdamW AdamWLegacy Adan Adopt ADOPT Kron LaProp Lamb
        LambDirect Lars Lion MADGRAD Mars NAdamLegacy NAdamW NvNovoGrad RAdamLegacy RMSpropTF SGDP SGDW""",
    "apex.optimizers": "FusedAdam FusedSGD FusedLAMB FusedNovoGrad FusedAdagrad FusedMixedPrecisionLamb",
    "bitsandbytes.optim": """AdEMAMix AdEMAMix8bit Adagrad Adagrad8bit Adagrad32bit Adam Adam8bit Adam32bit AdamW AdamW8bit
        AdamW32bit LAMB LAMB8bit LAMB32bit LARS LARS8bit LARS32bit Lion Lion8bit Lion32bit PagedAdam PagedAdam8bit PagedAdam32bit
        PagedAdamW PagedAdamW8bit PagedAdamW32bit PagedLion PagedLion8bit PagedLion32bit RMSprop RMSprop8bit RMSprop32bit SGD
        SGD8bit SGD32bit""",
    "deepspeed.ops.adam": "FusedAdam DeepSpeedCPUAdam",
    "deepspeed.ops.lamb": "FusedLamb",
    "deepspeed.ops.lion": "FusedLion DeepSpeedCPULion",
    "torchao.optim": "Adam8bit Adam4bit AdamFp8 AdamW8bit AdamW4bit AdamWFp8",
    "torch_optimizer": """A2GradExp A2GradInc A2GradUni AccSGD AdaBelief AdaBound AdaMod Adafactor Adahessian AdamP AggMo Apollo
        DiffGrad LARS Lamb MADGRAD NovoGrad PID QHAdam QHM RAdam Ranger RangerQH RangerVA SGDP SGDW SWATS Shampoo Yogi""",
    "schedulefree": "AdamWScheduleFree SGDScheduleFree RAdamScheduleFree",
    "lion_pytorch": "Lion",
    "prodigyopt": "Prodigy",
    "dadaptation": "DAdaptAdam DAdaptSGD DAdaptAdaGrad DAdaptLion DAdaptAdan",
    "adabelief_pytorch": "AdaBelief",
    "adamp": "AdamP SGDP",
    "madgrad": "MADGRAD MirrorMADGRAD",
    "galore_torch": "GaLoreAdamW GaLoreAdamW8bit GaLoreAdafactor",
    "pytorch_optimizer": """AdaBelief AdaBound AdamP Adan Lamb LARS Lion MADGRAD Prodigy RAdam Ranger Ranger21 SGDP SophiaH
        ScheduleFreeAdamW ScheduleFreeSGD Shampoo SOAP Muon CAME Tiger""",
}  # fmt: skip


def _optimizers() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name, signature in _TORCH_OPTIM.items():
        found[f"torch.optim.{name}"] = found[f"torch.optim.{name.lower()}.{name}"] = signature
    found["torch.optim.sparse_adam.SparseAdam"] = found.pop("torch.optim.sparseadam.SparseAdam")
    found["torch.optim._adafactor.Adafactor"] = found.pop("torch.optim.adafactor.Adafactor")
    found["torch.optim._muon.Muon"] = found.pop("torch.optim.muon.Muon")
    zero = (
        "params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False"
    )
    found["torch.distributed.optim.ZeroRedundancyOptimizer"] = zero
    found["torch.distributed.optim.zero_redundancy_optimizer.ZeroRedundancyOptimizer"] = zero
    for module, names in _ELSEWHERE.items():
        found.update({f"{module}.{name}": None for name in names.split()})
    return found


OPTIMIZERS: dict[str, str | None] = _optimizers()
"""Optimizer classes whose first argument, `params`, is what they step; the whole signature where it is torch's own.

`ZeroRedundancyOptimizer` takes any further keyword.
"""

ANY_OPTIMIZER = "torch.optim.*"
"""One of the classes of `torch.optim`, not known which: `getattr(torch.optim, name)`."""

TAKES_CLOSURE = frozenset({"torch.optim.LBFGS", "torch.optim.lbfgs.LBFGS"})
"""`step(closure)` is required, and the closure clears, computes and calls backward, several times a step."""

OPTIMIZER_WRAPPERS: dict[str, str] = {
    "horovod.torch.DistributedOptimizer": "optimizer",
    "torch.distributed.optim.PostLocalSGDOptimizer": "optim",
    "torch_optimizer.Lookahead": "optimizer",
    "timm.optim.Lookahead": "base_optimizer",
    "pytorch_optimizer.Lookahead": "optimizer",
    "apex.parallel.LARC": "optimizer",
    "apex.parallel.LARC.LARC": "optimizer",
    "accelerate.optimizer.AcceleratedOptimizer": "optimizer",
}
"""Classes that take a finished optimizer and step it: name of the parameter, always the first."""

OPTIMIZER_FACTORIES = frozenset(
    {
        "timm.optim.create_optimizer",
        "timm.optim.create_optimizer_v2",
        "timm.optim.optim_factory.create_optimizer",
        "timm.optim.optim_factory.create_optimizer_v2",
    }
)
"""Functions that create an optimizer over a model's parameters; the model, or its parameters, is an argument."""

SCHEDULERS: frozenset[str] = frozenset(
    [
        *(
            f"torch.optim.lr_scheduler.{name}"
            for name in """LRScheduler _LRScheduler LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR
            SequentialLR PolynomialLR CosineAnnealingLR ChainedScheduler ReduceLROnPlateau CyclicLR
            CosineAnnealingWarmRestarts OneCycleLR""".split()
        ),
        "torch.optim.swa_utils.SWALR",
        *(
            f"{module}.{name}"
            for module in ("transformers", "transformers.optimization")
            for name in """get_scheduler get_constant_schedule get_constant_schedule_with_warmup
            get_linear_schedule_with_warmup get_cosine_schedule_with_warmup get_inverse_sqrt_schedule get_wsd_schedule
            get_cosine_with_hard_restarts_schedule_with_warmup get_polynomial_decay_schedule_with_warmup
            get_cosine_with_min_lr_schedule_with_warmup""".split()
        ),
        *(
            f"timm.scheduler.{name}"
            for name in """CosineLRScheduler MultiStepLRScheduler PlateauLRScheduler PolyLRScheduler StepLRScheduler
            TanhLRScheduler""".split()
        ),
    ]
)
"""Learning rate schedulers: classes, and functions that make one.  Their `step` is no optimizer step."""

SCALERS: frozenset[str] = frozenset(
    {
        "torch.amp.GradScaler",
        "torch.amp.grad_scaler.GradScaler",
        "torch.cuda.amp.GradScaler",
        "torch.cuda.amp.grad_scaler.GradScaler",
        "torch.cpu.amp.GradScaler",
        "torch.cpu.amp.grad_scaler.GradScaler",
        "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler",
    }
)
"""Gradient scalers: `scaler.step(optimizer)` steps, `scaler.scale(loss)` returns the loss to call backward on."""

CLIPS: frozenset[str] = frozenset(
    f"torch.nn.utils.{module}{name}"
    for module in ("", "clip_grad.")
    for name in ("clip_grad_norm_", "clip_grad_value_")
)
"""Functions that clip gradients; their first argument are parameters."""

WRAPPERS: dict[str, str] = {
    "torch.nn.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.data_parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "apex.parallel.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.distributed.fsdp.FullyShardedDataParallel": "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel": (
        "torch.distributed.fsdp.FullyShardedDataParallel"
    ),
    "fairscale.nn.FullyShardedDataParallel": "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.compile": "torch.compile",
    "torch._dynamo.optimize": "torch.compile",
    "torch.jit.script": "torch.jit.script",
    "torch.jit.trace": "torch.jit.trace",
    "torch.jit.freeze": "torch.jit.freeze",
    "torch.jit.optimize_for_inference": "torch.jit.freeze",
    "torch.fx.symbolic_trace": "torch.fx.symbolic_trace",
    "torch.optim.swa_utils.AveragedModel": "torch.optim.swa_utils.AveragedModel",
}
"""Calls that return another module which holds the first argument (`.module`, or under its own names), to the canonical name.

`AveragedModel` holds a copy, so that its parameters are not the module's.
"""

PARALLEL = frozenset({
    "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.FullyShardedDataParallel",
})  # fmt: skip
"""Wrappers that are modules and nothing else."""

SAME_MODULE: frozenset[str] = frozenset(
    {
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
        "apex.parallel.convert_syncbn_model",
        "torch.distributed.fsdp.fully_shard",
        "torch.distributed._composable.fsdp.fully_shard",
        "torch.distributed.tensor.parallel.parallelize_module",
        "torch.nn.utils.weight_norm",
        "torch.nn.utils.spectral_norm",
        "torch.nn.utils.remove_weight_norm",
        "torch.nn.utils.remove_spectral_norm",
        "torch.nn.utils.parametrizations.weight_norm",
        "torch.nn.utils.parametrizations.spectral_norm",
        "torch.nn.utils.parametrizations.orthogonal",
        "torch.nn.utils.parametrize.register_parametrization",
        "torch.nn.utils.parametrize.remove_parametrizations",
        "torch.nn.utils.prune.identity",
        "torch.nn.utils.prune.l1_unstructured",
        "torch.nn.utils.prune.ln_structured",
        "torch.nn.utils.prune.random_structured",
        "torch.nn.utils.prune.random_unstructured",
        "torch.nn.utils.prune.custom_from_mask",
        "torch.nn.utils.prune.remove",
    }
)
"""Calls that return their first argument, modified in place, or the same module with some layers replaced."""
