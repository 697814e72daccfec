"""Lists functions of torch that warn of their removal, and those that only raise since their removal.

Names come from torch's own warnings and errors, run in torch 2.13, and those of DISCOURAGED from its documentation alone;
`since` is the release that began to say so.  Where a name is no longer there at all, `torch_names`
tells.
"""

from __future__ import annotations

from torchlsp.core.records import dataclass

Version = tuple[int, int]
_LONG_AGO: Version = (1, 9)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice of torch; `instead` is the dotted name of the replacement.  `change` tells how the call
    changes: "rename" (nothing but the name), "amp" (the device goes first), or a word that the rule knows;
    empty: by hand."""

    since: Version
    instead: str = ""
    change: str = ""


_INIT = "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"
_FUNC = "vmap grad grad_and_value vjp jvp jacrev jacfwd hessian functionalize"

DEPRECATED: dict[str, Notice] = {
    "torch.qr": Notice(_LONG_AGO, "torch.linalg.qr", "qr"),
    "torch.cholesky": Notice(_LONG_AGO, "torch.linalg.cholesky", "cholesky"),
    "torch.chain_matmul": Notice(_LONG_AGO, "torch.linalg.multi_dot", "chain_matmul"),
    "torch.range": Notice(_LONG_AGO, "torch.arange", "range"),
    "torch.lu": Notice((1, 11), "torch.linalg.lu_factor"),
    "torch.lu_solve": Notice((1, 11), "torch.linalg.lu_solve"),
    "torch.triangular_solve": Notice((1, 11), "torch.linalg.solve_triangular"),
    "torch.set_default_tensor_type": Notice((2, 1), "torch.set_default_dtype"),
    "torch.Tensor.qr": Notice(_LONG_AGO, "torch.linalg.qr", "method"),
    "torch.Tensor.cholesky": Notice(_LONG_AGO, "torch.linalg.cholesky", "method"),
    "torch.Tensor.lu": Notice((1, 11), "torch.linalg.lu_factor"),
    "torch.Tensor.lu_solve": Notice((1, 11), "torch.linalg.lu_solve"),
    "torch.Tensor.triangular_solve": Notice((1, 11), "torch.linalg.solve_triangular"),
    "torch.Tensor.resize": Notice(_LONG_AGO, "torch.Tensor.reshape"),
    "torch.Tensor.resize_as": Notice(_LONG_AGO, "torch.Tensor.reshape"),
    **{f"torch.nn.init.{name}": Notice((1, 0), f"torch.nn.init.{name}_", "rename") for name in _INIT.split()},
    "torch.nn.utils.clip_grad_norm": Notice((1, 0), "torch.nn.utils.clip_grad_norm_", "rename"),
    "torch.nn.utils.weight_norm": Notice((2, 1), "torch.nn.utils.parametrizations.weight_norm", "other keys"),
    "torch.nn.utils.stateless.functional_call": Notice((2, 0), "torch.func.functional_call", "rename"),
    "torch.nn.functional.upsample": Notice(_LONG_AGO, "torch.nn.functional.interpolate", "upsample"),
    "torch.nn.functional.upsample_nearest": Notice(_LONG_AGO, "torch.nn.functional.interpolate"),
    "torch.nn.functional.upsample_bilinear": Notice(_LONG_AGO, "torch.nn.functional.interpolate"),
    "torch.nn.NLLLoss2d": Notice(_LONG_AGO, "torch.nn.NLLLoss", "rename"),
    "torch.backends.cuda.sdp_kernel": Notice((2, 3), "torch.nn.attention.sdpa_kernel"),
    "torch.cuda.memory_cached": Notice((1, 4), "torch.cuda.memory_reserved", "rename"),
    "torch.cuda.max_memory_cached": Notice((1, 4), "torch.cuda.max_memory_reserved", "rename"),
    "torch.cuda.reset_max_memory_allocated": Notice((1, 4), "torch.cuda.reset_peak_memory_stats", "rename"),
    "torch.cuda.reset_max_memory_cached": Notice((1, 4), "torch.cuda.reset_peak_memory_stats", "rename"),
    "torch.library.impl_abstract": Notice((2, 4), "torch.library.register_fake", "rename"),
    "torch.testing.assert_allclose": Notice((1, 12), "torch.testing.assert_close", "tolerances"),
    **{f"functorch.{name}": Notice((2, 0), f"torch.func.{name}", "rename") for name in _FUNC.split()},
    "torch.ao.quantization.quantize_dynamic": Notice((2, 10), "torchao"),
    "torch.ao.quantization.quantize": Notice((2, 10), "torchao"),
    "torch.ao.quantization.quantize_qat": Notice((2, 10), "torchao"),
    "torch.ao.quantization.prepare": Notice((2, 10), "torchao"),
    "torch.ao.quantization.prepare_qat": Notice((2, 10), "torchao"),
    "torch.ao.quantization.convert": Notice((2, 10), "torchao"),
}  # fmt: skip

DISCOURAGED: dict[str, Notice] = {
    "torch.norm": Notice((1, 7), "torch.linalg.vector_norm", "norm"),
    "torch.ger": Notice((1, 8), "torch.outer", "rename"),
    "torch.svd": Notice(_LONG_AGO, "torch.linalg.svd"),
    "torch.nn.Module.register_backward_hook": Notice((1, 8), "torch.nn.Module.register_full_backward_hook"),
}
"""Functions that the documentation calls deprecated, and that do not warn."""

AMP: dict[str, Notice] = {
    **{
        f"torch.{kind}.amp.{name}": Notice((2, 4), f"torch.amp.{name}", "amp")
        for kind, names in (
            ("cuda", "autocast GradScaler custom_fwd custom_bwd"),
            ("cpu", "autocast GradScaler"),
        )
        for name in names.split()
    },
}

STORAGE: dict[str, Notice] = {
    "torch.Tensor.storage": Notice((2, 0), "torch.Tensor.untyped_storage", "storage")
}

TORCHSCRIPT: dict[str, Notice] = {
    f"torch.jit.{name}": Notice((2, 10), instead)
    for name, instead in (
        ("script", "torch.compile"), ("trace", "torch.export"), ("save", "torch.export"), ("load", "torch.export"),
    )
}  # fmt: skip

UNSAID: dict[str, tuple[str, int | None, str, Version]] = {
    "torch.meshgrid": ("indexing", None, "'ij'", (1, 10)),
    "torch.utils.checkpoint.checkpoint": ("use_reentrant", None, "True", (2, 1)),
    "torch.utils.checkpoint.checkpoint_sequential": ("use_reentrant", None, "True", (2, 4)),
    "torch.nn.functional.grid_sample": ("align_corners", 4, "False", (1, 3)),
    "torch.nn.functional.affine_grid": ("align_corners", 2, "False", (1, 3)),
}
"""Functions that warn when an argument is omitted: its name, its position (None: by name only), its default
then, and since when."""

REMOVED: dict[str, Notice] = {
    "torch.symeig": Notice((2, 0), "torch.linalg.eigh"),
    "torch.eig": Notice((1, 13), "torch.linalg.eig"),
    "torch.lstsq": Notice((1, 13), "torch.linalg.lstsq"),
    "torch.solve": Notice((1, 13), "torch.linalg.solve"),
    "torch.matrix_rank": Notice((1, 13), "torch.linalg.matrix_rank", "rename"),
    "torch.Tensor.symeig": Notice((2, 0), "torch.linalg.eigh"),
    "torch.Tensor.eig": Notice((1, 13), "torch.linalg.eig"),
    "torch.Tensor.lstsq": Notice((1, 13), "torch.linalg.lstsq"),
    "torch.Tensor.solve": Notice((1, 13), "torch.linalg.solve"),
}
"""Functions that still exist, and do nothing but raise."""

LOSS_FLAGS = frozenset({"size_average", "reduce"})
"""Arguments of torch's losses that `reduction` has replaced."""
