"""Evaluates Fourier transforms: torch.fft, stft and istft."""

from __future__ import annotations

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.dim import Dim, floor_divide
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call, ViewLaw
from torchlsp.ops.columns import normal_dim, normal_dims, rank_is, rank_is_at_least, through
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.reordering import of_input

HALF_LAST = ("rfft", "ihfft")
"""Transforms of real input that give `n // 2 + 1` complex elements."""
WHOLE_REAL = ("irfft", "hfft")
"""Transforms of half a spectrum that give `n` real elements."""


def _dtype(name: str, dtype: DType | None, c: Call) -> DType | None:
    if dtype is None:
        return None
    floating = dtype if dtypes.can_require_grad(dtype) else c.context.default_dtype
    if floating is None:
        return None
    if any(name.startswith(prefix) for prefix in WHOLE_REAL):
        return dtypes.real_of(floating) if floating in dtypes.COMPLEX else floating
    if floating in dtypes.COMPLEX:
        return floating
    return {"f16": "c32", "f32": "c64", "f64": "c128"}.get(floating)


def _last_size(name: str, size: Dim, n: Dim | None) -> Dim:
    """Returns the transformed size: `n` where it is given, halved or doubled for real transforms."""
    if name.startswith(WHOLE_REAL):
        return 2 * (size - 1) if n is None else n
    whole = size if n is None else n
    return whole // 2 + 1 if name.startswith(HALF_LAST) else whole


def _transformed(name: str) -> ViewLaw:
    """Makes the law of one dim: `n` cuts or pads it first."""

    def law(c: Call, tensor: TensorFact) -> TensorFact:
        rank_is_at_least(c, tensor, 1)
        if name in HALF_LAST and tensor.dtype in dtypes.COMPLEX:
            raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="real")
        dim, n = normal_dim(c, "dim", tensor), c.dim("n")
        if isinstance(n, int) and n < 1:
            raise c.broken(FaultKind.ARGUMENT, input=tensor, argument="n", value=n)
        shape: Shape = None
        if dim is not None and tensor.shape is not None and (n is not None or c.given("n") is Tri.NO):
            size = _last_size(name, tensor.shape[dim], n)
            shape = (*tensor.shape[:dim], size, *tensor.shape[dim + 1 :])
        dtype = _dtype(name, tensor.dtype, c)
        return c.make(shape, dtype, tensor.device, None, c.fresh_storage(), through(c, dtype))

    return law


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    TABLE.row(
        f"torch.fft.{_name}",
        signature="input, n=None, dim=-1, norm=None", result=of_input(_transformed(_name)), opinfo=f"fft.{_name}",
    )  # fmt: skip


def _transformed_dims(name: str) -> ViewLaw:
    """Makes the law of several dims: by default the last two, or all, or as many as `s` has sizes."""

    def law(c: Call, tensor: TensorFact) -> TensorFact:
        dtype = _dtype(name, tensor.dtype, c)
        shape = _sizes_of_dims(c, tensor, name)
        return c.make(shape, dtype, tensor.device, None, c.fresh_storage(), through(c, dtype))

    return law


def _sizes_of_dims(c: Call, tensor: TensorFact, name: str) -> Shape:
    if not tensor.shape or Tri.UNKNOWN in (c.given("s"), c.given("dim")):
        return None
    given = c.sizes("s") if c.given("s") is Tri.YES else None
    if c.given("s") is Tri.YES and (given is None or None in given or -1 in given):
        return None
    if c.given("dim") is Tri.YES:
        found = normal_dims(c, "dim", tensor)
    elif given is not None:
        found = tuple(range(len(tensor.shape) - len(given), len(tensor.shape)))
    else:
        found = tuple(range(len(tensor.shape)))
    if found is None or (given is not None and len(given) != len(found)) or not found or min(found) < 0:
        return None
    sizes = list(tensor.shape)
    for i, dim in enumerate(found):
        n = None if given is None else given[i]
        last = i == len(found) - 1
        sizes[dim] = _last_size(name, sizes[dim], n) if last else (sizes[dim] if n is None else n)
    return tuple(sizes)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    TABLE.row(
        f"torch.fft.{_name}2", signature="input, s=None, dim=(-2, -1), norm=None",
        result=of_input(_transformed_dims(_name)), opinfo=f"fft.{_name}2",
    )  # fmt: skip
    TABLE.row(
        f"torch.fft.{_name}n", signature="input, s=None, dim=None, norm=None",
        result=of_input(_transformed_dims(_name)), opinfo=f"fft.{_name}n",
    )  # fmt: skip


def _shifted(c: Call, tensor: TensorFact) -> TensorFact:
    normal_dims(c, "dim", tensor)
    return c.make(
        tensor.shape, tensor.dtype, tensor.device, None, c.fresh_storage(), through(c, tensor.dtype)
    )


for _name in ("fftshift", "ifftshift"):
    TABLE.row(
        f"torch.fft.{_name}", signature="input, dim=None", result=of_input(_shifted), opinfo=f"fft.{_name}"
    )


def _stft(c: Call, tensor: TensorFact) -> TensorFact:
    """Evaluates `(B, T)` to `(B, n_fft // 2 + 1, frames)`, complex."""
    rank_is(c, tensor, 1, 2)
    n_fft, hop = c.dim("n_fft"), c.dim("hop_length")
    if hop is None and n_fft is not None and c.given("hop_length") is Tri.NO:
        hop = n_fft // 4
    as_complex, one_sided, center = c.flag("return_complex"), c.flag("onesided"), c.flag("center")
    half = True if c.given("onesided") is Tri.NO else one_sided
    real_input = tensor.dtype in dtypes.FLOATING and not isinstance(c.tensor("window"), TensorFact)
    dtype = _dtype("fft", tensor.dtype, c) if as_complex and real_input else None
    grad = through(c, dtype)
    if (
        tensor.shape is None
        or n_fft is None
        or hop is None
        or center is None
        or not as_complex
        or half is None
        or not real_input
    ):
        return c.make(None, dtype, tensor.device, None, grad=grad)
    length = tensor.shape[-1] + (2 * (n_fft // 2) if center else 0)
    frames = floor_divide(length - n_fft, hop) + 1
    shape = (*tensor.shape[:-1], n_fft // 2 + 1 if half else n_fft, frames)
    return c.make(shape, dtype, tensor.device, None, grad=grad)


TABLE.row(
    "torch.stft", "Tensor.stft",
    signature="input, n_fft: int, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', "
    "normalized=False, onesided=None, return_complex=None, align_to_window=None",
    result=of_input(_stft), opinfo="stft",
)  # fmt: skip
