"""Converts recorded calls of a function to facts that hold in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from torchlsp.facts import device as devices
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim, symbol
from torchlsp.facts.layout import ROW_MAJOR, Layout, is_contiguous
from torchlsp.facts.tensor import Grad, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE
from torchlsp.interp.store.entry_facts import EntryDict, EntryFacts, EntryList, EntryTuple, EntryValue
from torchlsp.recorder.described import (
    Observed,
    ObservedArray,
    ObservedDevice,
    ObservedDType,
    ObservedFlag,
    ObservedMapping,
    ObservedNothing,
    ObservedNumber,
    ObservedSequence,
    ObservedTensor,
    ObservedWord,
)
from torchlsp.recorder.reading import ObservedFunction

Kind = TypeVar("Kind")

_PLAIN_TENSORS = frozenset({"Tensor", "Parameter"})
"""Other classes of tensors may give other results."""
LETTERS = "NMKLPQRSUVW"


def entry_facts(function: ObservedFunction) -> tuple[EntryFacts, dict[str, tuple[int, int]]]:
    """Returns what all recorded calls of a function have in common when it begins, and the least and the greatest value of each
    size that differs between them, by its name."""
    calls = [call for call in function.calls if not call.is_late]
    if not calls:
        return EntryFacts(), {}
    # Objects of one class may have other sizes each: those of the constructor and of a method belong to different ones.
    sizes = _Sizes(function.line, function.name != "__init__", function.is_complete)
    sizes.are_ints_complete = function.are_ints_complete
    sizes.is_exhaustive = function.count <= len(function.calls)
    names = set.intersection(*(set(call.parameters) for call in calls))
    parameters = {
        name: _joined([call.parameters[name] for call in calls], sizes)
        for name in function.parameters
        if name in names
    }
    common = set.intersection(*(set(call.attributes) for call in calls))
    attributes = {name: _joined([call.attributes[name] for call in calls], sizes) for name in sorted(common)}
    off = {call.grad is False or call.inference is True for call in calls}
    known = all(call.grad is not None for call in calls) and len(off) == 1
    tensors = [
        one for call in calls for one in _floating((*call.parameters.values(), *call.attributes.values()))
    ]
    cast = {call.autocast is not None for call in calls}
    entry = EntryFacts(
        parameters,
        attributes,
        grad=Tri.of(not off.pop()) if known else Tri.UNKNOWN,
        autocast=Tri.UNKNOWN if True in cast else Tri.NO,
        dtypes=frozenset(dtypes.BY_TORCH_NAME[one.dtype] for one in tensors),
        devices=frozenset(found for one in tensors if (found := devices.parse(one.device)) is not None),
    )
    return entry, sizes.ranges


def _floating(seen: Iterable[Observed]) -> Iterator[ObservedTensor]:
    """Yields the tensors of floating dtypes, those in containers included."""
    for one in seen:
        match one:
            case ObservedTensor(dtype=dtype) if "float" in dtype and dtype in dtypes.BY_TORCH_NAME:
                yield one
            case ObservedSequence(items=items):
                yield from _floating(items)
            case ObservedMapping(items=entries):
                yield from _floating(item for _, item in entries)


class _Sizes:
    """The sizes of a function that differ between its calls: one symbol for those that are equal in each call."""

    def __init__(self, line: int, is_generic: bool, is_complete: bool) -> None:
        self._line, self._is_generic, self.is_complete = line, is_generic, is_complete
        self.are_ints_complete = True
        self.is_exhaustive = False
        """Whether each call was recorded: floats that differ are no reason to record one."""
        self._symbols: dict[tuple[tuple[int, ...], bool], Dim] = {}
        self.ranges: dict[str, tuple[int, int]] = {}

    def of(self, values: Sequence[int], is_int: bool = False) -> Dim:
        """Returns the size, or the int, that has these values in the calls."""
        is_complete = self.are_ints_complete if is_int else self.is_complete
        if len(set(values)) == 1 and is_complete:
            return values[0]
        found = self._symbols.get((tuple(values), is_complete))
        if found is None:
            number = len(self._symbols)
            letter = LETTERS[number] if number < len(LETTERS) else f"N{number}"
            # A size that was 0 or 1 in some call is not generic, nor is one of the many objects of a class.
            is_generic = self._is_generic and is_complete and min(values) > 1
            found = symbol(f"{'' if is_generic else '?'}{letter}@0{self._line}")
            self._symbols[tuple(values), is_complete] = found
            if is_generic:
                self.ranges[letter] = min(values), max(values)
        return found


def _joined(seen: list[Observed], sizes: _Sizes) -> EntryValue:
    """Returns what is true of all descriptions, one of each call; unknown where they have nothing in common."""
    first = seen[0]
    if isinstance(first, ObservedTensor):
        return _tensor(_alike(first, seen), sizes)
    if isinstance(first, ObservedArray):
        return _array(_alike(first, seen), sizes)
    if isinstance(first, ObservedNumber):
        return _number(_alike(first, seen), sizes)
    if isinstance(first, ObservedSequence):
        return _sequence(_alike(first, seen), sizes)
    if isinstance(first, ObservedMapping):
        return _mapping(_alike(first, seen), sizes)
    if isinstance(first, ObservedFlag):
        flags = {one.value for one in _alike(first, seen)} if sizes.is_complete else {True, False}
        return UNKNOWN_VALUE if not flags else v.Scalar("bool", flags.pop() if len(flags) == 1 else None)
    if any(one != first for one in seen) or not sizes.is_complete:
        return UNKNOWN_VALUE
    if isinstance(first, ObservedNothing):
        return v.NONE
    if isinstance(first, ObservedWord):
        return v.Scalar("str", first.text)
    if isinstance(first, ObservedDType):
        return v.DTypeValue(dtypes.BY_TORCH_NAME.get(first.name))
    if isinstance(first, ObservedDevice):
        return v.DeviceValue(devices.parse(first.name), "device")
    return UNKNOWN_VALUE


def _alike(first: Kind, seen: Sequence[object]) -> list[Kind]:
    """Returns all descriptions if they are of one kind, else none."""
    found = [one for one in seen if type(one) is type(first)]
    return found if len(found) == len(seen) else []


def _one(values: Sequence[Kind]) -> Kind | None:
    """Returns the value that all have, if there is one."""
    return values[0] if all(value == values[0] for value in values) else None


def _tensor(seen: list[ObservedTensor], sizes: _Sizes) -> EntryValue:
    if not seen or any(one.name not in _PLAIN_TENSORS or one.layout != "strided" for one in seen):
        return UNKNOWN_VALUE
    shape = _shape([one.sizes for one in seen], sizes)
    dtype, device = _one([one.dtype for one in seen]), _one([one.device for one in seen])
    return TensorFact(
        shape=shape,
        dtype=None if dtype is None else dtypes.BY_TORCH_NAME.get(dtype),
        device=None if device is None else devices.parse(device),
        layout=_layout([(one.sizes, one.strides) for one in seen], shape),
        grad=Grad(_tri([one.requires_grad for one in seen]), _tri([one.is_leaf for one in seen])),
    )


def _array(seen: list[ObservedArray], sizes: _Sizes) -> EntryValue:
    if not seen:
        return UNKNOWN_VALUE
    shape = _shape([one.sizes for one in seen], sizes)
    dtype = _one([one.dtype for one in seen])
    return v.ArrayValue(
        shape=shape,
        dtype=None if dtype is None else dtypes.BY_TORCH_NAME.get(dtype),
        layout=_layout([(one.sizes, one.strides) for one in seen], shape),
    )


def _shape(seen: list[tuple[int, ...]], sizes: _Sizes) -> tuple[Dim, ...] | None:
    if len({len(one) for one in seen}) != 1:
        return None
    return tuple(sizes.of(dim) for dim in zip(*seen))


def _layout(
    seen: list[tuple[tuple[int, ...], tuple[int, ...] | None]], shape: tuple[Dim, ...] | None
) -> Layout:
    if all(strides is not None and is_contiguous(sizes, strides) is Tri.YES for sizes, strides in seen):
        return ROW_MAJOR
    strides = _one([strides for _, strides in seen])
    return strides if shape is not None and all(type(size) is int for size in shape) else None


def _number(seen: list[ObservedNumber], sizes: _Sizes) -> EntryValue:
    values = [one.value for one in seen]
    if values and all(type(value) is int for value in values):
        return v.integer(sizes.of([int(value) for value in values], is_int=True))
    if values and all(type(value) is float for value in values):
        return v.Scalar("float", _one(values) if sizes.is_exhaustive else None)
    return UNKNOWN_VALUE


def _sequence(seen: list[ObservedSequence], sizes: _Sizes) -> EntryValue:
    if not seen or not sizes.are_ints_complete or any(one.length != len(one.items) for one in seen):
        return UNKNOWN_VALUE
    path, is_tuple = _one([one.path for one in seen]), _one([one.is_tuple for one in seen])
    if any(one.path != path for one in seen) or is_tuple is None or path not in (None, "torch.Size"):
        return UNKNOWN_VALUE
    if len({one.length for one in seen}) == 1:
        items = tuple(_joined(list(column), sizes) for column in zip(*(one.items for one in seen)))
        return EntryTuple(items, path == "torch.Size") if is_tuple else EntryList(items)
    return UNKNOWN_VALUE


def _mapping(seen: list[ObservedMapping], sizes: _Sizes) -> EntryValue:
    if (
        not seen
        or not sizes.are_ints_complete
        or any(one.length != len(one.items) or one.path is not None for one in seen)
    ):
        return UNKNOWN_VALUE
    keys = [tuple(key for key, _ in one.items) for one in seen]
    if any(one != keys[0] for one in keys):
        return UNKNOWN_VALUE
    tables = [dict(one.items) for one in seen]
    return EntryDict(tuple((key, _joined([table[key] for table in tables], sizes)) for key in keys[0]))


def _tri(seen: list[bool]) -> Tri:
    known = _one(seen)
    return Tri.UNKNOWN if known is None else Tri.of(known)
