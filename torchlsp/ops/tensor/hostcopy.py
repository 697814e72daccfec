"""Converts tensors to NumPy arrays: `Tensor.numpy`, `Tensor.__array__` and whatever calls them.

torch looks at the device, then at requires_grad (while grad mode is on), then at the dtype, and raises at the first that
fails.  Source: `tensor_to_numpy` in torch/csrc/utils/tensor_numpy.cpp (torch 2.13); order and texts measured.
"""

from __future__ import annotations

from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import ArrayValue
from torchlsp.ops.call import Call

NOT_IN_NUMPY = frozenset({"bf16", "c32", "f8_e4m3fn", "f8_e5m2"})
"""Dtypes that `Tensor.numpy()` refuses with `Got unsupported ScalarType`."""


def numpy_conversion(c: Call, tensor: TensorFact, via: str) -> ArrayValue:
    """Returns the array that shares the tensor's memory; raises `Broken` where torch certainly refuses.

    `via` is the call that converts (`Tensor.numpy`, `numpy.asarray`).  The fault's data: `input`, `via`, and `missing`,
    the tensor methods to insert in this order (`("detach", "cpu")`, `("float",)`).  A tensor on *CUDA if available* is a
    fault that assumes `cuda`; when it requires grad as well it fails on every machine, and both are told.
    """
    host = Tri.UNKNOWN if tensor.device is None else tensor.device.is_host
    requires = tensor.grad.requires.both(recording(c))
    rests_on = tensor.assumed & {"tensor"}
    missing = missing_calls(c, tensor)
    array = ArrayValue(tensor.shape, tensor.dtype, tensor.storage, c.origin(tensor), tensor.layout)
    data = {"input": tensor, "via": via, "missing": missing}
    if host is Tri.NO:
        raise c.broken(FaultKind.NUMPY_ON_DEVICE, rests_on, **data).giving(array)
    relative = tensor.device is not None and tensor.device.relative
    on_cuda = (
        c.broken(FaultKind.NUMPY_ON_DEVICE, rests_on | {"cuda"}, **data).giving(array) if relative else None
    )
    if requires is Tri.YES:
        if on_cuda is not None:
            c.faults.append(on_cuda.fault)
        raise c.broken(FaultKind.NUMPY_ON_GRAD, rests_on, **data).giving(array)
    if on_cuda is not None:
        raise on_cuda
    if tensor.dtype in NOT_IN_NUMPY:
        raise c.broken(FaultKind.NUMPY_DTYPE, rests_on, **data).giving(array)
    return array


def recording(c: Call) -> Tri:
    """Returns whether autograd records here.  Inference mode switches grad mode off as well."""
    return c.context.grad_mode.both(c.context.inference.negated())


def missing_calls(c: Call, tensor: TensorFact) -> tuple[str, ...]:
    """Returns the tensor methods that a conversion needs first, in the order that records and copies least.

    `detach` is named with `cpu` wherever the tensor may require grad: it is harmless, and the next run would ask for it.
    """
    calls: list[str] = []
    off_host = tensor.device is not None and tensor.device.is_host is not Tri.YES
    requires = tensor.grad.requires.both(recording(c))
    if requires is Tri.YES or (off_host and requires is Tri.UNKNOWN):
        calls.append("detach")
    if off_host:
        calls.append("cpu")
    if tensor.dtype in NOT_IN_NUMPY:
        calls.append(_float_method(tensor.dtype))
    return tuple(calls)


def _float_method(dtype: DType) -> str:
    return "cfloat" if dtype == "c32" else "float"
