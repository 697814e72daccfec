"""Writes facts in the one textual notation: `f32[B, 3, H, W] cuda:0 noncontig grad`."""

from __future__ import annotations

import re

from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri

_FRESH = re.compile(r"\?[^\s*+()/-]*")
"""The name of an unknown size inside a formula."""
_UNNAMED = re.compile(r"\bsize\d+@\d+")
"""The name of a size of a tensor that has no name itself: nobody wrote it."""
_INVENTED = re.compile(r"\?|\b\w+\.\d+\b|\b(?:size\d*|part\d*|rest|height|width)@")
_NUMBERED = re.compile(r"\b(part)\d+(?=@)")
"""The name of what a slice leaves, with a number that says nothing to the reader."""


def dim_text(dim: Dim) -> str:
    """Returns a size as text, `?` for an unknown one.  Parameter symbols lose what makes them unique
    (`dim@12`)."""
    if dims.is_fresh(dim):
        return "?"
    text = _FRESH.sub("?", str(dim))
    if "@" in text:
        text = _NUMBERED.sub(r"\1", _UNNAMED.sub("?", text))
    if "@" not in text:
        return text
    return "".join(part if i == 0 else part.lstrip("0123456789") for i, part in enumerate(text.split("@")))


def is_invented(dim: Dim) -> bool:
    """Returns whether a size is unknown or named by the analysis, not by the user: `?`, `x.0`, `part`."""
    return dims.is_fresh(dim) or not isinstance(dim, int) and _INVENTED.search(str(dim)) is not None


def shape_text(shape: Shape) -> str:
    return "[...]" if shape is None else "[" + ", ".join(dim_text(size) for size in shape) + "]"


def tensor_text(fact: TensorFact) -> str:
    """Returns dtype and shape always, the device when it is known and not the CPU, layout and grad when they
    are known to differ from a new tensor's.  An unknown dtype is `tensor`."""
    words = [(fact.dtype or "tensor") + shape_text(fact.shape)]
    if fact.device is not None and fact.device != CPU:
        words.append(str(fact.device))
    if fact.is_contiguous() is Tri.NO or (fact.shape is not None and _noncontiguous(fact)):
        words.append("noncontig")
    if fact.grad.requires is Tri.YES:
        words.append("grad")
    return " ".join(words)


def _noncontiguous(fact: TensorFact) -> bool:
    from torchlsp.facts.layout import is_noncontiguous_in_general

    return is_noncontiguous_in_general(fact.shape, fact.layout) is Tri.YES


def value_text(value: v.Value) -> str:
    """Returns any value as text; `?` for an unknown one."""
    match value:
        case TensorFact():
            return tensor_text(value)
        case v.ArrayValue(shape=shape, dtype=dtype):
            return "ndarray " + (dtype or "") + shape_text(shape)
        case v.ImageValue(channels=channels, height=height, width=width):
            sizes = ("?" if size is None else dim_text(size) for size in (channels, height, width))
            return f"image[{', '.join(sizes)}]"
        case v.DictValue(entries=entries):
            return "{" + ", ".join(f"{key!r}: {value_text(item)}" for key, item in entries) + "}"
        case v.Scalar(kind="none"):
            return "None"
        case v.Scalar(kind="ellipsis"):
            return "..."
        case v.Scalar(kind="int", value=value) if value is not None:
            return dim_text(value)
        case v.Scalar(value=value) if value is not None:
            return repr(value)
        case v.Scalar(kind=kind):
            return kind
        case v.TupleValue(items=items):
            inner = ", ".join(value_text(item) for item in items)
            return f"({inner},)" if len(items) == 1 else f"({inner})"
        case v.Repeated(element=element):
            return f"iter[{value_text(element)}]"
        case v.DTypeValue(dtype=dtype):
            return dtype or "dtype"
        case v.DeviceValue(device=device):
            return f"device {device}" if device else "device"
        case v.LayerValue(qualname=name) | v.OptimizerValue(qualname=name) | v.Engine(qualname=name):
            return name.rpartition(".")[2]
        case v.Distribution(family=family, sample=sample):
            return f"{family}{shape_text(sample.shape)}"
        case v.Wrapped(qualname=name, module=module):
            return f"{name.rpartition('.')[2]}({value_text(module)})"
        case v.InstanceValue(cls=cls):
            return cls.ir.name
        case v.ClassValue(ir=ir) | v.FunctionValue(ir=ir):
            return ir.name
        case v.External(name=name):
            return name
        case v.RankValue():
            return "rank"
        case v.LoaderValue(element=element):
            return f"loader[{value_text(element)}]"
        case v.Parameter(label=label):
            return f"?{label}"
    return "?"
