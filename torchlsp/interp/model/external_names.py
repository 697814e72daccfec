"""Resolves an attribute of a package outside the workspace: a constant, a dtype, or a longer dotted name."""

from __future__ import annotations

from functools import lru_cache

from torchlsp.facts import dtype as dtypes
from torchlsp.facts import values as v
from torchlsp.facts.torch_names import canonical
from torchlsp.facts.values import Value

_MEMORY_FORMATS = frozenset({"contiguous_format", "channels_last", "channels_last_3d", "preserve_format"})


_NUMBERS = frozenset({"pi", "e", "inf", "nan", "tau"})


@lru_cache(4096)
def external_attribute(base: str, name: str) -> Value:
    """Returns the value of an attribute of an external module: `torch.float32`, `numpy.pi`, `torch.nn.Linear`."""
    full = f"{base}.{name}"
    if base == "torch":
        if name in dtypes.BY_TORCH_NAME:
            return v.DTypeValue(dtypes.BY_TORCH_NAME[name])
        if name in _MEMORY_FORMATS:
            return v.MemoryFormat(name)
        if name in _NUMBERS:
            return v.Scalar("float")
    elif base == "numpy":
        found = dtypes.of_numpy(name)
        if found is not None:
            return v.DTypeValue(found, True)
        if name == "newaxis":
            return v.NONE
        if name in _NUMBERS:
            return v.Scalar("float")
    elif base == "math" and name in _NUMBERS:
        return v.Scalar("float")
    elif base.startswith("torch.") or base in ("torchvision", "pytorch_lightning"):
        return v.External(canonical(full))
    return v.External(full)
