"""Defines pooling layers, by the laws of the functional forms in `ops.tensor.pooling`."""

from __future__ import annotations

from torchlsp.ops.parameters import by_functional
from torchlsp.ops.table import LAYERS

_AVG = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True"
_FRACTIONAL = "kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"


def _register_pool(
    name: str, functional: str, signature: str, has_module_info: bool = True, forward: str = "input"
) -> None:
    LAYERS.row(
        f"torch.nn.{name}", signature=signature, forward=forward, owns_parameters=False,
        result=by_functional(f"torch.nn.functional.{functional}"), moduleinfo=f"nn.{name}" if has_module_info else None,
    )  # fmt: skip


for _rank in (1, 2, 3):
    _register_pool(
        f"MaxPool{_rank}d", f"max_pool{_rank}d",
        "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
    )  # fmt: skip
    _register_pool(
        f"AvgPool{_rank}d", f"avg_pool{_rank}d", _AVG if _rank == 1 else f"{_AVG}, divisor_override=None"
    )
    _register_pool(
        f"LPPool{_rank}d", f"lp_pool{_rank}d", "norm_type, kernel_size, stride=None, ceil_mode=False"
    )
    _register_pool(f"AdaptiveAvgPool{_rank}d", f"adaptive_avg_pool{_rank}d", "output_size")
    _register_pool(
        f"AdaptiveMaxPool{_rank}d", f"adaptive_max_pool{_rank}d", "output_size, return_indices=False"
    )
    _register_pool(
        f"MaxUnpool{_rank}d", f"max_unpool{_rank}d", "kernel_size, stride=None, padding=0", has_module_info=False,
        forward="input, indices, output_size=None",
    )  # fmt: skip
for _rank in (2, 3):
    _register_pool(f"FractionalMaxPool{_rank}d", f"fractional_max_pool{_rank}d", _FRACTIONAL)
