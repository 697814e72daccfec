"""Defines devices, with *CUDA if available* as one shared symbol."""

from __future__ import annotations

from torchlsp.core.records import dataclass
from torchlsp.facts.tri import Tri


@dataclass(frozen=True, slots=True)
class Device:
    """The device of a tensor.  `relative` is CUDA where there is CUDA and otherwise the CPU, or what else the
    program then chooses; the same one in the whole file.  The index is None for the current device."""

    kind: str
    index: int | None = None
    relative: bool = False

    def __str__(self) -> str:
        if self.relative:
            return f"{self.kind}?"
        return self.kind if self.index in (None, SOME_INDEX) else f"{self.kind}:{self.index}"

    @property
    def is_host(self) -> Tri:
        """Returns whether NumPy can read this memory.  UNKNOWN for *CUDA if available*."""
        return Tri.UNKNOWN if self.relative else Tri.of(self.kind == "cpu")


SOME_INDEX = -1
"""The index of a device of which only the kind is known."""

CPU = Device("cpu")
CUDA = Device("cuda")
META = Device("meta")
SOME_CUDA = Device("cuda", SOME_INDEX)
CUDA_IF_AVAILABLE = Device("cuda", relative=True)

_KINDS = frozenset("cpu cuda meta mps xpu hpu npu xla mtia privateuseone ipu".split())


def parse(text: str) -> Device | None:
    """Returns the device of `torch.device(text)`; None for a text that torch would refuse."""
    kind, colon, index = text.partition(":")
    if kind not in _KINDS or (colon and not index.isdigit()):
        return None
    return Device(kind, int(index) if colon else None)


def same(a: Device | None, b: Device | None) -> Tri:
    """Returns whether torch would call these two devices equal.  `cuda` is whichever device is current, so it
    may be `cuda:0`."""
    if a is None or b is None:
        return Tri.UNKNOWN
    if a == b:
        return Tri.YES if a.index != SOME_INDEX else Tri.UNKNOWN
    if a.relative or b.relative:
        return Tri.UNKNOWN if {a.kind, b.kind} <= {"cuda", "cpu"} else Tri.NO
    if a.kind != b.kind:
        return Tri.NO
    if a.index in (None, SOME_INDEX) or b.index in (None, SOME_INDEX):
        return Tri.YES if a.kind == "cpu" else Tri.UNKNOWN
    return Tri.NO


def join(a: Device | None, b: Device | None) -> Device | None:
    return a if a == b else None
