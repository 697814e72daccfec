"""Holds what a recorded run has seen when functions of a file began, as values that an analysis can begin with."""

from __future__ import annotations

from collections.abc import Mapping

from torchlsp.core.records import dataclass, field
from torchlsp.facts.device import Device
from torchlsp.facts.dtype import DType
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value


@dataclass(frozen=True, slots=True)
class EntryList:
    """A list: its items, or with None what all its items have in common."""

    items: tuple[EntryValue, ...] | None
    element: EntryValue = UNKNOWN_VALUE


@dataclass(frozen=True, slots=True)
class EntryDict:
    """A dict with these entries, by key."""

    entries: tuple[tuple[str, EntryValue], ...]


@dataclass(frozen=True, slots=True)
class EntryTuple:
    """A tuple that may hold lists and dicts; `torch.Size` when `is_size`."""

    items: tuple[EntryValue, ...]
    is_size: bool = False


EntryValue = Value | EntryList | EntryDict | EntryTuple
"""A value, or a container that the interpreter creates in its heap when the function begins."""


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What all recorded calls of a function have in common when it begins.

    `parameters` by name; `attributes` of the object whose method it is, by name.  `grad`: whether gradients are recorded;
    `autocast`: whether autocast was on.  `dtypes` and `devices` are those of all floating tensors, which tell those of the
    module that they are passed to.
    A size that differs between calls is a symbol, the same one wherever the sizes were equal in each call.
    """

    parameters: Mapping[str, EntryValue] = field(default_factory=dict)
    attributes: Mapping[str, EntryValue] = field(default_factory=dict)
    grad: Tri = Tri.UNKNOWN
    autocast: Tri = Tri.NO
    dtypes: frozenset[DType] = frozenset()
    devices: frozenset[Device] = frozenset()


Entries = Mapping[str, EntryFacts]
"""The functions of a file that a recorded run has called, by qualified name."""

NO_ENTRIES: Entries = {}
