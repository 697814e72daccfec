"""Detects values that a dtype cannot hold, where torch says nothing or only warns."""

from __future__ import annotations

import math

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Scalar, Value
from torchlsp.ops.call import Call

_FRACTIONS = frozenset({"softmax", "log_softmax", "sigmoid", "logsigmoid", "tanh", "layer", "normal"})
"""Words of `provenance` whose values are hardly ever whole."""
_FRACTIONAL = frozenset(
    "rand rand_like randn randn_like div true_divide mean std var exp log sqrt rsqrt sin cos".split()
)
_AFFINE = frozenset(
    "mul multiply add sub subtract div divide true_divide neg mul_ add_ sub_ div_ neg_".split()
)
_SAME_VALUES = frozenset(
    """permute transpose view reshape squeeze unsqueeze flatten __getitem__ select cpu cuda detach to float double half contiguous
    clone data numpy squeeze_ unsqueeze_ T mT movedim""".split()
)
_MADE = frozenset({"torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.Tensor"})
_MAX_ORIGINS = 12


def refuse_conversion(c: Call, tensor: TensorFact | None, source: TensorFact | None) -> None:
    """Raises a fault for another dtype: operators that write at indices do not convert what they write."""
    if c.context.autocast is not Tri.NO or tensor is None or source is None:
        return
    if tensor.dtype is not None and source.dtype is not None and tensor.dtype != source.dtype:
        raise c.broken(FaultKind.SOURCE_DTYPE, input=tensor, source=source)


def assigned(c: Call, tensor: TensorFact, value: Value) -> None:
    """Reports `tensor[…] = value` of a value with a fraction, where `tensor` holds integers."""
    if tensor.dtype not in dtypes.INTEGRAL:
        return
    if isinstance(value, TensorFact):
        if _has_fractions(value):
            c.faults.append(c.broken(FaultKind.FRACTION_CUT, input=tensor, value=value, number=None).fault)
        return
    if isinstance(value, Scalar) and isinstance(value.value, float):
        number = value.value
        if math.isfinite(number) and number != int(number):
            c.faults.append(c.broken(FaultKind.FRACTION_CUT, input=tensor, value=None, number=number).fault)


def _has_fractions(value: TensorFact) -> bool:
    if value.dtype not in dtypes.FLOATING:
        return False
    content = value.content
    if content is not None and content.how in ("certain", "drawn"):
        if content.how == "drawn" and content.low != content.high:
            return True
        if any(number != int(number) for number in (content.low, content.high)):
            return True
    if value.provenance in _FRACTIONS:
        return True
    for _ in range(_MAX_ORIGINS):
        origin = value.origin
        if origin is None:
            return False
        name = origin.op.rpartition(".")[2]
        if name in _FRACTIONAL:
            return not origin.merged
        if name not in _SAME_VALUES or not origin.parents:
            return False
        value = origin.parents[0]
    return False


def to_bytes(c: Call, tensor: TensorFact, dtype: str | None) -> None:
    """Reports a conversion to uint8 of floats that certainly lie outside of 0 to 255."""
    if dtype != "u8" or tensor.dtype not in dtypes.FLOATING:
        return
    content = tensor.content
    if content is not None:
        most = 256 if content.how == "certain" else 256 + 1e-6
        if content.how in ("certain", "drawn") and (content.low <= -1 or content.high >= most):
            fault = c.broken(
                FaultKind.BYTES_WRAP,
                input=tensor,
                low=content.low,
                high=content.high,
                word=None,
                drawn=_is_drawn(tensor),
            )
            c.faults.append(fault.fault)
        return
    word = _unbounded(tensor)
    if word is not None:
        drawn = _is_drawn(tensor)
        c.faults.append(
            c.broken(FaultKind.BYTES_WRAP, input=tensor, low=None, high=None, word=word, drawn=drawn).fault
        )


def _is_drawn(tensor: TensorFact) -> bool:
    """Returns whether a tensor holds random numbers as they were drawn: whatever bytes they become, these are random."""
    origin = tensor.origin
    return origin is not None and origin.op.rpartition(".")[2] in ("randn", "randn_like", "normal")


def _unbounded(tensor: TensorFact) -> str | None:
    """Returns the word of values without bounds that a tensor was computed from by a scale and an offset."""
    for _ in range(_MAX_ORIGINS):
        if tensor.provenance is not None:
            return tensor.provenance if tensor.provenance in ("layer", "normal") else None
        origin = tensor.origin
        if origin is None or not origin.parents or origin.merged:
            return None
        name = origin.op.rpartition(".")[2]
        first, *others = origin.parents
        if name not in _SAME_VALUES and name not in _AFFINE:
            return None
        if any(not _is_made(other) for other in others):
            return None
        tensor = first
    return None


def _is_made(tensor: TensorFact) -> bool:
    """Returns whether it is a tensor of literal numbers, such as a mean by which values are shifted back."""
    for _ in range(_MAX_ORIGINS):
        origin = tensor.origin
        if origin is None:
            return False
        if origin.op in _MADE:
            return True
        if origin.op.rpartition(".")[2] not in _SAME_VALUES or not origin.parents:
            return False
        tensor = origin.parents[0]
    return False


def mask_of_bytes(c: Call, tensor: TensorFact, mask: TensorFact) -> None:
    """Reports an index of uint8, which torch still reads as a mask."""
    if mask.dtype != "u8":
        return
    origin = mask.origin
    inverted = (
        origin is not None
        and not origin.merged
        and origin.op.rpartition(".")[2] in ("bitwise_not", "__invert__")
    )
    c.faults.append(c.broken(FaultKind.BYTE_MASK, input=tensor, mask=mask, inverted=inverted).fault)
