"""Lists calls for rows that torch's op_db has no samples for: factories, data, in-place fills, attributes, conversions.

Each entry is a function that makes (args, kwargs) anew, so that a call that writes cannot spoil the next one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

Call = Callable[[], tuple[tuple, dict]]
CALLS: dict[str, list[Call]] = {}


def add(name: str, *args, **kwargs) -> None:
    """One call of `name`.  An argument that is a function without parameters is called for its value."""

    def made(value):
        return value() if getattr(value, "__name__", "") == "<lambda>" else value

    CALLS.setdefault(name, []).append(
        lambda: (tuple(made(value) for value in args), {key: made(value) for key, value in kwargs.items()})
    )


def f32(*sizes: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.rand(sizes) + 0.1


def grad(*sizes: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.rand(sizes, requires_grad=True)


def i64(*sizes: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.randint(1, 9, sizes)


def turned(*sizes: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.rand(sizes[::-1]).permute(*reversed(range(len(sizes))))


TENSORS = (
    f32(3, 4),
    grad(3, 4),
    i64(3, 4),
    turned(3, 4),
    turned(2, 3, 4),
    f32(),
    f32(0, 2),
    lambda: torch.rand(2, 3).bool(),
)
FLOATING = (f32(3, 4), grad(3, 4), turned(3, 4), turned(2, 3, 4), f32())

# ---- factories ----------------------------------------------------------------------------------------------------------

for _name in ("torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn"):
    add(_name, 2, 3)
    add(_name, (2, 3))
    add(_name, [4])
    add(_name, ())
    add(_name, size=(2, 3), dtype=torch.float64)
    add(_name, 5, requires_grad=True)
    add(_name, torch.Size([2, 5]), device="cpu", dtype=torch.bfloat16)
add("torch.randperm", 7)
add("torch.randperm", 0, dtype=torch.int32)
for _name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
    add(f"torch.{_name}_window", 8)
    add(f"torch.{_name}_window", 8, periodic=False, dtype=torch.float64)
for _args in (
    (5,),
    (1, 5),
    (0, 7, 2),
    (1.5,),
    (0.0, 1.0, 0.3),
    (0, 1, 0.25),
    (5, 0, -2),
    (3, 3),
    (10, 0, -3),
    (True, 5),
):
    add("torch.arange", *_args)
add("torch.arange", end=5)
add("torch.arange", 5, dtype=torch.float32, requires_grad=True)
add("torch.randint", 5, (2, 3))
add("torch.randint", 1, 5, (2,))
add("torch.randint", high=5, size=(2, 2), low=1)
add("torch.randint", 0, 2, (3,), dtype=torch.float32)
add("torch.full", (2, 3), 1)
add("torch.full", (2, 3), 1.0)
add("torch.full", (2,), True)
add("torch.full", (2,), 1j)
add("torch.full", [2], 0, dtype=torch.float16)
add("torch.eye", 3)
add("torch.eye", 3, 5, dtype=torch.bool)

# ---- data ---------------------------------------------------------------------------------------------------------------

_DATA = (
    1, 2.5, True, 1j, [], [1, 2, 3], [1, 2.0], [True, False], [True, 2], [[1, 2], [3, 4]], [[1.0], [2.0]], [[], []], (1, 2),
    [[[1]]], [1, 2j], [(1, 2), [3, 4]],
)  # fmt: skip
_ARRAYS = (
    lambda: np.zeros((2, 3)), lambda: np.zeros(3, dtype=np.float32), lambda: np.arange(4), lambda: np.array([True, False]),
    lambda: [np.zeros(2), np.zeros(2)], lambda: np.asfortranarray(np.zeros((2, 3), dtype=np.int32)),
)  # fmt: skip
for _name in ("torch.tensor", "torch.as_tensor", "torch.asarray"):
    for _data in (*_DATA, *_ARRAYS, *TENSORS):
        add(_name, _data)
        add(_name, _data, dtype=torch.float64)
    add(_name, lambda: [torch.tensor(1), torch.tensor(2)])
    add(_name, [1, 2], device="cpu")
    add(_name, lambda: np.zeros(3), device="cpu")
    add(_name, f32(3), device="cpu")
add("torch.tensor", [1.0, 2.0], requires_grad=True)
add("torch.tensor", grad(3), requires_grad=True)
add("torch.asarray", [1.0, 2.0], requires_grad=True)
add("torch.asarray", f32(3), copy=True)
for _data in _ARRAYS:
    if _data is not _ARRAYS[4]:
        add("torch.from_numpy", _data)
for _args in ((), (2, 3), (3,), ([1, 2],), ((2, 3),), ([[1.0], [2.0]],), (torch.Size([2, 2]),)):
    add("torch.Tensor", *_args)
    add("torch.FloatTensor", *_args)
    add("torch.LongTensor", *_args)
for _name in ("Double", "Half", "BFloat16", "Int", "Short", "Char", "Byte", "Bool"):
    add(f"torch.{_name}Tensor", [1, 0])
    add(f"torch.{_name}Tensor", 2, 3)
add("torch.Tensor", lambda: np.zeros((2, 2), dtype=np.float32))
add("torch.Tensor", lambda: np.zeros((2, 2)))
add("Tensor.new_tensor", f32(2), [1, 2])
add("Tensor.new_tensor", i64(2), [1.5, 2])
add("Tensor.new_tensor", f32(2), [1, 2], dtype=torch.int32)
for _name in ("new_zeros", "new_ones", "new_empty"):
    add(f"Tensor.{_name}", i64(2), 3, 4)
    add(f"Tensor.{_name}", grad(2), (3, 4), dtype=torch.int32)

# ---- activations with a flag --------------------------------------------------------------------------------------------

_FUNCTIONAL = "torch.nn.functional."
for _name in (
    "relu", "relu6", "elu", "celu", "selu", "silu", "mish", "hardswish", "hardsigmoid", "leaky_relu", "hardtanh", "rrelu",
    "dropout", "alpha_dropout", "dropout2d", "dropout3d", "dropout1d",
):  # fmt: skip
    _shapes = (
        [f32(2, 3, 4), grad(2, 3, 4)] if _name in ("dropout1d",)
        else [f32(2, 3, 4, 4), grad(2, 3, 4, 4)] if _name == "dropout2d"
        else [f32(2, 3, 4, 4, 4), grad(2, 3, 4, 4, 4)] if _name == "dropout3d"
        else FLOATING
    )  # fmt: skip
    for _tensor in _shapes:
        add(_FUNCTIONAL + _name, _tensor)
        add(_FUNCTIONAL + _name, _tensor, inplace=False)
        if _name != "rrelu":
            add(_FUNCTIONAL + _name, lambda t=_tensor: t().detach(), inplace=True)
    if "dropout" in _name:
        for _tensor in _shapes:
            add(_FUNCTIONAL + _name, _tensor, training=False)
            add(_FUNCTIONAL + _name, _tensor, 0.0, True)
            add(_FUNCTIONAL + _name, _tensor, p=1.0, training=True)
add(_FUNCTIONAL + "dropout1d", f32(3, 4), training=False)
add(_FUNCTIONAL + "dropout1d", grad(3, 4), training=True)
add(_FUNCTIONAL + "threshold", f32(2, 2), 0.1, 0.0, True)
for _tensor in (f32(3, 4), grad(3, 4)):
    add(_FUNCTIONAL + "gumbel_softmax", _tensor)
    add(_FUNCTIONAL + "gumbel_softmax", _tensor, hard=True, dim=0)
    add("torch.dropout", _tensor, 0.5, True)
    add("torch.dropout", _tensor, 0.5, train=False)
    add("torch.dropout_", _tensor, 0.5, True)
    add(_FUNCTIONAL + "softmax", _tensor, dim=-1)
    add(_FUNCTIONAL + "softmax", _tensor)
    add(_FUNCTIONAL + "log_softmax", _tensor, 1, dtype=torch.float64)
for _name in ("mvlgamma", "mvlgamma_"):
    add(f"Tensor.{_name}", lambda: torch.rand(3, 4) + 3, 2)
add("torch.mvlgamma", lambda: torch.rand(3, 4) + 3, p=2)
add("torch.polygamma", 1, f32(3, 4))
add("Tensor.where", f32(3, 4), lambda: torch.rand(3, 4) > 0.5, 0.0)
add("Tensor.where", i64(3, 4), lambda: torch.rand(4) > 0.5, f32(3, 1))
add("torch.where", lambda: torch.rand(3, 4) > 0.5)
add("Tensor.zero_", turned(3, 4))
add("Tensor.copy_", turned(3, 4), i64(4))
add("Tensor.copy_", f32(3, 4), grad(1, 4))

# ---- random fills and initialisation ------------------------------------------------------------------------------------

for _name in ("normal_", "uniform_", "exponential_", "cauchy_", "log_normal_", "bernoulli_", "random_"):
    for _tensor in FLOATING:
        add(f"Tensor.{_name}", _tensor)
add("Tensor.geometric_", f32(3), 0.5)
add("Tensor.random_", i64(3), 5)
add("Tensor.random_", i64(3), 2, 5)
add("Tensor.uniform_", f32(3), -1, 1)
add("Tensor.normal_", f32(3), 0, 1)
add("Tensor.bernoulli_", f32(3), 0.3)
for _name in ("uniform_", "normal_", "ones_", "zeros_", "trunc_normal_", "xavier_uniform_", "xavier_normal_", "orthogonal_",
              "eye_", "kaiming_uniform_", "kaiming_normal_"):  # fmt: skip
    add(f"torch.nn.init.{_name}", f32(3, 4))
    add(f"torch.nn.init.{_name}", grad(3, 4))
add("torch.nn.init.constant_", f32(3), 1.5)
add("torch.nn.init.sparse_", f32(3, 4), 0.5)
add("torch.nn.init.dirac_", f32(3, 4, 5))
add("torch.poisson", f32(3, 4))
add("torch.poisson", grad(3, 4))
add("torch.normal", 0.0, 1.0, (2, 3))
add("torch.normal", 0, 1, size=(2, 3), dtype=torch.float64)
add("torch.normal", f32(2, 3), turned(2, 3))
add("torch.normal", mean=turned(2, 3), std=f32(2, 3))
add("torch.polar", f32(2), f32(2))

# ---- conversions --------------------------------------------------------------------------------------------------------

for _tensor in TENSORS:
    for _args in (
        (), ("cpu",), (torch.device("cpu"),), (torch.float64,), (torch.int64,), ("cpu", torch.float16), (torch.float32, True),
        (torch.float32, False, True), ("cpu", torch.float32, False, True), (None, torch.float64),
    ):  # fmt: skip
        add("Tensor.to", _tensor, *_args)
    add("Tensor.to", _tensor, dtype=torch.float32)
    add("Tensor.to", _tensor, device="cpu", dtype=torch.bfloat16, non_blocking=True)
    add("Tensor.to", _tensor, torch.float32, copy=True)
    add("Tensor.to", _tensor, i64(2))
    add("Tensor.to", _tensor, other=f32(2))
    add("Tensor.to", _tensor, memory_format=torch.preserve_format)
    add("Tensor.to", _tensor, memory_format=torch.contiguous_format)
    add("Tensor.to", _tensor, torch.float64, memory_format=torch.contiguous_format)
    add("Tensor.cpu", _tensor)
    add("Tensor.type", _tensor)
    add("Tensor.type", _tensor, torch.float32)
    add("Tensor.type", _tensor, dtype=torch.int32)
    add("Tensor.type", _tensor, "torch.DoubleTensor")
    add("Tensor.type_as", _tensor, i64(3))
    add("Tensor.type_as", _tensor, f32(3))
    add("Tensor.numpy", _tensor if "grad" not in _tensor.__qualname__ else f32(2))
    add("Tensor.numpy", _tensor, force=True)
    add("Tensor.__array__", _tensor if "grad" not in _tensor.__qualname__ else f32(2))
    add("Tensor.tolist", _tensor)
    add("torch.detach", _tensor)
    add("Tensor.detach", _tensor)
    add("Tensor.data", _tensor)
    add("torch.clone", _tensor)
    add("Tensor.clone", _tensor, memory_format=torch.contiguous_format)
for _format in (torch.channels_last, torch.contiguous_format):
    for _tensor in (f32(2, 3, 4, 5), grad(2, 3, 4, 5), turned(2, 3, 4, 5), f32(2, 1, 4, 4), f32(2, 3, 1, 1), f32(1, 3, 4, 4),
                    lambda: torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last),
                    lambda: torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)[:, :2]):  # fmt: skip
        add("Tensor.to", _tensor, memory_format=_format)
        add("Tensor.to", _tensor, torch.float64, memory_format=_format)
        add("Tensor.clone", _tensor, memory_format=_format)
        add("Tensor.float", _tensor, memory_format=_format)
        add("Tensor.cpu", _tensor, memory_format=_format)

# ---- attributes and autograd --------------------------------------------------------------------------------------------

for _tensor in (
    *TENSORS,
    lambda: torch.rand(3, 4)[:, :2],
    lambda: torch.rand(2, 3, dtype=torch.complex64),
    f32(1, 3),
):
    for _name in (
        "shape", "ndim", "dtype", "device", "is_cuda", "is_cpu", "is_meta", "requires_grad", "is_leaf", "itemsize", "nbytes",
        "dim", "ndimension", "numel", "nelement", "size", "stride", "is_contiguous", "is_floating_point", "is_complex",
        "is_signed", "element_size", "is_pinned",
    ):  # fmt: skip
        add(f"Tensor.{_name}", _tensor)
    add("torch.numel", _tensor)
    add("torch.is_floating_point", _tensor)
    add("torch.is_complex", _tensor)
    add("torch.is_tensor", _tensor)
    add("torch.result_type", _tensor, 2.0)
    add("torch.result_type", _tensor, i64(3))
    add("Tensor.is_same_size", _tensor, f32(3, 4))
    add("Tensor.detach_", lambda t=_tensor: t().detach())
for _tensor in (f32(3, 4), turned(2, 3, 4), f32(0, 2)):
    add("Tensor.size", _tensor, -1)
    add("Tensor.size", _tensor, dim=0)
    add("Tensor.stride", _tensor, 0)
    add("Tensor.__len__", _tensor)
for _format in (torch.channels_last, torch.contiguous_format):
    for _tensor in (
        f32(2, 3, 4, 5),
        lambda: torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last),
        f32(2, 3, 1, 1),
    ):
        add("Tensor.is_contiguous", _tensor, memory_format=_format)
add("torch.is_tensor", 3)
add("torch.promote_types", torch.float16, torch.bfloat16)
add("torch.can_cast", torch.float32, torch.int64)
add("Tensor.backward", lambda: torch.rand(3, requires_grad=True).sum())
add("Tensor.backward", grad(1))
add("Tensor.backward", grad(3), f32(3))
add("torch.autograd.backward", lambda: torch.rand(3, requires_grad=True).sum())
add("Tensor.requires_grad_", f32(3))
add("Tensor.requires_grad_", f32(3), False)
add("Tensor.retain_grad", grad(3))


def _of_squares(several: bool, **options) -> None:
    def make() -> tuple[tuple, dict]:
        leaf = torch.rand(3, requires_grad=True)
        total = (leaf * leaf).sum()
        return (total, [leaf] if several else leaf), options

    CALLS.setdefault("torch.autograd.grad", []).append(make)


_of_squares(True)
_of_squares(False)
_of_squares(False, create_graph=True)
_of_squares(True, allow_unused=True)

# ---- images and matrices ------------------------------------------------------------------------------------------------

add("torch.nn.functional.affine_grid", f32(2, 2, 3), (2, 3, 4, 5), align_corners=False)
add("torch.nn.functional.affine_grid", grad(2, 3, 4), [2, 3, 4, 5, 6], align_corners=False)
add("torch.nn.functional.fold", f32(2, 12, 12), (4, 5), 2)
add("torch.nn.functional.fold", grad(12, 12), (4, 5), (2, 2))
add("torch.nn.functional.fold", f32(2, 12, 6), (4, 5), 2, padding=1, stride=2, dilation=1)
add("torch.linalg.lstsq", f32(4, 3), f32(4, 2))
add("torch.linalg.lstsq", f32(5, 4, 3), f32(5, 4, 2))

# ---- statistics ---------------------------------------------------------------------------------------------------------

add("Tensor.polygamma", f32(3), 1)
add("torch.is_nonzero", f32(1))
add("torch.vander", f32(3))
add("torch.vander", i64(3), 5)
add("torch.broadcast_shapes", (2, 1), (3,))
add("torch.broadcast_shapes", torch.Size([4, 1]), (4, 4), 4)
add("torch.get_default_dtype")
add("torch.unravel_index", i64(3), (3, 4))

# ---- attributes of tensors and of the process -----------------------------------------------------------------------------

for _name in ("_version", "data_ptr", "get_device", "grad", "is_mps", "is_shared", "is_xpu", "output_nr", "retains_grad",
              "storage_offset"):  # fmt: skip
    for _tensor in (f32(3, 4), grad(3, 4)):
        add(f"Tensor.{_name}", _tensor)
add("Tensor.register_hook", grad(3, 4), print)
add("Tensor.__contains__", f32(3, 4), 0.5)
for _name in ("initial_seed", "is_grad_enabled", "is_inference_mode_enabled"):
    add(f"torch.{_name}")
add("torch.manual_seed", 0)
add("Tensor.resize_", f32(3, 4), 2, 3)
add("Tensor.resize_", f32(3, 4), (6, 2))
add("Tensor.resize_as_", f32(3, 4), f32(2, 6))
add("Tensor.set_", f32(3, 4), f32(2, 6))
add("torch.frombuffer", lambda: bytearray(12), dtype=torch.int32)
add("torch.frombuffer", lambda: bytearray(12), dtype=torch.float32, count=2, offset=4)

# ---- pooling, normalisation, sequences ------------------------------------------------------------------------------------

for _rank in (1, 2, 3):
    _sizes = (8,) * _rank
    for _tensor in (f32(2, 3, *_sizes), grad(2, 3, *_sizes), turned(2, 3, *_sizes)):
        for _name in (f"torch.max_pool{_rank}d", f"{_FUNCTIONAL}max_pool{_rank}d_with_indices"):
            add(_name, _tensor, 2)
            add(_name, _tensor, 3, stride=2, padding=1)
        add(f"{_FUNCTIONAL}adaptive_max_pool{_rank}d_with_indices", _tensor, 4)
        add(f"{_FUNCTIONAL}lp_pool{_rank}d", _tensor, 2, 2)
        add(f"{_FUNCTIONAL}lp_pool{_rank}d", _tensor, 1.5, 3, stride=2, ceil_mode=True)
for _tensor in (f32(2, 3, 8), grad(2, 3, 8), turned(2, 3, 8)):
    add("torch.max_pool1d_with_indices", _tensor, 2)
    add("torch.adaptive_max_pool1d", _tensor, 4)
    add("torch.adaptive_avg_pool1d", _tensor, 4)
    add("torch.avg_pool1d", _tensor, 2)
    add("torch.avg_pool1d", _tensor, 3, 2, 1)
for _tensor in (f32(2, 6, 4), grad(2, 6, 4), turned(2, 6, 4)):
    add("torch.layer_norm", _tensor, (4,))
    add("torch.layer_norm", _tensor, [6, 4], f32(6, 4), f32(6, 4))
    add("torch.group_norm", _tensor, 3)
    add("torch.group_norm", _tensor, 2, grad(6), grad(6))
_PAD = "torch.nn.utils.rnn.pad_sequence"
for _tensor in (f32(3, 4), grad(3, 4), i64(3, 4)):
    add(_PAD, lambda t=_tensor: [t(), t()[:2]])
    add(_PAD, lambda t=_tensor: [t(), t()[:2]], batch_first=True, padding_value=1.0)
